//! Checks of an observation from outside: what the rules rely on.

use super::OldLondonBridge;
use super::bridge::is_descending;
use super::components::{BONUS_STACKS, OUTER_SPACES, TileKind};
use super::config::Config;
use super::observation::{Observation, Pawn, Phase, TurnStep};
use super::setup::{check_faces, check_seat_order, rounds};
use super::turn_check::{Checked, check_cards, check_turns};
use crate::field_error::{check_table, require};
use crate::{FieldError, Rules, Seat, SeatCount};

/// Most money that a seat may have, in pounds: far above what a match can earn, and far from the
/// ends of the integer.
const MAX_MONEY: i32 = 1_000_000;

/// Checks all that does not need a state. Returns the number of seats.
pub(super) fn check(config: &Config, observation: &Observation) -> Result<SeatCount, FieldError> {
    let seats = check_table(
        observation.seats.len(),
        observation.viewer,
        OldLondonBridge::SEATS,
    )?;
    config.check(seats)?;
    check_faces(&observation.faces, config)?;
    let in_play = observation.round < rounds(seats);
    require(in_play, || "round".into(), "is not below rounds")?;
    let on_rondel = usize::from(observation.orientation) < OUTER_SPACES;
    require(on_rondel, || "orientation".into(), "is not in 0 to 5")?;
    let marker = (1..=3).contains(&observation.marker);
    require(marker, || "marker".into(), "is not in 1 to 3")?;
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
    let field = |name: &str| format!("seats[{seat}].{name}");
    for tile in TileKind::ALL {
        let (held, fresh) = (view.tiles[tile.index()], view.fresh_tiles[tile.index()]);
        let there = fresh <= held && usize::from(held) <= BONUS_STACKS;
        let field = || field(&format!("tiles.{tile}"));
        require(
            there,
            field,
            "is not what the seat took in this round, and up to three",
        )?;
    }
    let money = (0..=MAX_MONEY).contains(&view.money);
    require(money, || field("money"), "is not in 0 to 1000000")?;
    let chapel = view.chapel_position <= config.edition.chapel_last_space();
    require(
        chapel,
        || field("chapel_position"),
        "is beyond the last space",
    )?;
    let gate = view.gate_position <= config.edition.gate_last_space();
    require(gate, || field("gate_position"), "is beyond the last space")?;
    let descends = is_descending(&view.bridge);
    require(
        descends,
        || field("bridge"),
        "has a series that does not descend",
    )?;
    let turns = turns_built(observation, seat);
    let few = view.bridge.len() <= turns;
    require(
        few,
        || field("bridge"),
        "has more buildings than the seat had turns",
    )?;
    let on_board = match view.pawn {
        Pawn::Outer(space) => usize::from(space) < OUTER_SPACES,
        Pawn::Off | Pawn::Centre => true,
    };
    require(
        on_board,
        || field("pawn"),
        "is on a space that is not in 0 to 5",
    )
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
