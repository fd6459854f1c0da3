//! Setups.

use bridgemaster_games::old_london_bridge::{
    BUILDINGS, BuildingId, Config, Edition, OUTER_SPACES, Setup, TileKind,
};

use super::{
    components::{faces_from_wire, faces_to_wire, numbers, seat},
    config::bonus_to_wire,
    v1,
};
use crate::games::{
    field::{WireEnum, exactly, list, number, required},
    wire::WireError,
};

pub(super) fn to_wire(setup: &Setup) -> v1::Setup {
    v1::Setup {
        orientation: setup.orientation.into(),
        stacks: setup
            .stacks
            .iter()
            .map(|stack| v1::BuildingOrder {
                buildings: stack
                    .iter()
                    .map(|building| building.index() as u32)
                    .collect(),
            })
            .collect(),
        markers: numbers(&setup.markers),
        bonus_stacks: setup
            .bonus_stacks
            .iter()
            .map(|stack| bonus_to_wire(stack))
            .collect(),
        stairs: setup
            .stairs
            .iter()
            .map(|seat| seat.number().into())
            .collect(),
        faces: Some(faces_to_wire(&setup.faces)),
    }
}

pub(super) fn from_wire(setup: &v1::Setup, config: &Config) -> Result<Setup, WireError> {
    let edition = &config.edition;
    Ok(Setup {
        orientation: number("orientation", setup.orientation, 0..=OUTER_SPACES as u8 - 1)?,
        stacks: exactly("stacks", &setup.stacks, |_, stack| {
            exactly("buildings", &stack.buildings, |item, &place| {
                building(item, place, edition)
            })
        })?,
        markers: list("markers", &setup.markers, |item, &marker| {
            number(item, marker, 1..=3)
        })?,
        bonus_stacks: exactly("bonus_stacks", &setup.bonus_stacks, |_, stack| {
            exactly("tiles", &stack.tiles, |item, &tile| {
                TileKind::from_wire(item, tile)
            })
        })?,
        stairs: list("stairs", &setup.stairs, |item, &number| seat(item, number))?,
        faces: required("faces", setup.faces.as_ref(), faces_from_wire)?,
    })
}

/// The building at a position in [`Edition::buildings`].
fn building(field: &str, place: u32, edition: &Edition) -> Result<BuildingId, WireError> {
    let place = number(field, place, 0..=BUILDINGS as u8 - 1)?;
    let building = edition.buildings()[usize::from(place)];
    edition.find(building).ok_or_else(|| {
        WireError::new(
            field,
            format!("{building} is not in the edition {}", edition.name()),
        )
    })
}
