//! Drawing a state that an observation allows.

use arrayvec::ArrayVec;

use super::building::{Building, Buildings};
use super::components::{BUILDINGS, MAX_OWNERS, MAX_PLAYERS, MONEY_CARDS};
use super::config::Config;
use super::money::{Money, MoneyCard};
use super::observation::{Observation, Points};
use super::observation_check::check;
use super::pile::{BuildingPile, MoneyPile};
use super::setup::SetupError;
use super::state::State;
use crate::ChanceStream;

/// Draws a state that `observation` allows, the hidden facts uniformly: the orders of both piles
/// and the places of the scoring cards.
pub(super) fn sample(
    config: &Config,
    observation: &Observation,
    chance: &mut ChanceStream,
) -> Result<State, SetupError> {
    let seats = check(config, observation)?;

    let mut money: ArrayVec<MoneyCard, MONEY_CARDS> = observation.unseen_money.cards().collect();
    chance.shuffle(&mut money);
    let mut money_pile = MoneyPile::new(&money);
    for (card, range) in observation.scoring_cards.into_iter().enumerate() {
        if let Some(range) = range {
            let places = u32::from(range.last - range.first) + 1;
            let above = range.first + chance.below(places) as u8;
            money_pile.put(card, above, range);
        }
    }
    let mut buildings: ArrayVec<Building, BUILDINGS> =
        observation.unseen_buildings.iter().collect();
    chance.shuffle(&mut buildings);

    let mut hands = [Money::EMPTY; MAX_PLAYERS];
    let mut owned = [Buildings::EMPTY; MAX_OWNERS];
    let mut points = [Points::default(); MAX_OWNERS];
    for (i, seat) in observation.seats.iter().enumerate() {
        (hands[i], owned[i], points[i]) = (seat.hand, seat.buildings, seat.points);
    }
    if let Some(dummy) = observation.dummy {
        let place = usize::from(seats.get());
        (owned[place], points[place]) = (dummy.buildings, dummy.points);
    }
    Ok(State {
        config: *config,
        seats,
        phase: observation.phase,
        turn_purchases: observation.turn_purchases.clone(),
        hands,
        buildings: owned,
        points,
        yard: observation.yard,
        row: observation.row,
        discard: observation.discard,
        money_pile,
        building_pile: BuildingPile::of_rest(&buildings),
        shuffles: observation.shuffles,
    })
}
