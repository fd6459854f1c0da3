//! What is going on: phases and the steps of a turn.

use bridgemaster_games::old_london_bridge::{
    BONUS_STACKS, BRIDGE_SLOTS, MAX_TURNS, Phase, TILE_KINDS, TurnStep, TurnView,
};

use super::{
    components::{building_from_wire, building_to_wire, seat},
    v1::{self, observation::Phase as Wire, turn_phase::Step},
};
use crate::games::{
    field::{number, set},
    wire::{Below, WireError},
};

/// Bonus tiles in the box.
const TILES: u8 = (BONUS_STACKS * TILE_KINDS) as u8;

pub(super) fn to_wire(phase: &Phase) -> Wire {
    match phase {
        Phase::TakeA2 { seat } => Wire::TakeA2(v1::TakeA2Phase {
            seat: seat.number().into(),
        }),
        Phase::ChooseCards => Wire::ChooseCards(v1::ChooseCardsPhase {}),
        Phase::RaiseCards { seat } => Wire::RaiseCards(v1::RaiseCardsPhase {
            seat: seat.number().into(),
        }),
        Phase::Turn(turn) => Wire::Turn(v1::TurnPhase {
            turn: turn.turn.into(),
            recalled: turn.recalled,
            step: Some(step_to_wire(&turn.step)),
        }),
        Phase::Over => Wire::Over(v1::OverPhase {}),
    }
}

pub(super) fn from_wire(phase: Option<&Wire>) -> Result<Phase, WireError> {
    let phase = phase.ok_or_else(|| {
        let detail = "one of take_a_2, choose_cards, raise_cards, turn and over must be set";
        WireError::new("phase", detail)
    })?;
    Ok(match phase {
        Wire::TakeA2(phase) => Phase::TakeA2 {
            seat: seat("take_a_2.seat", phase.seat)?,
        },
        Wire::ChooseCards(_) => Phase::ChooseCards,
        Wire::RaiseCards(phase) => Phase::RaiseCards {
            seat: seat("raise_cards.seat", phase.seat)?,
        },
        Wire::Turn(phase) => Phase::Turn(turn_from_wire(phase).below("turn")?),
        Wire::Over(_) => Phase::Over,
    })
}

fn turn_from_wire(phase: &v1::TurnPhase) -> Result<TurnView, WireError> {
    Ok(TurnView {
        turn: number("turn", phase.turn, 0..=MAX_TURNS as u8 - 1)?,
        step: step_from_wire(phase.step.as_ref())?,
        recalled: phase.recalled,
    })
}

fn step_to_wire(step: &TurnStep) -> Step {
    match step {
        TurnStep::Place => Step::Place(v1::PlaceStep {}),
        TurnStep::Replace { building } => Step::Replace(v1::ReplaceStep {
            building: Some(building_to_wire(building)),
        }),
        TurnStep::TakeTile { owed, placed } => Step::TakeTile(v1::TakeTileStep {
            owed: (*owed).into(),
            placed: *placed,
        }),
        TurnStep::TakeCards { strength } => Step::TakeCards(v1::TakeCardsStep {
            strength: (*strength).into(),
        }),
        TurnStep::Finish => Step::Finish(v1::FinishStep {}),
    }
}

fn step_from_wire(step: Option<&Step>) -> Result<TurnStep, WireError> {
    let step = step.ok_or_else(|| {
        let detail = "one of place, replace, take_tile, take_cards and finish must be set";
        WireError::new("step", detail)
    })?;
    Ok(match step {
        Step::Place(_) => TurnStep::Place,
        Step::Replace(step) => {
            let building = set("replace.building", step.building.as_ref())?;
            TurnStep::Replace {
                building: building_from_wire(building).below("replace.building")?,
            }
        }
        Step::TakeTile(step) => TurnStep::TakeTile {
            owed: number("take_tile.owed", step.owed, 1..=TILES)?,
            placed: step.placed,
        },
        Step::TakeCards(step) => TurnStep::TakeCards {
            strength: number("take_cards.strength", step.strength, 1..=BRIDGE_SLOTS as u8)?,
        },
        Step::Finish(_) => TurnStep::Finish,
    })
}
