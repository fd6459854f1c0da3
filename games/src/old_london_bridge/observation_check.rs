//! Checks of an observation from outside: what the rules rely on.

use super::OldLondonBridge;
use super::bridge::is_descending;
use super::components::{BONUS_STACKS, OUTER_SPACES, TileKind};
use super::config::Config;
use super::observation::{Observation, Pawn, Phase, TurnStep};
use super::setup::{check_faces, check_seat_order, rounds};
use super::turn_check::{Checked, check_cards, check_turns};
use crate::field_error::{check_range, holds, require};
use crate::{FieldError, Seat, SeatCount, sample::check_table};

/// Most money that a seat may have, in pounds: far above what a match can earn, and far from the
/// ends of the integer.
const MAX_MONEY: i32 = 1_000_000;

/// Checks all that does not need a state. Returns the number of seats.
pub(super) fn check(config: &Config, observation: &Observation) -> Result<SeatCount, FieldError> {
    let seats = check_table::<OldLondonBridge>(observation.seats.len(), observation.viewer)?;
    config.check(seats)?;
    check_faces(&observation.faces, config)?;
    holds(
        "round",
        observation.round < rounds(seats),
        "is not below rounds",
    )?;
    let outer = 0..=OUTER_SPACES as u8 - 1;
    check_range("orientation", observation.orientation, outer)?;
    check_range("marker", observation.marker, 1..=3)?;
    for seat in seats.seats() {
        check_seat(observation, seat, config)?;
    }
    check_turns(observation, seats)?;
    check_cards(observation, seats)?;
    check_seat_order("chapel_order", &observation.chapel_order, seats)?;
    check_seat_order("gate_order", &observation.gate_order, seats)?;
    Ok(seats)
}

fn check_seat(observation: &Observation, seat: Seat, config: &Config) -> Checked {
    let view = &observation.seats[seat.index()];
    let of_seat = |field: &str, is_right: bool, problem: &str| {
        require(is_right, || format!("seats[{seat}].{field}"), problem)
    };
    for tile in TileKind::ALL {
        let (held, fresh) = (view.tiles[tile.index()], view.fresh_tiles[tile.index()]);
        let there = fresh <= held && usize::from(held) <= BONUS_STACKS;
        let problem = "is not what the seat took in this round, and up to three";
        require(there, || format!("seats[{seat}].tiles.{tile}"), problem)?;
    }
    let money = (0..=MAX_MONEY).contains(&view.money);
    let chapel = view.chapel_position <= config.edition.chapel_last_space();
    let gate = view.gate_position <= config.edition.gate_last_space();
    let descends = is_descending(&view.bridge);
    let few = view.bridge.len() <= turns_built(observation, seat);
    let on_board = match view.pawn {
        Pawn::Outer(space) => usize::from(space) < OUTER_SPACES,
        Pawn::Off | Pawn::Centre => true,
    };
    of_seat("money", money, "is not in 0 to 1000000")?;
    of_seat("chapel_position", chapel, "is beyond the last space")?;
    of_seat("gate_position", gate, "is beyond the last space")?;
    of_seat("bridge", descends, "has a series that does not descend")?;
    of_seat("bridge", few, "has more buildings than the seat had turns")?;
    of_seat("pawn", on_board, "is on a space that is not in 0 to 5")
}

/// Turns of a seat that may have added a building so far.
fn turns_built(observation: &Observation, seat: Seat) -> usize {
    let per_round = if observation.seats.len() == 2 { 2 } else { 1 };
    let before = usize::from(observation.round) * per_round;
    let this_round = match observation.phase {
        Phase::Over => per_round,
        Phase::Turn(view) => {
            let built = match view.step {
                TurnStep::Place | TurnStep::Replace { .. } => false,
                TurnStep::TakeTile { placed, .. } => placed,
                TurnStep::TakeCards { .. } | TurnStep::Finish => true,
            };
            let done = observation
                .turns
                .iter()
                .take(usize::from(view.turn) + usize::from(built));
            done.filter(|turn| turn.seat == seat).count()
        }
        _ => 0,
    };
    before + this_round
}
