//! Checks of an observation from outside: what the rules rely on.

use super::BridgesToNowhere;
use super::components::{
    CARDS_A_DRAFT, Card, MONUMENTS, OPEN_CARDS, PILLARS, PLAYERS, Piece, Placement, ROUNDS,
};
use super::config::Config;
use super::observation::{MAX_CATEGORY_POINTS, Observation, Phase};
use super::setup::SEATS;
use crate::field_error::{check_at_table, check_range, holds, require};
use crate::{FieldError, Rules, SeatCount, Viewer, sample::check_table};

/// Checks all that does not need the structures.
pub(super) fn check(config: &Config, observation: &Observation) -> Result<(), FieldError> {
    let seats = check_table::<BridgesToNowhere>(PLAYERS, observation.viewer)?;
    BridgesToNowhere::check_config(config, seats)?;
    check_at_table(seats, observation.first_drafter, "first_drafter")?;
    let Observation {
        game, round, phase, ..
    } = *observation;
    holds("game", game < config.games, "is not below games")?;
    check_range("round", round, 0..=ROUNDS - 1)?;
    let is_over = usize::from(phase == Phase::Over);
    let has_all = observation.results.len() == usize::from(game) + is_over;
    let problem = "must have one entry for each game that is over";
    holds("results", has_all, problem)?;
    for (i, result) in observation.results.iter().enumerate() {
        let mut lines = result.scores.iter().flat_map(|score| score.lines());
        let few = lines.all(|(_, points)| points <= MAX_CATEGORY_POINTS);
        let field = || format!("results[{i}].scores");
        require(few, field, "has more points than a game can bring")?;
    }
    // A seat has no more than it can have taken.
    let is_card = |placed: &&Placement| placed.piece != Piece::Pillar;
    for (seat, view) in SEATS.into_iter().zip(&observation.seats) {
        let of_seat = |field, is_right, problem| {
            require(is_right, || format!("seats[{seat}].{field}"), problem)
        };
        let cards = view.structure.iter().filter(is_card);
        let pillars = view.structure.len() - cards.clone().count() + usize::from(view.pillars);
        let shown = cards.filter(|placed| !view.placed.contains(placed)).count();
        let few = shown <= (usize::from(round) + is_over) * CARDS_A_DRAFT;
        of_seat("structure", few, "has more cards than the seat has taken")?;
        let placed = view.placed.iter().filter(is_card).count();
        let few = placed + view.cards.len() <= CARDS_A_DRAFT;
        let problem = "with those placed in this phase are more than three";
        of_seat("cards", few, problem)?;
        let all = pillars == usize::from(PILLARS);
        of_seat("pillars", all, "with those in the structure are not six")?;
        let known = observation.viewer == Viewer::Seat(seat) && phase == Phase::Build;
        let problem = "is known to the seat itself only, while a phase is built";
        of_seat("placed", known || view.placed.is_empty(), problem)?;
        of_seat("has_ended", known || !view.has_ended, problem)?;
    }
    check_table_cards(observation, seats)
}

/// A draft has cards to take for each seat in its turn, and no more monuments than there are.
fn check_table_cards(observation: &Observation, seats: SeatCount) -> Result<(), FieldError> {
    let held = || observation.seats.iter().flat_map(|view| &view.cards);
    let placed = observation.seats.iter().flat_map(|view| &view.structure);
    let placed = placed.filter(|placed| placed.piece == Piece::Card(Card::Monument));
    let held_monuments = held().filter(|card| **card == Card::Monument).count();
    let monuments = held_monuments + placed.count() + usize::from(observation.monuments);
    let few = monuments <= usize::from(MONUMENTS);
    let problem = "with those of the seats are more than three";
    holds("monuments", few, problem)?;
    let Phase::Draft { seat: asked } = observation.phase else {
        return Ok(());
    };
    check_at_table(seats, asked, "phase.seat")?;
    let ahead = usize::from(asked != observation.first_drafter);
    let (own, held_cards) = (observation.seats[asked.index()].cards.len(), held().count());
    let is_turn = own < CARDS_A_DRAFT && held_cards == 2 * own + ahead;
    let problem = "is not the seat whose turn follows from the cards that were taken";
    holds("phase.seat", is_turn, problem)?;
    let all = observation.open.len() + held_cards - held_monuments == OPEN_CARDS;
    holds("open", all, "with those taken in this round are not six")
}
