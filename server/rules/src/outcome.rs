//! Conversion of outcomes to messages.

use bridgemaster_games::Outcome;
use bridgemaster_proto::v1::{RulesOutcome, ScoreLine, SeatOutcome};

/// Converts an outcome with its breakdowns.
pub(crate) fn outcome_to_wire(outcome: &Outcome) -> RulesOutcome {
    let mut message = places_to_wire(outcome);
    for (seat, given) in message.seats.iter_mut().zip(&outcome.seats) {
        let lines = given.breakdown.iter().map(|line| ScoreLine {
            category: line.category.to_owned(),
            points: line.points,
        });
        seat.breakdown = lines.collect();
    }
    message
}

/// Converts an outcome without its breakdowns.
pub(crate) fn places_to_wire(outcome: &Outcome) -> RulesOutcome {
    let seats = (0..).zip(&outcome.seats).map(|(seat, given)| SeatOutcome {
        seat,
        place: given.place.into(),
        score: given.score,
        breakdown: Vec::new(),
    });
    RulesOutcome {
        seats: seats.collect(),
    }
}
