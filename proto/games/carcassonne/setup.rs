//! Setups.

use bridgemaster_games::carcassonne::{Config, Setup, TileKind};

use super::{components::seat, v1};
use crate::games::{
    field::{WireEnum, list},
    wire::WireError,
};

pub(super) fn to_wire(setup: &Setup) -> v1::Setup {
    v1::Setup {
        first_seat: setup.first.number().into(),
        tiles: setup.tiles.iter().map(|tile| tile.to_wire()).collect(),
    }
}

pub(super) fn from_wire(setup: &v1::Setup, _config: &Config) -> Result<Setup, WireError> {
    Ok(Setup {
        first: seat("first_seat", setup.first_seat)?,
        tiles: list("tiles", &setup.tiles, |item, &tile| {
            TileKind::from_wire(item, tile)
        })?,
    })
}
