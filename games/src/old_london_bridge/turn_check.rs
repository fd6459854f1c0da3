//! Checks of an observation from outside, second part: cards, turns and the phase.

use super::bridge::goes_to_the_end;
use super::components::{BONUS_STACKS, BRIDGE_SLOTS, CARD_VALUES, CARDS, TileKind};
use super::observation::{Observation, Phase, TurnStep, TurnView};
use super::setup::cards_a_round;
use super::state::State;
use crate::field_error::{check_at_table, holds, require};
use crate::{FieldError, Seat, SeatCount};

/// Nothing, or what is wrong.
pub(super) type Checked = Result<(), FieldError>;

/// Fails with a field of a seat unless it is right.
pub(super) fn of_seat(seat: Seat, field: &str, is_right: bool, problem: &str) -> Checked {
    require(is_right, || format!("seats[{seat}].{field}"), problem)
}

/// Choices, raises and turns let the phase go on.
pub(super) fn check_turns(observation: &Observation, seats: SeatCount) -> Checked {
    let revealed = matches!(observation.phase, Phase::RaiseCards { .. } | Phase::Turn(_));
    let choosing = observation.phase == Phase::ChooseCards;
    let all_chosen = observation.seats.iter().all(|view| view.has_chosen);
    let goes_on = !choosing || !all_chosen;
    holds("phase", goes_on, "every seat has chosen already")?;
    for (seat, view) in seats.seats().zip(&observation.seats) {
        let of_seat = |field, is_right, problem| of_seat(seat, field, is_right, problem);
        let chosen = view.has_chosen == revealed || choosing;
        of_seat("has_chosen", chosen, "does not fit to the phase")?;
        let known = view.played.is_some() == revealed || choosing;
        of_seat("played", known, "does not fit to the phase")?;
        let few = view.raises.into_iter().map(usize::from).sum::<usize>() <= BONUS_STACKS;
        of_seat("raises", few, "spends more than the three plus_one tiles")?;
        let Some(cards) = view.played else { continue };
        let count = cards.values().count() == usize::from(cards_a_round(seats));
        of_seat("played", count, "is not the cards of one round")?;
        let known = cards.values().all(|card| usize::from(card) < CARD_VALUES);
        of_seat("played", known, "has a card that is not in 0 to 4")?;
        let ordered = cards.values().is_sorted_by(|first, second| first >= second);
        of_seat("played", ordered, "does not have the higher card first")?;
    }
    for (i, turn) in observation.turns.iter().enumerate() {
        check_at_table(seats, turn.seat, &format!("turns[{i}].seat"))?;
        let known = usize::from(turn.card) < CARD_VALUES;
        require(known, || format!("turns[{i}].card"), "is not in 0 to 4")?;
    }
    Ok(())
}

/// No card is missing and none is there too often.
pub(super) fn check_cards(observation: &Observation, seats: SeatCount) -> Checked {
    let own_zeros = u32::from(cards_a_round(seats));
    let mut total = observation.supply.map(u32::from);
    holds("supply[0]", total[0] == 0, "must be 0")?;
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
        of_seat(seat, "hand[0]", zeros, "is not the seat's own number")?;
        for value in 1..CARD_VALUES {
            total[value] += cards[value];
        }
    }
    for value in 1..CARD_VALUES {
        let complete = total[value] == u32::from(CARDS[value]);
        let field = || format!("supply[{value}]");
        let problem = "with hands and played cards is not the number in the box";
        require(complete, field, problem)?;
    }
    Ok(())
}

/// Checks that the phase can go on in this state.
pub(super) fn check_phase(state: &State) -> Checked {
    match state.phase {
        Phase::TakeA2 { seat } | Phase::RaiseCards { seat }
            if !state.fixed.seats.contains(seat) =>
        {
            FieldError::refuse("phase", "names no seat")
        }
        Phase::TakeA2 { seat } => {
            let usable = state.seat(seat).usable(TileKind::TakeA2) > 0 && state.supply[2] > 0;
            holds("phase", usable, "asks a seat that cannot take a 2")
        }
        Phase::RaiseCards { seat } => {
            let usable = state.seat(seat).usable(TileKind::PlusOne) > 0;
            holds("phase", usable, "asks a seat that cannot raise")?;
            let mut unasked = state.chapel_order[..=state.chapel_rank(seat)].iter();
            let open = unasked.all(|&seat| state.seat(seat).raises == [0, 0]);
            holds("phase", open, "has raises of seats that were not asked yet")
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
    holds("phase", recalled, "has a recall where none is legal")?;
    let goes_on = match view.step {
        TurnStep::Place | TurnStep::Finish => true,
        TurnStep::Replace { building } => {
            building.number.is_some() && !goes_to_the_end(&state.seat(turn.seat).bridge, building)
        }
        TurnStep::TakeTile { owed, .. } => (1..=state.tiles_left()).contains(&owed),
        TurnStep::TakeCards { strength } => {
            (1..=BRIDGE_SLOTS as u8).contains(&strength) && state.some_card_fits(strength)
        }
    };
    holds("phase", goes_on, "has a step that cannot go on")
}
