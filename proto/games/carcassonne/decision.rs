//! Decisions.

use bridgemaster_games::carcassonne::{Decision, Gate, Segment};

use super::{
    components::{gate_from_wire, gate_to_wire, placement_from_wire, placement_to_wire},
    v1::{
        self, decision::Decision as Wire, drawbridge_choice as drawbridge, meeple_choice as meeple,
    },
};
use crate::games::{
    field::WireEnum,
    wire::{Below, WireError},
};

pub(super) fn to_wire(decision: &Decision) -> v1::Decision {
    let decision = match *decision {
        Decision::Place(placement) => Wire::Place(placement_to_wire(placement)),
        Decision::Meeple(segment) => Wire::Meeple(v1::MeepleChoice {
            choice: Some(match segment {
                None => meeple::Choice::None(v1::NoMeeple {}),
                Some(segment) => meeple::Choice::Segment(segment.to_wire()),
            }),
        }),
        Decision::Drawbridge(gate) => Wire::Drawbridge(v1::DrawbridgeChoice {
            choice: Some(match gate {
                None => drawbridge::Choice::Home(v1::Home {}),
                Some(gate) => drawbridge::Choice::Gate(gate_to_wire(gate)),
            }),
        }),
    };
    v1::Decision {
        decision: Some(decision),
    }
}

pub(super) fn from_wire(decision: &v1::Decision) -> Result<Decision, WireError> {
    let decision = decision.decision.as_ref().ok_or_else(|| {
        let detail = "one of place, meeple and drawbridge must be set";
        WireError::new("decision", detail)
    })?;
    Ok(match decision {
        Wire::Place(placement) => Decision::Place(placement_from_wire(placement).below("place")?),
        Wire::Meeple(choice) => Decision::Meeple(segment(choice).below("meeple")?),
        Wire::Drawbridge(choice) => Decision::Drawbridge(gate(choice).below("drawbridge")?),
    })
}

fn segment(choice: &v1::MeepleChoice) -> Result<Option<Segment>, WireError> {
    match choice.choice {
        Some(meeple::Choice::None(_)) => Ok(None),
        Some(meeple::Choice::Segment(number)) => Segment::from_wire("segment", number).map(Some),
        None => Err(WireError::new("choice", "none or segment must be set")),
    }
}

fn gate(choice: &v1::DrawbridgeChoice) -> Result<Option<Gate>, WireError> {
    match &choice.choice {
        Some(drawbridge::Choice::Home(_)) => Ok(None),
        Some(drawbridge::Choice::Gate(gate)) => gate_from_wire(gate).below("gate").map(Some),
        None => Err(WireError::new("choice", "home or gate must be set")),
    }
}
