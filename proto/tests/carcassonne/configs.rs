//! Malformed configs are refused with the invalid field's path.

use bridgemaster_games::carcassonne::{Carcassonne, Config};
use bridgemaster_proto::{
    games::{
        FieldError, WireGame,
        carcassonne::v1::{self as wire},
    },
    v1::game_config,
};

use crate::random_match::refused;

/// Reads the default config in the form that the server sends, after a change.
fn with_config(change: impl FnOnce(&mut wire::Config)) -> Result<Config, FieldError> {
    let mut config = Carcassonne::config_to_wire(&Config::default());
    let Some(game_config::Game::Carcassonne(entry)) = &mut config.game else { unreachable!() };
    change(entry);
    Carcassonne::config_from_wire(&config)
}

#[test]
fn base_tiles_are_sent_and_may_be_omitted_but_not_changed() {
    let unchanged = Ok(Config::default());
    assert_eq!(with_config(|c| assert_eq!(c.base_tiles.len(), 24)), unchanged);
    assert_eq!(with_config(|c| c.base_tiles.clear()), unchanged);
    refused(
        with_config(|c| c.base_tiles.truncate(23)),
        "carcassonne.base_tiles",
        "empty or have 24 entries, found 23",
    );
    refused(
        with_config(|c| c.base_tiles[3].count = 5),
        "carcassonne.base_tiles[3]",
        "same in every match",
    );
    refused(
        with_config(|c| c.base_tiles[23].tile = None),
        "carcassonne.base_tiles[23]",
        "left empty",
    );
}
