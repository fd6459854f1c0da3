//! Configs, edition data and the base tiles.

use std::sync::Arc;

use bridgemaster_games::carcassonne::{
    BASE_KINDS, CityParts, Config, Edge, Edition, EditionParts, FieldParts, HalfEdge, RoadParts,
    Terrain, TileKind, TileParts,
};

use super::v1;
use crate::games::{
    field::{WireEnum, at, each, enums, optional_to_wire},
    wire::{Below, WireError},
};

pub(super) fn to_wire(config: &Config) -> v1::Config {
    v1::Config {
        drawbridges: Some(config.drawbridges),
        fields: Some(config.fields),
        edition: Some(edition_to_wire(&config.edition)),
        base_tiles: base_tiles(&config.edition).collect(),
    }
}

pub(super) fn from_wire(config: &v1::Config) -> Result<Config, WireError> {
    let default = Config::default();
    let edition = match &config.edition {
        Some(edition) => Arc::new(edition_from_wire(edition).below("edition")?),
        None => default.edition,
    };
    check_base_tiles(&config.base_tiles, &edition)?;
    Ok(Config {
        drawbridges: config.drawbridges.unwrap_or(default.drawbridges),
        fields: config.fields.unwrap_or(default.fields),
        edition,
    })
}

/// The base tiles, which are the same in every edition.
fn base_tiles(edition: &Edition) -> impl Iterator<Item = v1::BaseTile> {
    TileKind::all().take(BASE_KINDS).map(|kind| v1::BaseTile {
        count: Edition::count(kind).into(),
        tile: Some(tile_to_wire(edition.tile(kind))),
    })
}

/// Checks that the list is empty or what the server sends.
fn check_base_tiles(tiles: &[v1::BaseTile], edition: &Edition) -> Result<(), WireError> {
    if tiles.is_empty() {
        return Ok(());
    }
    if tiles.len() != BASE_KINDS {
        let detail = format!(
            "must be empty or have {BASE_KINDS} entries, found {}",
            tiles.len()
        );
        return Err(WireError::new("base_tiles", detail));
    }
    let differing = tiles
        .iter()
        .zip(base_tiles(edition))
        .position(|(tile, base)| *tile != base);
    match differing {
        None => Ok(()),
        Some(place) => {
            let detail = "must be as the server sends it: the base tiles are the same in every \
                          match; the list may be left empty";
            Err(at("base_tiles", place, WireError::new("", detail)))
        }
    }
}

fn edition_to_wire(edition: &Edition) -> v1::Edition {
    v1::Edition {
        name: edition.name().to_owned(),
        tiles: edition.parts().tiles.iter().map(tile_to_wire).collect(),
    }
}

/// Reads edition data; the rules check what it says. They name its entries as the wire does.
fn edition_from_wire(edition: &v1::Edition) -> Result<Edition, WireError> {
    let parts = EditionParts {
        name: edition.name.clone(),
        tiles: each("tiles", &edition.tiles, tile_from_wire)?,
    };
    Ok(Edition::new(&parts)?)
}

fn tile_to_wire(tile: &TileParts) -> v1::Tile {
    v1::Tile {
        edges: to_numbers(&tile.edges),
        cities: tile
            .cities
            .iter()
            .map(|city| v1::CitySegment {
                edges: to_numbers(&city.edges),
                shield: city.shield,
            })
            .collect(),
        roads: tile
            .roads
            .iter()
            .map(|road| v1::RoadSegment {
                edges: to_numbers(&road.edges),
                drawbridge: optional_to_wire(road.drawbridge),
            })
            .collect(),
        fields: tile
            .fields
            .iter()
            .map(|field| v1::FieldSegment {
                half_edges: to_numbers(&field.half_edges),
                cities: to_numbers(&field.cities),
            })
            .collect(),
        monastery: tile.monastery,
    }
}

fn tile_from_wire(tile: &v1::Tile) -> Result<TileParts, WireError> {
    Ok(TileParts {
        edges: enums::<Terrain>("edges", &tile.edges)?,
        cities: each("cities", &tile.cities, |city| {
            Ok(CityParts {
                edges: enums::<Edge>("edges", &city.edges)?,
                shield: city.shield,
            })
        })?,
        roads: each("roads", &tile.roads, |road| {
            Ok(RoadParts {
                edges: enums::<Edge>("edges", &road.edges)?,
                drawbridge: Edge::optional_from_wire("drawbridge", road.drawbridge)?,
            })
        })?,
        fields: each("fields", &tile.fields, |field| {
            Ok(FieldParts {
                half_edges: enums::<HalfEdge>("half_edges", &field.half_edges)?,
                cities: enums::<Edge>("cities", &field.cities)?,
            })
        })?,
        monastery: tile.monastery,
    })
}

fn to_numbers<E: WireEnum + Copy>(values: &[E]) -> Vec<i32> {
    values.iter().map(|value| value.to_wire()).collect()
}
