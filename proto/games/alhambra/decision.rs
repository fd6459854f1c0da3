//! Decisions.

use bridgemaster_games::alhambra::Decision;

use super::{
    components::{purchase_from_wire, purchase_to_wire, row_cards_from_wire, row_cards_to_wire},
    v1::{self, decision::Decision as Wire},
};
use crate::games::wire::{Below, WireError};

pub(super) fn to_wire(decision: &Decision) -> v1::Decision {
    let decision = match decision {
        Decision::Take(cards) => Wire::Take(v1::Take {
            cards: row_cards_to_wire(*cards),
        }),
        Decision::Buy(purchase) => Wire::Buy(purchase_to_wire(purchase)),
        Decision::Pass => Wire::Pass(v1::Pass {}),
    };
    v1::Decision {
        decision: Some(decision),
    }
}

pub(super) fn from_wire(decision: &v1::Decision) -> Result<Decision, WireError> {
    Ok(match &decision.decision {
        Some(Wire::Take(take)) => Decision::Take(row_cards_from_wire("take.cards", &take.cards)?),
        Some(Wire::Buy(purchase)) => Decision::Buy(purchase_from_wire(purchase).below("buy")?),
        Some(Wire::Pass(_)) => Decision::Pass,
        None => {
            let detail = "one of take, buy and pass must be set";
            return Err(WireError::new("decision", detail));
        }
    })
}
