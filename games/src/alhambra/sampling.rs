//! Creation of observations, and sampling of states that are consistent with an observation.

use arrayvec::ArrayVec;

use super::Alhambra;
use super::building::{Building, Buildings};
use super::components::{
    BUILDINGS, CURRENCIES, DUMMY_BUILDINGS, MAX_OWNERS, MAX_PLAYERS, MAX_SHUFFLES, MONEY_CARDS,
    ROW_CARDS,
};
use super::config::Config;
use super::money::{Money, MoneyCard};
use super::observation::{DummyView, Observation, Phase, Points, SeatView};
use super::pile::{BuildingPile, MoneyPile};
use super::setup::{Deal, Setup, copies};
use super::state::State;
use crate::field_error::{check_at_table, require};
use crate::{ChanceStream, FieldError, Sample, SeatCount, Viewer, sample::check_table};

impl Sample for Alhambra {
    type Observation = Observation;

    fn observe(state: &State, viewer: Viewer) -> Observation {
        let mut unseen_money = Money::all(copies(state.seats)).minus(&state.discard);
        let mut open = Money::EMPTY;
        state.row.cards().for_each(|card| open.insert(card));
        unseen_money = unseen_money.minus(&open);
        let mut unseen_buildings = Buildings::ALL;
        for (hand, owned) in state.hands.iter().zip(&state.buildings) {
            unseen_money = unseen_money.minus(hand);
            unseen_buildings = unseen_buildings.minus(*owned);
        }
        for building in state.yard.into_iter().flatten() {
            unseen_buildings = unseen_buildings.minus(Buildings::EMPTY.with(building));
        }
        let seat = |index: usize| SeatView {
            hand: state.hands[index],
            buildings: state.buildings[index],
            points: state.points[index],
        };
        Observation {
            viewer,
            phase: state.phase,
            turn_purchases: state.turn_purchases.clone(),
            seats: state.seats.seats().map(|s| seat(s.index())).collect(),
            dummy: state.has_dummy().then(|| DummyView {
                buildings: state.buildings[state.dummy_index()],
                points: state.points[state.dummy_index()],
            }),
            yard: state.yard,
            row: state.row,
            discard: state.discard,
            unseen_money,
            unseen_buildings,
            scoring_cards: state.money_pile.scoring_ranges(),
            shuffles: state.shuffles,
        }
    }

    fn viewer(observation: &Observation) -> Viewer {
        observation.viewer
    }

    /// Draws both piles' orders and the positions of the scoring cards.
    fn draw_state(
        config: &Config,
        observation: &Observation,
        chance: &mut ChanceStream,
    ) -> Result<State, FieldError> {
        let seats = check(observation)?;

        let mut money: ArrayVec<MoneyCard, MONEY_CARDS> =
            observation.unseen_money.cards().collect();
        chance.shuffle(&mut money);
        let mut money_pile = MoneyPile::new(&money);
        for (card, range) in observation.scoring_cards.into_iter().enumerate() {
            if let Some(range) = range {
                money_pile.put(card, range.first + range.draw(chance), range);
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
            building_pile: BuildingPile::new(&buildings, Building::FIRST),
            shuffles: observation.shuffles,
        })
    }

    /// Redraws the piles' orders and the positions of the scoring cards.
    fn redeal(
        _config: &Config,
        seats: SeatCount,
        setup: &Setup,
        _viewer: Viewer,
        chance: &mut ChanceStream,
    ) -> Setup {
        let mut setup = setup.clone();
        let laid = CURRENCIES + usize::from(if seats.get() == 2 { DUMMY_BUILDINGS } else { 0 });
        chance.shuffle(&mut setup.buildings[laid..]);
        let deal = Deal::new(&setup.money, seats);
        chance.shuffle(&mut setup.money[deal.cards + ROW_CARDS..]);
        let ranges = deal.scoring_places;
        [setup.scoring_a_place, setup.scoring_b_place] = ranges.map(|range| range.draw(chance));
        setup
    }
}

/// Checks all assumptions of the rules about an observation. Returns the number of seats.
fn check(observation: &Observation) -> Result<SeatCount, FieldError> {
    let seats = check_table::<Alhambra>(observation.seats.len(), observation.viewer)?;
    check_money(observation, seats)?;
    check_buildings(observation)?;
    let few = observation.shuffles < MAX_SHUFFLES;
    require("shuffles", few, "is not below the number of buildings")?;
    for (i, range) in observation.scoring_cards.iter().enumerate() {
        let rises = range.is_none_or(|range| range.first <= range.last);
        let problem = "`first` must not exceed `last`";
        require(format_args!("scoring_cards[{i}]"), rises, problem)?;
    }
    match observation.phase {
        Phase::Turn { seat } => {
            check_at_table(seats, seat, "phase.seat")?;
            let empty = observation.yard.iter().filter(|slot| slot.is_none());
            let problem = "must be full, except for the slots of this turn's purchases";
            let full = empty.count() == observation.turn_purchases.len();
            require("yard", full, problem)
        }
        Phase::Shuffle { seat } => {
            check_at_table(seats, seat, "phase.seat")?;
            let is_short = observation.row.len() < ROW_CARDS;
            let is_due = is_short && observation.unseen_money.is_empty();
            let problem = "a shuffle is due only with a short row, an empty pile and a discard";
            require("phase", is_due && !observation.discard.is_empty(), problem)
        }
        Phase::Over => Ok(()),
    }?;
    Ok(seats)
}

/// Checks that every money card of the match is in exactly one place.
fn check_money(observation: &Observation, seats: SeatCount) -> Result<(), FieldError> {
    let hands = observation.seats.iter().map(|seat| &seat.hand);
    let all = hands.chain([&observation.discard, &observation.unseen_money]);
    let copies = copies(seats);
    for card in MoneyCard::all() {
        let held: u8 = all.clone().map(|money| money.count(card)).sum();
        let open = observation.row.cards().filter(|other| *other == card);
        let found = held + open.count() as u8;
        let problem = format_args!(
            "with hands, open row and discard there are {found} of {card} instead of {copies}"
        );
        require("unseen_money", found == copies, problem)?;
    }
    Ok(())
}

/// Checks that every building is in exactly one place.
fn check_buildings(observation: &Observation) -> Result<(), FieldError> {
    let seats = observation.seats.iter().map(|seat| seat.buildings);
    let dummy = observation.dummy.iter().map(|dummy| dummy.buildings);
    let all = seats.chain(dummy).chain([observation.unseen_buildings]);
    for building in Building::all() {
        let held: u8 = all.clone().map(|buildings| buildings.count(building)).sum();
        let open = observation.yard.iter().flatten();
        let found = held + open.filter(|other| **other == building).count() as u8;
        let copies = building.copies();
        let problem = format_args!(
            "with owners and yard there are {found} of {building} instead of {copies}"
        );
        require("unseen_buildings", found == copies, problem)?;
    }
    Ok(())
}
