//! Checks of an observation from outside: what the rules rely on.

use super::OldLondonBridge;
use super::bridge::is_descending;
use super::components::{BONUS_STACKS, OUTER_SPACES, TileKind};
use super::config::Config;
use super::observation::{Observation, Pawn, Phase, TurnStep};
use super::setup::{cards_a_round, check_faces, check_seat_order, rounds};
use super::turn_check::{Checked, check_cards, check_turns, of_seat};
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
    let is_in_play = observation.round < rounds(seats);
    holds("round", is_in_play, "is not below rounds")?;
    let outer = 0..=OUTER_SPACES as u8 - 1;
    check_range("orientation", observation.orientation, outer)?;
    check_range("marker", observation.marker, 1..=3)?;
    for seat in seats.seats() {
        check_seat(observation, seat, seats, config)?;
    }
    check_turns(observation, seats)?;
    check_cards(observation, seats)?;
    check_seat_order("chapel_order", &observation.chapel_order, seats)?;
    check_seat_order("gate_order", &observation.gate_order, seats)?;
    Ok(seats)
}

fn check_seat(observation: &Observation, seat: Seat, seats: SeatCount, config: &Config) -> Checked {
    let view = &observation.seats[seat.index()];
    for tile in TileKind::ALL {
        let (held, fresh) = (view.tiles[tile.index()], view.fresh_tiles[tile.index()]);
        let there = fresh <= held && usize::from(held) <= BONUS_STACKS;
        let problem = "is not what the seat took in this round, and up to three";
        require(there, || format!("seats[{seat}].tiles.{tile}"), problem)?;
    }
    let of_seat = |field, is_right, problem| of_seat(seat, field, is_right, problem);
    let money = (0..=MAX_MONEY).contains(&view.money);
    let chapel = view.chapel_position <= config.edition.chapel_last_space();
    let gate = view.gate_position <= config.edition.gate_last_space();
    let descends = is_descending(&view.bridge);
    let few = view.bridge.len() <= turns_built(observation, seat, seats);
    let on_board = !matches!(view.pawn, Pawn::Outer(space) if usize::from(space) >= OUTER_SPACES);
    of_seat("money", money, "is not in 0 to 1000000")?;
    of_seat("chapel_position", chapel, "is beyond the last space")?;
    of_seat("gate_position", gate, "is beyond the last space")?;
    of_seat("bridge", descends, "has a series that does not descend")?;
    of_seat("bridge", few, "has more buildings than the seat had turns")?;
    of_seat("pawn", on_board, "is on a space that is not in 0 to 5")
}

/// Turns of a seat that may have added a building so far.
fn turns_built(observation: &Observation, seat: Seat, seats: SeatCount) -> usize {
    let before = observation.round * cards_a_round(seats);
    let this_round = match observation.phase {
        Phase::Over => cards_a_round(seats).into(),
        Phase::Turn(view) => {
            let built = match view.step {
                TurnStep::Place | TurnStep::Replace { .. } => false,
                TurnStep::TakeTile { placed, .. } => placed,
                TurnStep::TakeCards { .. } | TurnStep::Finish => true,
            };
            let turns = observation.turns.iter();
            let done = turns.take(usize::from(view.turn) + usize::from(built));
            done.filter(|turn| turn.seat == seat).count()
        }
        _ => 0,
    };
    usize::from(before) + this_round
}
