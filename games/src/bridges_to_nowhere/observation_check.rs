//! Checks of an observation from outside: what the rules rely on.

use super::BridgesToNowhere;
use super::components::{
    CARDS_A_DRAFT, Card, MONUMENTS, OPEN_CARDS, PILLARS, PLAYERS, Piece, ROUNDS,
};
use super::config::Config;
use super::observation::{MAX_CATEGORY_POINTS, Observation, Phase, SeatView};
use super::setup::seat;
use crate::field_error::{check_at_table, check_range, holds, require};
use crate::{FieldError, Seat, SeatCount, Viewer, sample::check_table};

/// Nothing, or what is wrong.
type Checked = Result<(), FieldError>;

/// Checks all that does not need the structures.
pub(super) fn check(config: &Config, observation: &Observation) -> Checked {
    let seats = check_table::<BridgesToNowhere>(PLAYERS, observation.viewer)?;
    config.check(seats)?;
    check_at_table(seats, observation.first_drafter, "first_drafter")?;
    let Observation { game, round, .. } = *observation;
    holds("game", game < config.games, "is not below games")?;
    check_range("round", round, 0..=ROUNDS - 1)?;
    let played = usize::from(game) + usize::from(observation.phase == Phase::Over);
    let has_all = observation.results.len() == played;
    holds(
        "results",
        has_all,
        "must have one entry for each game that is over",
    )?;
    for (i, result) in observation.results.iter().enumerate() {
        for score in result.scores {
            let mut points = score.lines().into_iter();
            let most = points.all(|(_, points)| points <= MAX_CATEGORY_POINTS);
            let field = || format!("results[{i}].scores");
            require(most, field, "has more points than a game can bring")?;
        }
    }
    for (number, view) in observation.seats.iter().enumerate() {
        check_seat_view(observation, number, view)?;
        let own = observation.viewer == Viewer::Seat(seat(number as u8));
        let known = own && observation.phase == Phase::Build;
        let problem = "is known to the seat itself only, while a phase is built";
        let field = |name| move || format!("seats[{number}].{name}");
        require(known || view.placed.is_empty(), field("placed"), problem)?;
        require(known || !view.has_ended, field("has_ended"), problem)?;
    }
    check_table_cards(observation, seats)
}

/// A seat has no more than it can have taken.
fn check_seat_view(observation: &Observation, number: usize, view: &SeatView) -> Checked {
    let of_seat = |field: &str, is_right: bool, problem: &str| {
        require(is_right, || format!("seats[{number}].{field}"), problem)
    };
    let is_card = |piece: Piece| piece != Piece::Pillar;
    let cards = || view.structure.iter().filter(|placed| is_card(placed.piece));
    let shown = cards().filter(|placed| !view.placed.contains(placed));
    let over = observation.phase == Phase::Over;
    let rounds_built = usize::from(observation.round) + usize::from(over);
    let few = shown.count() <= rounds_built * CARDS_A_DRAFT;
    of_seat("structure", few, "has more cards than the seat has taken")?;
    let placed = view.placed.iter().filter(|placed| is_card(placed.piece));
    let few = placed.count() + view.cards.len() <= CARDS_A_DRAFT;
    let problem = "with those placed in this phase are more than three";
    of_seat("cards", few, problem)?;
    let pillars = view.structure.len() - cards().count() + usize::from(view.pillars);
    let all = pillars == usize::from(PILLARS);
    of_seat("pillars", all, "with those in the structure are not six")
}

/// A draft has cards to take for each seat in its turn, and no more monuments than there are.
fn check_table_cards(observation: &Observation, seats: SeatCount) -> Checked {
    let held = || observation.seats.iter().flat_map(|view| &view.cards);
    let placed = observation.seats.iter().flat_map(|view| &view.structure);
    let placed = placed.filter(|placed| placed.piece == Piece::Card(Card::Monument));
    let taken = held().filter(|card| **card == Card::Monument).count() + placed.count();
    let few = taken + usize::from(observation.monuments) <= usize::from(MONUMENTS);
    holds(
        "monuments",
        few,
        "with those of the seats are more than three",
    )?;
    let Phase::Draft { seat: asked } = observation.phase else {
        return Ok(());
    };
    check_at_table(seats, asked, "phase.seat")?;
    let count = |seat: Seat| observation.seats[seat.index()].cards.len();
    let ahead = usize::from(asked != observation.first_drafter);
    let own = count(asked);
    let is_turn = own < CARDS_A_DRAFT && held().count() == 2 * own + ahead;
    let problem = "is not the seat whose turn follows from the cards that were taken";
    holds("phase.seat", is_turn, problem)?;
    let taken = held().filter(|card| **card != Card::Monument).count();
    let all = observation.open.len() + taken == OPEN_CARDS;
    holds("open", all, "with those taken in this round are not six")
}
