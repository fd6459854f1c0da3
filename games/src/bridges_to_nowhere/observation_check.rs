//! Checks of an observation from outside: what the rules rely on.

use super::BridgesToNowhere;
use super::components::{
    CARDS_A_DRAFT, Card, MONUMENTS, OPEN_CARDS, PILLARS, PLAYERS, Piece, ROUNDS,
};
use super::config::Config;
use super::observation::{MAX_CATEGORY_POINTS, Observation, Phase, SeatScore, SeatView};
use super::setup::seat;
use crate::field_error::{check_at_table, check_table, require};
use crate::{FieldError, Rules, Seat, SeatCount, Viewer};

/// Nothing, or what is wrong.
type Checked = Result<(), FieldError>;

/// Checks all that does not need the structures.
pub(super) fn check(config: &Config, observation: &Observation) -> Checked {
    let seats = check_table(PLAYERS, observation.viewer, BridgesToNowhere::SEATS)?;
    config.check(seats)?;
    check_at_table(seats, observation.first_drafter, "first_drafter")?;
    let Observation { game, round, .. } = *observation;
    require(game < config.games, || "game".into(), "is not below games")?;
    require(round < ROUNDS, || "round".into(), "is not in 0 to 3")?;
    let played = usize::from(game) + usize::from(observation.phase == Phase::Over);
    let problem = "must have one entry for each game that is over";
    require(
        observation.results.len() == played,
        || "results".into(),
        problem,
    )?;
    for (i, result) in observation.results.iter().enumerate() {
        for score in result.scores {
            let SeatScore {
                numbers,
                tolls,
                monuments,
                symbols,
                contract,
            } = score;
            let points = [numbers, tolls, monuments, symbols, contract];
            let most = points.into_iter().max() <= Some(MAX_CATEGORY_POINTS);
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
    let field = |name: &str| format!("seats[{number}].{name}");
    let is_card = |piece: Piece| piece != Piece::Pillar;
    let cards = || view.structure.iter().filter(|placed| is_card(placed.piece));
    let shown = cards().filter(|placed| !view.placed.contains(placed));
    let over = observation.phase == Phase::Over;
    let rounds_built = usize::from(observation.round) + usize::from(over);
    let problem = "has more cards than the seat has taken";
    require(
        shown.count() <= rounds_built * CARDS_A_DRAFT,
        || field("structure"),
        problem,
    )?;
    let placed = view
        .placed
        .iter()
        .filter(|placed| is_card(placed.piece))
        .count();
    let problem = "with those placed in this phase are more than three";
    require(
        placed + view.cards.len() <= CARDS_A_DRAFT,
        || field("cards"),
        problem,
    )?;
    let pillars = view.structure.len() - cards().count() + usize::from(view.pillars);
    let problem = "with those in the structure are not six";
    require(
        pillars == usize::from(PILLARS),
        || field("pillars"),
        problem,
    )
}

/// A draft has cards to take for each seat in its turn, and no more monuments than there are.
fn check_table_cards(observation: &Observation, seats: SeatCount) -> Checked {
    let held = || observation.seats.iter().flat_map(|view| &view.cards);
    let placed = observation.seats.iter().flat_map(|view| &view.structure);
    let placed = placed
        .filter(|placed| placed.piece == Piece::Card(Card::Monument))
        .count();
    let monuments = held().filter(|card| **card == Card::Monument).count() + placed;
    require(
        monuments + usize::from(observation.monuments) <= usize::from(MONUMENTS),
        || "monuments".into(),
        "with those of the seats are more than three",
    )?;
    let Phase::Draft { seat: asked } = observation.phase else {
        return Ok(());
    };
    check_at_table(seats, asked, "phase.seat")?;
    let count = |seat: Seat| observation.seats[seat.index()].cards.len();
    let (own, ahead) = (
        count(asked),
        usize::from(asked != observation.first_drafter),
    );
    require(
        own < CARDS_A_DRAFT && held().count() == 2 * own + ahead,
        || "phase.seat".into(),
        "is not the seat whose turn follows from the cards that were taken",
    )?;
    let taken = held().filter(|card| **card != Card::Monument).count();
    require(
        observation.open.len() + taken == OPEN_CARDS,
        || "open".into(),
        "with those taken in this round are not six",
    )
}
