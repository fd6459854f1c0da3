//! Malformed configs are refused with the invalid field's path.

use bridgemaster_games::carcassonne::{Carcassonne, Config};
use bridgemaster_proto::{
    games::{
        WireError, WireGame,
        carcassonne::v1::{self as wire},
    },
    v1::game_config,
};

/// Asserts a refusal's path and a part of its error text.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, WireError>, field: &str, detail: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.field, format!("carcassonne.{field}"), "{error}");
    assert!(error.detail.contains(detail), "{error}");
}

/// Reads the default config in the form that the server sends, after a change.
fn with_config(change: impl FnOnce(&mut wire::Config)) -> Result<Config, WireError> {
    let mut config = Carcassonne::config_to_wire(&Config::default());
    let Some(game_config::Game::Carcassonne(entry)) = &mut config.game else {
        unreachable!()
    };
    change(entry);
    Carcassonne::config_from_wire(&config)
}

/// Reads the built-in edition after a change to drawbridge tile D8.
fn with_tile(change: impl FnOnce(&mut wire::Tile)) -> Result<Config, WireError> {
    with_config(|config| change(&mut config.edition.as_mut().unwrap().tiles[7]))
}

#[test]
fn an_edition_that_is_malformed_or_refused_names_the_field_of_the_wire() {
    refused(
        with_config(|c| c.edition = Some(wire::Edition::default())),
        "edition.name",
        "1 to 64",
    );
    let shorter = with_config(|c| c.edition.as_mut().unwrap().tiles.truncate(11));
    refused(shorter, "edition.tiles", "12 entries, found 11");
    let at = |entry: &str| format!("edition.tiles[7].{entry}");
    refused(
        with_tile(|t| t.edges[2] = 0),
        &at("edges[2]"),
        "TERRAIN_FIELD",
    );
    refused(
        with_tile(|t| t.edges[2] = 4),
        &at("edges[2]"),
        "4 is not one of",
    );
    refused(
        with_tile(|t| t.edges.push(1)),
        &at("edges"),
        "4 entries, found 5",
    );
    refused(
        with_tile(|t| t.cities[0].edges[0] = 5),
        &at("cities[0].edges[0]"),
        "EDGE_WEST",
    );
    refused(
        with_tile(|t| t.cities.clear()),
        &at("cities"),
        "no segment has the edge N",
    );
    refused(
        with_tile(|t| t.roads[1].drawbridge = 5),
        &at("roads[1].drawbridge"),
        "5 is not",
    );
    refused(
        with_tile(|t| t.roads[1].drawbridge = 3),
        &at("roads[1].drawbridge"),
        "no city",
    );
    refused(
        with_tile(|t| t.fields[1].half_edges[1] = 9),
        &at("fields[1].half_edges[1]"),
        "9",
    );
    refused(
        with_tile(|t| t.fields[2].cities.clear()),
        &at("fields[2].cities"),
        "touches",
    );
    refused(
        with_tile(|t| t.fields[1].cities[0] = 0),
        &at("fields[1].cities[0]"),
        "must be set",
    );
}

#[test]
fn base_tiles_are_sent_and_may_be_omitted_but_not_changed() {
    let unchanged = Ok(Config::default());
    assert_eq!(
        with_config(|c| assert_eq!(c.base_tiles.len(), 24)),
        unchanged
    );
    assert_eq!(with_config(|c| c.base_tiles.clear()), unchanged);
    refused(
        with_config(|c| c.base_tiles.truncate(23)),
        "base_tiles",
        "empty or have 24 entries, found 23",
    );
    refused(
        with_config(|c| c.base_tiles[3].count = 5),
        "base_tiles[3]",
        "same in every match",
    );
    refused(
        with_config(|c| c.base_tiles[23].tile = None),
        "base_tiles[23]",
        "left empty",
    );
}

#[test]
fn the_base_tiles_that_are_sent_are_72_with_ten_shields_and_six_monasteries() {
    let checked = with_config(|config| {
        let of = |value: &dyn Fn(&wire::Tile) -> usize| -> usize {
            let tiles = config.base_tiles.iter();
            tiles
                .map(|base| base.count as usize * value(base.tile.as_ref().unwrap()))
                .sum()
        };
        assert_eq!(of(&|_| 1), 72);
        assert_eq!(
            of(&|tile| tile.cities.iter().filter(|city| city.shield).count()),
            10
        );
        assert_eq!(of(&|tile| tile.monastery.into()), 6);
        assert_eq!(of(&|tile| tile.edges.len()), 4 * 72);
    });
    assert_eq!(checked, Ok(Config::default()));
}
