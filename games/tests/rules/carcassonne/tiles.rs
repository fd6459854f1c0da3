//! The tile tables: the 72 base tiles and the twelve drawbridge tiles of the built-in edition as on
//! the rules page.

use bridgemaster_games::carcassonne::{Edge, Edition, EditionParts, TileKind, TileParts};

fn all() -> Vec<(TileKind, TileParts)> {
    let edition = Edition::built_in();
    TileKind::all().map(|kind| (kind, edition.tile(kind).clone())).collect()
}

#[test]
fn there_are_72_base_tiles_with_ten_shields_and_six_monasteries_and_twelve_with_a_drawbridge() {
    let mut base = [0; 4];
    for (kind, tile) in all() {
        let shields = tile.cities.iter().filter(|city| city.shield).count();
        let drawbridges = tile.roads.iter().filter(|road| road.drawbridge.is_some());
        let of_tile = [1, shields, usize::from(tile.monastery), drawbridges.count()];
        let copies = usize::from(Edition::count(kind));
        if kind.is_drawbridge_tile() {
            let [_, shields, monasteries, drawbridges] = of_tile;
            assert_eq!((copies, shields, monasteries), (1, 0, 0), "{kind}");
            assert!(drawbridges > 0, "{kind}");
        } else {
            base.iter_mut().zip(of_tile).for_each(|(sum, number)| *sum += copies * number);
        }
    }
    assert_eq!(base, [72, 10, 6, 0]);
}

/// The requirements cover every edge, every half-edge, and the cities that fields touch.
#[test]
fn base_tiles_meet_the_requirements_of_an_edition() {
    let tiles: Vec<TileParts> = all().into_iter().map(|(_, tile)| tile).collect();
    for tiles in tiles.chunks(12) {
        let name = "base".to_owned();
        let tiles = tiles.to_vec();
        assert_eq!(Edition::new(&EditionParts { name, tiles }).err(), None);
    }
}

/// A tile as a row of the tables in the documentation.
fn row(kind: TileKind, tile: &TileParts) -> String {
    let letters = |edges: &[Edge]| -> String { edges.iter().map(|edge| edge.letter()).collect() };
    let city = |first: &Edge| {
        let city = tile.cities.iter().find(|city| city.edges[0] == *first).unwrap();
        letters(&city.edges)
    };
    let list = |items: Vec<String>| {
        if items.is_empty() { "-".to_owned() } else { items.join(" / ") }
    };
    let edges: String = tile.edges.iter().map(|terrain| terrain.name()).collect();
    let cities =
        tile.cities.iter().map(|city| letters(&city.edges) + if city.shield { "+" } else { "" });
    let roads = tile.roads.iter().map(|road| {
        let gate = road.drawbridge.iter().map(|first| format!("->{}", city(first)));
        letters(&road.edges) + &gate.collect::<String>()
    });
    let fields = tile.fields.iter().map(|field| {
        let halves: Vec<String> =
            field.half_edges.iter().map(|half| half.name().to_ascii_uppercase()).collect();
        let touched: Vec<String> = field.cities.iter().map(city).collect();
        let at = if touched.is_empty() { "" } else { "@" };
        format!("{{{}}}{at}{}", halves.join(" "), touched.join(","))
    });
    let count = if kind.is_drawbridge_tile() {
        String::new()
    } else {
        format!(" {} |", Edition::count(kind))
    };
    format!(
        "| {kind} |{count} {edges} | {} | {} | {}{} |",
        list(cities.collect()),
        list(roads.collect()),
        list(fields.collect()),
        if tile.monastery { "; monastery" } else { "" }
    )
}

#[test]
fn the_documentation_describes_every_tile() {
    let page = include_str!("../../../../docs/rules/carcassonne-drawbridges.md");
    let missing: Vec<String> = all()
        .iter()
        .map(|(kind, tile)| row(*kind, tile))
        .filter(|row| !page.contains(row.as_str()))
        .collect();
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
}
