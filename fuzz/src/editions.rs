//! Edition files.

use std::sync::Arc;

use crate::playout::play_on;
use bridgemaster_games::{
    Game, SeatCount,
    bridges_to_nowhere::{self, BridgesToNowhere},
    carcassonne::{self, Carcassonne},
    old_london_bridge::{self, OldLondonBridge},
};

/// The first byte chooses the game, the others are the file.
pub fn run(bytes: &[u8]) {
    let Some((game, file)) = bytes.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(file) else {
        return;
    };
    match game % 3 {
        0 => {
            if let Ok(edition) = old_london_bridge::Edition::from_toml(text) {
                can_be_played::<OldLondonBridge>(old_london_bridge::Config {
                    edition: Arc::new(edition),
                    ..Default::default()
                });
            }
        }
        1 => {
            if let Ok(edition) = bridges_to_nowhere::Edition::from_toml(text) {
                can_be_played::<BridgesToNowhere>(bridges_to_nowhere::Config {
                    edition: Arc::new(edition),
                    ..Default::default()
                });
            }
        }
        _ => {
            if let Ok(edition) = carcassonne::Edition::from_toml(text) {
                can_be_played::<Carcassonne>(carcassonne::Config {
                    edition: Arc::new(edition),
                    ..Default::default()
                });
            }
        }
    }
}

/// An edition that is not refused can be played.
fn can_be_played<G: Game>(config: G::Config) {
    for seats in G::SEATS.filter_map(SeatCount::new) {
        if G::check_config(&config, seats).is_ok() {
            let setup = G::draw_setup(&config, seats, &7.into()).expect("a checked config");
            let mut state =
                G::start(&config, seats, &setup, &mut Vec::new()).expect("a drawn setup");
            play_on::<G>(&mut state);
        }
    }
}
