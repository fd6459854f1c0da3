//! Setups.

use bridgemaster_games::alhambra::{Config, MONEY_CARDS, Setup};

use super::{
    components::{building_from_wire, building_to_wire, money_card_from_wire, money_card_to_wire},
    v1,
};
use crate::games::{
    field::{exactly, list, number},
    wire::WireError,
};

/// Money cards below the first: the most that can lie above another card.
const MAX_PLACE: u8 = MONEY_CARDS as u8 - 1;

pub(super) fn to_wire(setup: &Setup) -> v1::Setup {
    v1::Setup {
        buildings: setup
            .buildings
            .iter()
            .map(|building| building_to_wire(*building))
            .collect(),
        money: setup
            .money
            .iter()
            .map(|card| money_card_to_wire(*card))
            .collect(),
        scoring_a_place: setup.scoring_a_place.into(),
        scoring_b_place: setup.scoring_b_place.into(),
    }
}

pub(super) fn from_wire(setup: &v1::Setup, _config: &Config) -> Result<Setup, WireError> {
    Ok(Setup {
        buildings: exactly("buildings", &setup.buildings, |_, building| {
            building_from_wire(building)
        })?,
        money: list("money", &setup.money, |_, card| money_card_from_wire(card))?,
        scoring_a_place: number("scoring_a_place", setup.scoring_a_place, 0..=MAX_PLACE)?,
        scoring_b_place: number("scoring_b_place", setup.scoring_b_place, 0..=MAX_PLACE)?,
    })
}
