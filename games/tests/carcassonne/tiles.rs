//! The tile tables: the 72 base tiles and the twelve drawbridge tiles of the built-in edition as on
//! the rules page.

use bridgemaster_games::carcassonne::{
    BASE_KINDS, Edge, Edition, HalfEdge, Terrain, TileKind, TileParts,
};

fn all() -> Vec<(TileKind, TileParts)> {
    let edition = Edition::built_in();
    TileKind::all()
        .map(|kind| (kind, edition.tile(kind).clone()))
        .collect()
}

/// The total of `number` over the base tiles.
fn base(number: impl Fn(&TileParts) -> usize) -> usize {
    let tiles = all().into_iter().take(BASE_KINDS);
    tiles
        .map(|(kind, tile)| number(&tile) * usize::from(Edition::count(kind)))
        .sum()
}

#[test]
fn there_are_72_base_tiles_with_ten_shields_and_six_monasteries() {
    assert_eq!(base(|_| 1), 72);
    let shields = |tile: &TileParts| tile.cities.iter().filter(|city| city.shield).count();
    assert_eq!(base(shields), 10);
    assert_eq!(base(|tile| usize::from(tile.monastery)), 6);
}

#[test]
fn each_drawbridge_tile_is_there_once_without_shield_or_monastery() {
    for (kind, tile) in all().into_iter().skip(BASE_KINDS) {
        assert_eq!(Edition::count(kind), 1);
        assert!(!tile.monastery && tile.cities.iter().all(|city| !city.shield));
        assert!(
            tile.roads.iter().any(|road| road.drawbridge.is_some()),
            "{kind}"
        );
    }
}

#[test]
fn no_base_tile_has_a_drawbridge() {
    assert_eq!(
        base(|tile| tile
            .roads
            .iter()
            .filter(|road| road.drawbridge.is_some())
            .count()),
        0
    );
}

#[test]
fn every_half_edge_of_a_field_or_road_edge_is_in_exactly_one_field() {
    for (kind, tile) in all() {
        for half in HalfEdge::ALL {
            let has = tile
                .fields
                .iter()
                .filter(|field| field.half_edges.contains(&half));
            let is_city = tile.edges[half.edge().index()] == Terrain::City;
            assert_eq!(has.count(), usize::from(!is_city), "{half} of {kind}");
        }
    }
}

#[test]
fn every_city_and_road_edge_is_in_exactly_one_segment() {
    for (kind, tile) in all() {
        for edge in Edge::ALL {
            let cities = tile
                .cities
                .iter()
                .filter(|city| city.edges.contains(&edge))
                .count();
            let roads = tile
                .roads
                .iter()
                .filter(|road| road.edges.contains(&edge))
                .count();
            let expected = match tile.edges[edge.index()] {
                Terrain::Field => (0, 0),
                Terrain::Road => (0, 1),
                Terrain::City => (1, 0),
            };
            assert_eq!((cities, roads), expected, "{edge} of {kind}");
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
