//! Checks for an observation that came from outside. The checks cover all assumptions of the rules.

use super::BridgesToNowhere;
use super::components::{
    CARDS_PER_DRAFT, Card, MONUMENTS, OPEN_CARDS, PILLARS, PLAYERS, Piece, Placement, ROUNDS,
};
use super::config::{Config, NextCards};
use super::observation::{MAX_CATEGORY_POINTS, Observation, Phase};
use super::setup::SEATS;
use crate::field_error::{check_at_table, check_range, require};
use crate::{FieldError, Game, SeatCount, Viewer, sample::check_table};

/// Checks everything that does not depend on the structures.
pub(super) fn check(config: &Config, observation: &Observation) -> Result<(), FieldError> {
    let seats = check_table::<BridgesToNowhere>(PLAYERS, observation.viewer)?;
    BridgesToNowhere::check_config(config, seats)?;
    check_at_table(seats, observation.first_drafter, "first_drafter")?;
    let Observation { game, round, phase, .. } = *observation;
    require("game", game < config.games, "must be below `games`")?;
    check_range("round", round, 0..=ROUNDS - 1)?;
    let is_over = usize::from(phase == Phase::Over);
    let has_all = observation.results.len() == usize::from(game) + is_over;
    let problem = "must have one entry for each game that is over";
    require("results", has_all, problem)?;
    for (i, result) in observation.results.iter().enumerate() {
        let mut lines = result.scores.iter().flat_map(|score| score.lines());
        let few = lines.all(|(_, points)| points <= MAX_CATEGORY_POINTS);
        let problem = "exceeds the maximum points of a game";
        require(format_args!("results[{i}].scores"), few, problem)?;
    }
    // A seat must not have more cards than it can have drafted so far.
    let is_card = |placed: &&Placement| placed.piece != Piece::Pillar;
    for (seat, view) in SEATS.into_iter().zip(&observation.seats) {
        let of_seat = |field: &str, is_right, problem: &str| {
            require(format_args!("seats[{seat}].{field}"), is_right, problem)
        };
        let cards = view.structure.iter().filter(is_card);
        let pillars = view.structure.len() - cards.clone().count() + usize::from(view.pillars);
        let shown = cards.filter(|placed| !view.placed.contains(placed)).count();
        let few = shown <= (usize::from(round) + is_over) * CARDS_PER_DRAFT;
        of_seat("structure", few, "has more cards than the seat has taken")?;
        let placed = view.placed.iter().filter(is_card).count();
        let few = placed + view.cards.len() <= CARDS_PER_DRAFT;
        let problem = "must be at most three, including cards placed in this phase";
        of_seat("cards", few, problem)?;
        let all = pillars == usize::from(PILLARS);
        of_seat("pillars", all, "must be six, including placed pillars")?;
        let is_visible = observation.viewer == Viewer::Seat(seat) && phase == Phase::Build;
        let problem = "is visible to the seat itself only, and only during building";
        of_seat("placed", is_visible || view.placed.is_empty(), problem)?;
        of_seat("has_ended", is_visible || !view.has_ended, problem)?;
    }
    check_upcoming_cards(config, observation)?;
    check_table_cards(observation, seats)
}

/// Checks that each later round has six cards. During building, the cards of the next round may
/// already be on the table (N16). All other cards are unseen.
fn check_upcoming_cards(config: &Config, observation: &Observation) -> Result<(), FieldError> {
    let upcoming = usize::from(ROUNDS - 1 - observation.round) * OPEN_CARDS;
    let mut laid_out = 0;
    if observation.phase == Phase::Build {
        laid_out = match config.next_cards {
            NextCards::BeforeBuilding => upcoming.min(OPEN_CARDS),
            NextCards::AfterBuilding => 0,
        };
        let problem = format_args!("while building must have {laid_out} cards of the next round");
        require("open", observation.open.len() == laid_out, problem)?;
    }
    let unseen = upcoming - laid_out;
    let problem = format_args!("must have {unseen} cards: six for each round still to be laid out");
    require("unseen", observation.unseen.len() == unseen, problem)
}

/// Checks that a draft has enough cards for all remaining takes, and no more monuments than exist.
fn check_table_cards(observation: &Observation, seats: SeatCount) -> Result<(), FieldError> {
    let held = || observation.seats.iter().flat_map(|view| &view.cards);
    let placed = observation.seats.iter().flat_map(|view| &view.structure);
    let placed = placed.filter(|placed| placed.piece == Piece::Card(Card::Monument));
    let held_monuments = held().filter(|card| **card == Card::Monument).count();
    let monuments = held_monuments + placed.count() + usize::from(observation.monuments);
    let few = monuments <= usize::from(MONUMENTS);
    let problem = "with those of the seats are more than three";
    require("monuments", few, problem)?;
    let Phase::Draft { seat: drafter } = observation.phase else {
        return Ok(());
    };
    check_at_table(seats, drafter, "phase.seat")?;
    let ahead = usize::from(drafter != observation.first_drafter);
    let (own, held_cards) = (observation.seats[drafter.index()].cards.len(), held().count());
    let is_turn = own < CARDS_PER_DRAFT && held_cards == 2 * own + ahead;
    let problem = "is not the seat whose turn follows from the cards that were taken";
    require("phase.seat", is_turn, problem)?;
    let all = observation.open.len() + held_cards - held_monuments == OPEN_CARDS;
    require("open", all, "with those taken in this round are not six")
}
