//! The tile tables: the 72 base tiles and the twelve drawbridge tiles of the built-in edition as on
//! the rules page.

use bridgemaster_games::carcassonne::{Edge, Edition, HalfEdge, Terrain, TileKind, TileParts};

fn all() -> Vec<(TileKind, TileParts)> {
    let edition = Edition::built_in();
    TileKind::all()
        .map(|kind| (kind, edition.tile(kind).clone()))
        .collect()
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
            base.iter_mut()
                .zip(of_tile)
                .for_each(|(sum, number)| *sum += copies * number);
        }
    }
    assert_eq!(base, [72, 10, 6, 0]);
}

#[test]
fn every_edge_is_in_one_city_or_road_and_every_half_edge_of_the_others_in_one_field() {
    for (kind, tile) in all() {
        for edge in Edge::ALL {
            let cities = tile.cities.iter().filter(|city| city.edges.contains(&edge));
            let roads = tile.roads.iter().filter(|road| road.edges.contains(&edge));
            let fields = edge.halves().map(|half| {
                let fields = tile.fields.iter();
                fields
                    .filter(|field| field.half_edges.contains(&half))
                    .count()
            });
            let expected = match tile.edges[edge.index()] {
                Terrain::Field => (0, 0, [1, 1]),
                Terrain::Road => (0, 1, [1, 1]),
                Terrain::City => (1, 0, [0, 0]),
            };
            assert_eq!(
                (cities.count(), roads.count(), fields),
                expected,
                "{edge} of {kind}"
            );
        }
    }
}

#[test]
fn city_adjacency_is_complete() {
    let mut corners = 0;
    for (kind, tile) in all() {
        let touches = |half: HalfEdge, city: Edge| {
            let field = tile
                .fields
                .iter()
                .find(|field| field.half_edges.contains(&half))
                .unwrap();
            let city = tile
                .cities
                .iter()
                .find(|parts| parts.edges.contains(&city))
                .unwrap();
            assert!(field.cities.contains(&city.edges[0]), "{half} of {kind}");
        };
        for (place, edge) in Edge::ALL.into_iter().enumerate() {
            // The field beside a city's corner on the border of the tile touches the city.
            let next = Edge::ALL[(place + 1) % 4];
            let is_city = |edge: Edge| tile.edges[edge.index()] == Terrain::City;
            if is_city(edge) && !is_city(next) {
                touches(next.halves()[0], edge);
                corners += 1;
            }
            if !is_city(edge) && is_city(next) {
                touches(edge.halves()[1], next);
                corners += 1;
            }
        }
        // So do the fields on both sides of a road that ends at the city.
        for road in &tile.roads {
            if let Some(city) = road.drawbridge {
                touches(road.edges[0].halves()[0], city);
                touches(road.edges[0].halves()[1], city);
            }
        }
    }
    assert_eq!(corners, 68);
}

/// A tile as a row of the tables in the documentation.
fn row(kind: TileKind, tile: &TileParts) -> String {
    let letters = |edges: &[Edge]| -> String { edges.iter().map(|edge| edge.letter()).collect() };
    let city = |first: &Edge| {
        let city = tile
            .cities
            .iter()
            .find(|city| city.edges[0] == *first)
            .unwrap();
        letters(&city.edges)
    };
    let list = |items: Vec<String>| {
        if items.is_empty() {
            "-".to_owned()
        } else {
            items.join(" / ")
        }
    };
    let edges: String = tile.edges.iter().map(|terrain| terrain.name()).collect();
    let cities = tile
        .cities
        .iter()
        .map(|city| letters(&city.edges) + if city.shield { "+" } else { "" });
    let roads = tile.roads.iter().map(|road| {
        let gate = road
            .drawbridge
            .iter()
            .map(|first| format!("->{}", city(first)));
        letters(&road.edges) + &gate.collect::<String>()
    });
    let fields = tile.fields.iter().map(|field| {
        let halves: Vec<String> = field
            .half_edges
            .iter()
            .map(|half| half.name().to_ascii_uppercase())
            .collect();
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
fn the_documentation_has_every_tile_as_it_is() {
    let page = include_str!("../../../docs/rules/carcassonne-drawbridges.md");
    let missing: Vec<String> = all()
        .iter()
        .map(|(kind, tile)| row(*kind, tile))
        .filter(|row| !page.contains(row.as_str()))
        .collect();
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
}
