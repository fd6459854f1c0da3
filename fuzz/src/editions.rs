//! Fuzzes edition files: every accepted edition must be playable.

use crate::playout::play_some;
use bridgemaster_games::{GAME_IDS, Game, GameOption, OptionSource, SeatCount, with_game};

/// Runs the target. The first byte selects a file option of some game, the rest is the file's
/// content.
pub fn run(bytes: &[u8]) {
    let Some((option, file)) = bytes.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(file) else {
        return;
    };
    let options = file_options();
    let (id, name) = options[usize::from(*option) % options.len()];
    with_game!(id, G => {
        let mut config = Default::default();
        if G::set_option(&mut config, name, text).is_ok() {
            check_playable::<G>(config);
        }
    });
}

/// Returns the file options of all games, each with its game.
pub fn file_options() -> Vec<(&'static str, &'static str)> {
    let of = |id: &'static str| {
        let options = with_game!(id, G => G::options()).unwrap_or_default();
        let files = |option: &GameOption| option.source == OptionSource::File;
        let names = options.into_iter().filter(files);
        names.map(move |option| (id, option.name))
    };
    GAME_IDS.iter().copied().flat_map(of).collect()
}

/// Checks that an accepted edition can be played.
fn check_playable<G: Game>(config: G::Config) {
    for seats in G::SEATS.filter_map(SeatCount::new) {
        if G::check_config(&config, seats).is_ok() {
            let setup = G::draw_setup(&config, seats, &7.into()).expect("a checked config");
            let mut state =
                G::start(&config, seats, &setup, &mut Vec::new()).expect("a drawn setup");
            play_some::<G>(&mut state);
        }
    }
}
