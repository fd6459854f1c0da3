//! Checks for an observation that came from outside. The checks cover all assumptions of the rules.

use super::OldLondonBridge;
use super::building::{is_appended, is_descending};
use super::components::{BONUS_STACKS, BRIDGE_SLOTS, CARD_VALUES, CARDS, OUTER_SPACES, TileKind};
use super::config::Config;
use super::observation::{Observation, Pawn, Phase, TurnStep, TurnView};
use super::setup::{cards_per_round, check_faces, check_seat_order, rounds};
use super::state::State;
use crate::field_error::{check_at_table, check_range, require};
use crate::sample::check_table;
use crate::{FieldError, Game, Seat, SeatCount};

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
        require(format_args!("seats[{seat}].tiles.{tile}"), there, problem)?;
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

/// The result of a check.
type Checked = Result<(), FieldError>;

/// Returns an error for a seat's field unless `is_right`.
fn require_seat(seat: Seat, field: &str, is_right: bool, problem: &str) -> Checked {
    require(format_args!("seats[{seat}].{field}"), is_right, problem)
}

/// Checks that choices, raises and turns are consistent with the phase.
fn check_turns(observation: &Observation, seats: SeatCount) -> Checked {
    let revealed = matches!(observation.phase, Phase::RaiseCards { .. } | Phase::Turn(_));
    let choosing = observation.phase == Phase::ChooseCards;
    let all_chosen = observation.seats.iter().all(|view| view.has_chosen);
    let is_consistent = !choosing || !all_chosen;
    require("phase", is_consistent, "every seat has chosen already")?;
    for (seat, view) in seats.seats().zip(&observation.seats) {
        let require_seat = |field, is_right, problem| require_seat(seat, field, is_right, problem);
        let chosen = view.has_chosen == revealed || choosing;
        require_seat("has_chosen", chosen, "does not match the phase")?;
        let matches_phase = view.played.is_some() == revealed || choosing;
        require_seat("played", matches_phase, "does not match the phase")?;
        let few = view.raises.into_iter().map(usize::from).sum::<usize>() <= BONUS_STACKS;
        require_seat("raises", few, "spends more than the three plus_one tiles")?;
        let Some(cards) = view.played else { continue };
        let count = cards.values().count() == usize::from(cards_per_round(seats));
        require_seat("played", count, "must be the cards of one round")?;
        let in_range = cards.values().all(|card| usize::from(card) < CARD_VALUES);
        require_seat("played", in_range, "has a card out of range (0..=4)")?;
        let ordered = cards.values().is_sorted_by(|first, second| first >= second);
        require_seat("played", ordered, "must have the higher card first")?;
    }
    for (i, turn) in observation.turns.iter().enumerate() {
        check_at_table(seats, turn.seat, format_args!("turns[{i}].seat"))?;
        let in_range = usize::from(turn.card) < CARD_VALUES;
        require(format_args!("turns[{i}].card"), in_range, "is out of range (0..=4)")?;
    }
    Ok(())
}

/// Checks that each card occurs exactly as often as in the box.
fn check_cards(observation: &Observation, seats: SeatCount) -> Checked {
    let own_zeros = u32::from(cards_per_round(seats));
    let mut total = observation.supply.map(u32::from);
    require("supply[0]", total[0] == 0, "must be 0")?;
    for (seat, view) in seats.seats().zip(&observation.seats) {
        let mut cards = view.hand.map(u32::from);
        match observation.phase {
            Phase::RaiseCards { .. } => {
                let played = view.played.iter().flat_map(|cards| cards.values());
                played.for_each(|card| cards[usize::from(card)] += 1);
            }
            Phase::Turn(turn) => {
                let waiting = observation.turns.iter().skip(usize::from(turn.turn) + 1);
                let own = waiting.filter(|turn| turn.seat == seat);
                own.for_each(|turn| cards[usize::from(turn.card)] += 1);
            }
            _ => {}
        }
        let zeros = cards[0] == own_zeros;
        require_seat(seat, "hand[0]", zeros, "must count the seat's own cards")?;
        for value in 1..CARD_VALUES {
            total[value] += cards[value];
        }
    }
    for value in 1..CARD_VALUES {
        let complete = total[value] == u32::from(CARDS[value]);
        let problem = "with hands and played cards is not the number in the box";
        require(format_args!("supply[{value}]"), complete, problem)?;
    }
    Ok(())
}

/// Checks that the phase has a legal decision in this state.
pub(super) fn check_phase(state: &State) -> Checked {
    match state.phase {
        Phase::TakeA2 { seat } | Phase::RaiseCards { seat }
            if !state.fixed.seats.contains(seat) =>
        {
            FieldError::refuse("phase", "names a seat that is not at the table")
        }
        Phase::TakeA2 { seat } => {
            let usable = state.seat(seat).usable(TileKind::TakeA2) > 0 && state.supply[2] > 0;
            require("phase", usable, "names a seat that cannot take a 2")
        }
        Phase::RaiseCards { seat } => {
            let usable = state.seat(seat).usable(TileKind::PlusOne) > 0;
            require("phase", usable, "names a seat that cannot raise")?;
            let mut later = state.chapel_order[..=state.chapel_rank(seat)].iter();
            let open = later.all(|&seat| state.seat(seat).raises == [0, 0]);
            require("phase", open, "has raises of seats that have not decided yet")
        }
        Phase::Turn(view) => check_turn(state, view),
        Phase::ChooseCards | Phase::Over => Ok(()),
    }
}

fn check_turn(state: &State, view: TurnView) -> Checked {
    let Some(turn) = state.turns.get(usize::from(view.turn)) else {
        return FieldError::refuse("phase.turn", "is not below the number of turns");
    };
    let finishing = matches!(view.step, TurnStep::Finish | TurnStep::TakeTile { placed: true, .. });
    let recalled = !view.recalled || (finishing && turn.card > 0);
    require("phase", recalled, "has a recall where none is legal")?;
    let is_consistent = match view.step {
        TurnStep::Place | TurnStep::Finish => true,
        TurnStep::Replace { building } => {
            building.number.is_some() && !is_appended(&state.seat(turn.seat).bridge, building)
        }
        TurnStep::TakeTile { owed, .. } => (1..=state.tiles_left()).contains(&owed),
        TurnStep::TakeCards { strength } => {
            (1..=BRIDGE_SLOTS as u8).contains(&strength) && state.has_card_up_to(strength)
        }
    };
    require("phase", is_consistent, "has a step without a legal decision")
}
