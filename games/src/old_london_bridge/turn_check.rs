//! Further checks for an observation that came from outside: the cards, the turns and the phase.

use super::bridge::is_appended;
use super::components::{BONUS_STACKS, BRIDGE_SLOTS, CARD_VALUES, CARDS, TileKind};
use super::observation::{Observation, Phase, TurnStep, TurnView};
use super::setup::cards_per_round;
use super::state::State;
use crate::field_error::{check_at_table, require, require_at};
use crate::{FieldError, Seat, SeatCount};

/// The result of a check.
pub(super) type Checked = Result<(), FieldError>;

/// Returns an error for a seat's field unless `is_right`.
pub(super) fn require_seat(seat: Seat, field: &str, is_right: bool, problem: &str) -> Checked {
    require_at(is_right, || format!("seats[{seat}].{field}"), problem)
}

/// Checks that choices, raises and turns are consistent with the phase.
pub(super) fn check_turns(observation: &Observation, seats: SeatCount) -> Checked {
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
        check_at_table(seats, turn.seat, &format!("turns[{i}].seat"))?;
        let in_range = usize::from(turn.card) < CARD_VALUES;
        require_at(
            in_range,
            || format!("turns[{i}].card"),
            "is out of range (0..=4)",
        )?;
    }
    Ok(())
}

/// Checks that each card occurs exactly as often as in the box.
pub(super) fn check_cards(observation: &Observation, seats: SeatCount) -> Checked {
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
        let field = || format!("supply[{value}]");
        let problem = "with hands and played cards is not the number in the box";
        require_at(complete, field, problem)?;
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
            require(
                "phase",
                open,
                "has raises of seats that have not decided yet",
            )
        }
        Phase::Turn(view) => check_turn(state, view),
        Phase::ChooseCards | Phase::Over => Ok(()),
    }
}

fn check_turn(state: &State, view: TurnView) -> Checked {
    let Some(turn) = state.turns.get(usize::from(view.turn)) else {
        return FieldError::refuse("phase.turn", "is not below the number of turns");
    };
    let finishing = matches!(
        view.step,
        TurnStep::Finish | TurnStep::TakeTile { placed: true, .. }
    );
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
    require(
        "phase",
        is_consistent,
        "has a step without a legal decision",
    )
}
