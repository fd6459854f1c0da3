//! Decisions.

use bridgemaster_games::bridges_to_nowhere::Decision;

use super::{
    components::{card_from_wire, card_to_wire, placement_from_wire, placement_to_wire},
    v1::{self, decision::Decision as Wire},
};
use crate::games::wire::{Below, WireError};

pub(super) fn to_wire(decision: &Decision) -> v1::Decision {
    let decision = match decision {
        Decision::Take(card) => Wire::Take(card_to_wire(card)),
        Decision::Place(placement) => Wire::Place(placement_to_wire(placement)),
        Decision::End => Wire::End(v1::EndBuilding {}),
    };
    v1::Decision {
        decision: Some(decision),
    }
}

pub(super) fn from_wire(decision: &v1::Decision) -> Result<Decision, WireError> {
    match &decision.decision {
        Some(Wire::Take(card)) => card_from_wire(card).map(Decision::Take).below("take"),
        Some(Wire::Place(placement)) => placement_from_wire(placement)
            .map(Decision::Place)
            .below("place"),
        Some(Wire::End(_)) => Ok(Decision::End),
        None => Err(WireError::new(
            "decision",
            "one of take, place and end must be set",
        )),
    }
}
