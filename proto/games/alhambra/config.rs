//! Configs.

use bridgemaster_games::alhambra::{Config, DummyPlaces, WithoutBuildings};

use super::v1;
use crate::games::{
    field::{WireEnum, wire_enum},
    wire::WireError,
};

wire_enum!(WithoutBuildings = v1::WithoutBuildings { NoPlace Place });
wire_enum!(DummyPlaces = v1::DummyPlaces { All FirstOnly });

pub(super) fn to_wire(config: &Config) -> v1::Config {
    v1::Config {
        without_buildings: config.without_buildings.to_wire(),
        dummy_places: config.dummy_places.to_wire(),
    }
}

pub(super) fn from_wire(config: &v1::Config) -> Result<Config, WireError> {
    let without_buildings =
        WithoutBuildings::optional_from_wire("without_buildings", config.without_buildings)?;
    let dummy_places = DummyPlaces::optional_from_wire("dummy_places", config.dummy_places)?;
    Ok(Config {
        without_buildings: without_buildings.unwrap_or_default(),
        dummy_places: dummy_places.unwrap_or_default(),
    })
}
