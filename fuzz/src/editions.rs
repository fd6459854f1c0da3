//! Edition files.

use crate::playout::play_on;
use bridgemaster_games::{GAME_IDS, Game, GameOption, OptionSource, SeatCount, with_game};

/// The first byte chooses one of the options of all games that are files, the others are the file.
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
            can_be_played::<G>(config);
        }
    });
}

/// The options of all games that are files, each with its game.
pub fn file_options() -> Vec<(&'static str, &'static str)> {
    let of = |id: &'static str| {
        let options = with_game!(id, G => G::options()).unwrap_or_default();
        let files = |option: &GameOption| option.source == OptionSource::File;
        let names = options.into_iter().filter(files);
        names.map(move |option| (id, option.name))
    };
    GAME_IDS.iter().copied().flat_map(of).collect()
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
