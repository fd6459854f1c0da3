//! What is not well formed is refused with the path of the field.

use bridgemaster_games::carcassonne::{Carcassonne, Config};
use bridgemaster_proto::{
    games::{
        WireError, WireGame,
        carcassonne::v1::{self as wire, observation::Phase as WirePhase},
    },
    v1::{self, game_config, game_observation, game_setup},
};
use serde_json::{Value, json};

use crate::{
    descriptors::from_json,
    random_match::{play, setup_of},
};

/// Checks the path and a part of the explanation of a refusal.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, WireError>, field: &str, detail: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.field, format!("carcassonne.{field}"), "{error}");
    assert!(error.detail.contains(detail), "{error}");
}

#[test]
fn malformed_decisions_name_the_field() {
    let cases = [
        (json!({}), "decision", "place, meeple and drawbridge"),
        (
            json!({ "place": { "x": 84 } }),
            "place.x",
            "84 is not in -83 to 83",
        ),
        (
            json!({ "place": { "y": -84 } }),
            "place.y",
            "-84 is not in -83 to 83",
        ),
        (
            json!({ "place": { "x": -2_000_000_000 } }),
            "place.x",
            "-83 to 83",
        ),
        (
            json!({ "place": { "rotation": 4 } }),
            "place.rotation",
            "4 is not in 0 to 3",
        ),
        (json!({ "meeple": {} }), "meeple.choice", "none or segment"),
        (
            json!({ "meeple": { "segment": "SEGMENT_UNSPECIFIED" } }),
            "meeple.segment",
            "SEGMENT_ROAD_NORTH to SEGMENT_FIELD_WEST_RIGHT",
        ),
        (
            json!({ "meeple": { "segment": 18 } }),
            "meeple.segment",
            "18 is not one of",
        ),
        (
            json!({ "meeple": { "segment": -2_147_483_648 } }),
            "meeple.segment",
            "is not one of",
        ),
        (
            json!({ "drawbridge": {} }),
            "drawbridge.choice",
            "home or gate",
        ),
        (
            json!({ "drawbridge": { "gate": { "x": 1 } } }),
            "drawbridge.gate.city",
            "EDGE_NORTH, EDGE_EAST, EDGE_SOUTH, EDGE_WEST",
        ),
        (
            json!({ "drawbridge": { "gate": { "y": 84, "city": 1 } } }),
            "drawbridge.gate.y",
            "84",
        ),
    ];
    for (entry, field, detail) in cases {
        let json = json!({ "carcassonne": entry });
        let wire: v1::GameDecision = from_json("bridgemaster.v1.GameDecision", &json);
        refused(Carcassonne::decision_from_wire(&wire), field, detail);
    }
}

#[test]
fn malformed_events_name_the_field() {
    let scored = |seats: Value| json!({ "scored": { "segment": 1, "seats": seats } });
    let cases = [
        (json!({}), "event", "must be set"),
        (
            json!({ "tileDrawn": { "seat": 5, "tile": 1 } }),
            "tile_drawn.seat",
            "0 to 4",
        ),
        (
            json!({ "tileDrawn": {} }),
            "tile_drawn.tile",
            "TILE_KIND_A to TILE_KIND_D12",
        ),
        (
            json!({ "tileRemoved": { "tile": 37 } }),
            "tile_removed.tile",
            "37 is not one of",
        ),
        (
            json!({ "tileRemoved": { "tile": -1 } }),
            "tile_removed.tile",
            "-1 is not one of",
        ),
        (
            json!({ "tilePlaced": { "tile": 1 } }),
            "tile_placed.placement",
            "must be set",
        ),
        (
            json!({ "tilePlaced": { "tile": 1, "placement": { "rotation": 4 } } }),
            "tile_placed.placement.rotation",
            "0 to 3",
        ),
        (
            json!({ "meeplePlaced": { "x": 128, "segment": 1 } }),
            "meeple_placed.x",
            "-83 to 83",
        ),
        (
            json!({ "meeplePlaced": {} }),
            "meeple_placed.segment",
            "must be set",
        ),
        (
            json!({ "meepleKept": { "seat": 8 } }),
            "meeple_kept.seat",
            "8 is not a seat",
        ),
        (
            json!({ "scored": { "segment": 1, "points": 1345 } }),
            "scored.points",
            "0 to 1344",
        ),
        (scored(json!([0, 5])), "scored.seats[1]", "5 is not a seat"),
        (
            scored(json!([0, 2, 2])),
            "scored.seats[2]",
            "higher than the seat before",
        ),
        (
            scored(json!([0, 1, 2, 3, 4, 4])),
            "scored.seats",
            "at most 5 entries, found 6",
        ),
        (
            json!({ "drawbridgeDown": { "meeples": 1 } }),
            "drawbridge_down.road",
            "EDGE_NORTH",
        ),
        (
            json!({ "drawbridgeDown": { "road": 1 } }),
            "drawbridge_down.meeples",
            "1 to 7",
        ),
        (
            json!({ "meepleSent": {} }),
            "meeple_sent.gate",
            "must be set",
        ),
        (
            json!({ "meepleSent": { "gate": {} } }),
            "meeple_sent.gate.city",
            "must be set",
        ),
        (
            json!({ "meepleTakenHome": { "seat": 5 } }),
            "meeple_taken_home.seat",
            "0 to 4",
        ),
    ];
    for (entry, field, detail) in cases {
        let json = json!({ "carcassonne": entry });
        let wire: v1::GameEvent = from_json("bridgemaster.v1.GameEvent", &json);
        refused(Carcassonne::event_from_wire(&wire), field, detail);
    }
}

/// Changes what the server sends of the default config, and reads the result.
fn with_config(change: impl FnOnce(&mut wire::Config)) -> Result<Config, WireError> {
    let mut config = Carcassonne::config_to_wire(&Config::default());
    let Some(game_config::Game::Carcassonne(entry)) = &mut config.game else {
        unreachable!()
    };
    change(entry);
    Carcassonne::config_from_wire(&config)
}

/// Changes the drawbridge tile D8 of the house edition, and reads the result.
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
        with_tile(|t| t.fields[2].half_edges[1] = 9),
        &at("fields[2].half_edges[1]"),
        "9",
    );
    refused(
        with_tile(|t| t.fields[1].cities.clear()),
        &at("fields[1].cities"),
        "touches",
    );
    refused(
        with_tile(|t| t.fields[1].cities[0] = 0),
        &at("fields[1].cities[0]"),
        "must be set",
    );
}

#[test]
fn base_tiles_are_sent_and_may_be_left_out_but_not_changed() {
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

#[test]
fn malformed_setups_name_the_field() {
    let config = Config::default();
    let setup = setup_of::<Carcassonne>(&config, 5, 5);
    let with = |change: &dyn Fn(&mut wire::Setup)| {
        let mut message = Carcassonne::setup_to_wire(&setup);
        let Some(game_setup::Game::Carcassonne(entry)) = &mut message.game else {
            unreachable!()
        };
        change(entry);
        Carcassonne::setup_from_wire(&message, &config)
    };
    refused(
        with(&|s| s.first_seat = 5),
        "first_seat",
        "5 is not a seat; 0 to 4 are",
    );
    refused(
        with(&|s| s.tiles[82] = 0),
        "tiles[82]",
        "TILE_KIND_A to TILE_KIND_D12",
    );
    refused(
        with(&|s| s.tiles.push(1)),
        "tiles",
        "at most 83 entries, found 84",
    );
}

#[test]
fn malformed_observations_name_the_field() {
    let config = Config::default();
    let end = play::<Carcassonne>(&config, 5, 9, |_| {}).end;
    let with = |change: &dyn Fn(&mut wire::Observation)| {
        let mut message = Carcassonne::observation_to_wire(&end);
        let Some(game_observation::Game::Carcassonne(entry)) = &mut message.game else {
            unreachable!()
        };
        change(entry);
        Carcassonne::observation_from_wire(&message, &config)
    };
    let crossing = |crossing: wire::Crossing, count: usize| {
        with(&|o| {
            let crossings = vec![crossing; count];
            o.phase = Some(WirePhase::Drawbridge(wire::DrawbridgePhase { crossings }));
        })
    };
    let one = wire::Crossing {
        road: 1,
        seat: 0,
        meeples: 1,
    };
    refused(with(&|o| o.viewer_seat = Some(5)), "viewer_seat", "0 to 4");
    refused(with(&|o| o.turn_seat = 5), "turn_seat", "0 to 4");
    refused(
        with(&|o| o.phase = None),
        "phase",
        "place_tile, place_meeple, drawbridge",
    );
    refused(
        with(&|o| o.phase = Some(WirePhase::PlaceTile(wire::PlaceTilePhase { tile: 0 }))),
        "place_tile.tile",
        "must be set",
    );
    let at = |entry: &str| format!("drawbridge.crossings{entry}");
    refused(crossing(one, 5), &at(""), "at most 4 entries, found 5");
    refused(
        crossing(wire::Crossing { road: 0, ..one }, 2),
        &at("[0].road"),
        "must be set",
    );
    refused(
        crossing(wire::Crossing { seat: 5, ..one }, 2),
        &at("[0].seat"),
        "0 to 4",
    );
    refused(
        crossing(wire::Crossing { meeples: 8, ..one }, 2),
        &at("[0].meeples"),
        "1 to 7",
    );
    refused(
        with(&|o| o.seats.push(o.seats[0])),
        "seats",
        "at most 5 entries, found 6",
    );
    refused(
        with(&|o| o.seats[4].supply = 8),
        "seats[4].supply",
        "0 to 7",
    );
    refused(
        with(&|o| o.seats[1].road_points = 1345),
        "seats[1].road_points",
        "0 to 1344",
    );
    refused(
        with(&|o| o.seats[1].city_points = 70_000),
        "seats[1].city_points",
        "0 to 1344",
    );
    refused(
        with(&|o| o.seats[0].monastery_points = 1345),
        "seats[0].monastery_points",
        "1345",
    );
    refused(
        with(&|o| o.tiles = vec![o.tiles[0]; 85]),
        "tiles",
        "at most 84 entries, found 85",
    );
    refused(
        with(&|o| o.tiles[71].tile = 0),
        "tiles[71].tile",
        "must be set",
    );
    refused(with(&|o| o.tiles[5].x = 84), "tiles[5].x", "-83 to 83");
    refused(
        with(&|o| o.tiles[5].rotation = 4),
        "tiles[5].rotation",
        "0 to 3",
    );
    let meeple = wire::Meeple {
        seat: 5,
        ..Default::default()
    };
    refused(
        with(&|o| o.meeples = vec![meeple]),
        "meeples[0].seat",
        "0 to 4",
    );
    refused(
        with(&|o| o.meeples = vec![wire::Meeple::default()]),
        "meeples[0].segment",
        "must be set",
    );
    refused(
        with(&|o| o.meeples = vec![meeple; 36]),
        "meeples",
        "at most 35 entries, found 36",
    );
    refused(
        with(&|o| o.removed = vec![1, 0]),
        "removed[1]",
        "must be set",
    );
    refused(
        with(&|o| o.unseen.truncate(35)),
        "unseen",
        "36 entries, found 35",
    );
    refused(
        with(&|o| o.unseen[21] = 10),
        "unseen[21]",
        "10 is not in 0 to 9",
    );
}
