//! Edition files: the built-in edition, other editions, and refusals.

use std::sync::Arc;

use bridgemaster_games::Rules;
use bridgemaster_games::carcassonne::{Carcassonne, Config, Edition, FeatureKind, TileKind};

use crate::carcassonne::position::{Position, lines};

const BUILT_IN: &str = include_str!("../../../data/carcassonne/drawbridges.toml");

/// An edition whose tiles have as much as possible: shields, monasteries, villages, several
/// drawbridges to one city and to several.
pub(crate) const CROWDED: &str = include_str!("crowded.toml");

fn refusal(text: &str) -> String {
    Edition::from_toml(text).unwrap_err().to_string()
}

/// The error text for the built-in file with `from`, which must occur, replaced by `to`.
fn altered(from: &str, to: &str) -> String {
    assert!(BUILT_IN.contains(from), "{from}");
    BUILT_IN.replacen(from, to, 1)
}

#[test]
fn the_built_in_file_is_the_default_edition() {
    let edition = Edition::from_toml(BUILT_IN).unwrap();
    assert_eq!(edition, *Config::default().edition);
    assert_eq!(edition.name(), "built-in");
    assert_eq!(Edition::new(edition.parts()).unwrap(), edition);
}

#[test]
fn the_base_tiles_stand_in_the_order_of_their_kinds() {
    let base = include_str!("../../../data/carcassonne/base.toml");
    let base: toml::Table = toml::from_str(base).unwrap();
    let tiles = base["tiles"].as_array().unwrap();
    let names = tiles.iter().map(|tile| tile["name"].as_str().unwrap());
    let kinds: Vec<String> = TileKind::all().take(24).map(|kind| kind.to_string()).collect();
    assert!(names.eq(kinds.iter().map(String::as_str)));
}

#[test]
fn the_notes_say_which_tiles_are_not_the_publishers() {
    let notes = Carcassonne::NOTES.join(" ");
    assert!(notes.contains("Eight of the twelve drawbridge tiles"), "{notes}");
    let ours = BUILT_IN.matches(": the project's own").count();
    assert_eq!(ours, 8);
}

#[test]
fn another_edition_replaces_the_tiles() {
    let edition = Arc::new(Edition::from_toml(CROWDED).unwrap());
    let config = Config { edition: Arc::clone(&edition), ..Config::default() };
    assert_ne!(config, Config::default());
    // The first of its tiles has a city with a shield, a drawbridge and a monastery.
    let position = Position::with(2, config, "D1").play("place 0 -1 2; meeple city s");
    let city = FeatureKind::City { open_ends: 0, tiles: 2, shields: 1 };
    assert_eq!(position.feature(0, -1, "city s").kind, city);
    let position = position.with_meeples(&[(0, 0, -1, "monastery")]);
    let outcome = position.ended();
    assert!(lines(&outcome, 0).contains(&("open_monasteries", 2)));
    assert_eq!(edition.tile(TileKind::START), Edition::built_in().tile(TileKind::START));
}

#[test]
fn a_file_of_another_form_is_refused() {
    for (from, to, expected) in [
        ("name = ", "title = ", "unknown field `title`"),
        ("edges = \"CCRF\"", "edges = \"CCRX\"", "letters of F (field), R (road) and C (city)"),
        ("drawbridge = \"N\"", "drawbridge = \"X\"", "N, E, S or W"),
        ("half_edges = \"SL\"", "half_edges = \"SM\"", "names of NL"),
        ("[{ edges = \"NE\" }]", "[{ edges = \"NQ\" }]", "letters of N, E, S and W"),
        ("[{ edges = \"NE\" }]", "[{ edges = \"NE\", tower = true }]", "unknown field `tower`"),
    ] {
        let error = Edition::from_toml(&altered(from, to)).unwrap_err();
        assert!(error.field.is_empty(), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn a_broken_requirement_is_named_with_its_entry() {
    let first_fields = "fields = [{ half_edges = \"SL\", cities = \"N\" }, \
                        { half_edges = \"SR WL WR\", cities = \"N\" }]";
    let wrong = |from, to| refusal(&altered(from, to));
    refused! { wrong:
        "name = \"built-in\"", "name = \"\""
            => "name: must have 1 to 64 printable characters",
        "edges = \"CCRF\"", "edges = \"CCRFF\""
            => "tiles[0].edges: must have 4 entries, found 5",
        "[{ edges = \"NE\" }]", "[]"
            => "tiles[0].cities: no segment has the edge N",
        "[{ edges = \"NE\" }]", "[{ edges = \"NES\" }]"
            => "tiles[0].cities: edge S is R in `edges`",
        "[{ edges = \"NE\" }]", "[{ edges = \"EN\" }]"
            => "tiles[0].cities[0].edges: must ascend, without repetition",
        "[{ edges = \"NE\" }]", "[{ edges = \"NE\" }, { edges = \"\" }]"
            => "tiles[0].cities[1].edges: must not be empty",
        "[{ edges = \"NE\" }]", "[{ edges = \"NE\" }, { edges = \"E\" }]"
            => "tiles[0].cities[1].edges: E is in another segment too",
        "drawbridge = \"N\"", "drawbridge = \"E\""
            => "tiles[0].roads[0].drawbridge: no city segment has E as its first edge",
        first_fields, "fields = [{ half_edges = \"SL\", cities = \"N\" }]"
            => "tiles[0].fields: no segment has the half-edge SR",
        first_fields,
        "fields = [{ half_edges = \"NL SL\", cities = \"N\" }, \
             { half_edges = \"SR WL WR\", cities = \"N\" }]"
            => "tiles[0].fields: NL is half of a city edge",
        "half_edges = \"SL\", cities = \"N\"", "half_edges = \"SL\", cities = \"E\""
            => "tiles[0].fields[0].cities: no city segment has E as its first edge",
        "half_edges = \"SL\", cities = \"N\"", "half_edges = \"SL\""
            => "tiles[0].fields[0].cities: must list the city N, which the field touches",
        // It touches no corner of the city, but borders roads that end there.
        "half_edges = \"ER SL SR WL\", cities = \"N\"", "half_edges = \"ER SL SR WL\""
            => "tiles[7].fields[2].cities: must list the city N, which the field touches",
        first_fields,
        "fields = [{ half_edges = \"SL\", cities = \"N\" }, \
             { half_edges = \"SR WL\", cities = \"N\" }, { half_edges = \"WR\", cities = \"N\" }]"
            => "tiles[0].fields: nothing separates WL and WR, so one field must have both",
        first_fields, "fields = [{ half_edges = \"SL SR WL WR\", cities = \"N\" }]"
            => "tiles[0].fields[0]: cuts through cities[0]",
    }
}

#[test]
fn a_road_through_the_tile_has_no_drawbridge_and_no_third_edge() {
    let through = "edges = \"CRFR\"\ncities = [{ edges = \"N\" }]\n\
                   roads = [{ edges = \"E\", drawbridge = \"N\" }, { edges = \"W\", drawbridge = \"N\" }]";
    let joined = |roads: &str| {
        let to = format!("edges = \"CRFR\"\ncities = [{{ edges = \"N\" }}]\nroads = {roads}");
        refusal(&altered(through, &to))
    };
    refused! { joined:
        "[{ edges = \"EW\", drawbridge = \"N\" }]"
            => "tiles[7].roads[0].drawbridge: a road of two edges has no end on its tile",
        "[{ edges = \"ESW\" }]" => "tiles[7].roads[0].edges: a road has one edge or two",
    }
}

#[test]
fn rotations_that_differ_by_a_drawbridge_alone_look_different() {
    let roads = |west: &str| {
        let to = format!("{{ edges = \"E\", drawbridge = \"N\" }}, {{ edges = \"W\"{west} }}");
        let from = "{ edges = \"E\", drawbridge = \"N\" }, { edges = \"W\", drawbridge = \"S\" }";
        let edition = Arc::new(Edition::from_toml(&altered(from, &to)).unwrap());
        let config = Config { edition, ..Config::default() };
        let legal = Position::with(2, config, "D9").legal();
        legal.iter().filter(|text| text.starts_with("place 1 0 ")).count()
    };
    assert_eq!(roads(", drawbridge = \"S\""), 1);
    assert_eq!(roads(""), 2);
}

#[test]
fn an_edition_has_twelve_tiles() {
    let eleven = &BUILT_IN[..BUILT_IN.rfind("# D12").unwrap()];
    assert_eq!(refusal(eleven), "tiles: must have 12 entries, found 11");
}
