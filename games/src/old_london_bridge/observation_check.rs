//! Checks for an observation that came from outside. The checks cover all assumptions of the rules.

use super::OldLondonBridge;
use super::bridge::is_descending;
use super::components::{BONUS_STACKS, OUTER_SPACES, TileKind};
use super::config::Config;
use super::observation::{Observation, Pawn, Phase, TurnStep};
use super::setup::{cards_per_round, check_faces, check_seat_order, rounds};
use super::turn_check::{Checked, check_cards, check_turns, require_seat};
use crate::field_error::{check_range, require, require_at};
use crate::{FieldError, Game, Seat, SeatCount, sample::check_table};

/// The maximum money of a seat, in pounds. It is far more than a seat can earn in a match, and low
/// enough that sums cannot overflow.
const MAX_MONEY: i32 = 1_000_000;

/// Checks everything that does not require a state. Returns the number of seats.
pub(super) fn check(config: &Config, observation: &Observation) -> Result<SeatCount, FieldError> {
    let seats = check_table::<OldLondonBridge>(observation.seats.len(), observation.viewer)?;
    OldLondonBridge::check_config(config, seats)?;
    check_faces(&observation.faces, config)?;
    let is_in_play = observation.round < rounds(seats);
    require("round", is_in_play, "must be below `rounds`")?;
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
        let problem = "must be 0 to 3, and at least the number taken in this round";
        require_at(there, || format!("seats[{seat}].tiles.{tile}"), problem)?;
    }
    let require_seat = |field, is_right, problem| require_seat(seat, field, is_right, problem);
    let money = (0..=MAX_MONEY).contains(&view.money);
    let chapel = view.chapel_position <= config.edition.chapel_last_space();
    let gate = view.gate_position <= config.edition.gate_last_space();
    let descends = is_descending(&view.bridge);
    let few = view.bridge.len() <= turns_built(observation, seat, seats);
    let on_board = !matches!(view.pawn, Pawn::Outer(space) if usize::from(space) >= OUTER_SPACES);
    require_seat("money", money, "is out of range (0..=1000000)")?;
    require_seat("chapel_position", chapel, "is beyond the last space")?;
    require_seat("gate_position", gate, "is beyond the last space")?;
    require_seat("bridge", descends, "has a series that does not descend")?;
    require_seat("bridge", few, "has more buildings than the seat had turns")?;
    require_seat("pawn", on_board, "is on a space out of range (0..=5)")
}

/// Returns the maximum number of turns so far in which a seat can have added a building.
fn turns_built(observation: &Observation, seat: Seat, seats: SeatCount) -> usize {
    let before = observation.round * cards_per_round(seats);
    let this_round = match observation.phase {
        Phase::Over => cards_per_round(seats).into(),
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
