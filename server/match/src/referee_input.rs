//! Conversion of stream reports to the referee's inputs.

use bridgemaster_games::Seat;
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::{Answer, BadAnswerReason, Input, NoteBudget};

use crate::SeatInput;

/// Converts a report to the referee's input. Drops a note that exceeds the budget, so that the note
/// is not stored either.
pub(crate) fn referee_input<G: WireGame>(
    seat: Seat,
    input: SeatInput,
    budget: Option<NoteBudget>,
) -> Input<G> {
    match input {
        SeatInput::Decision(decision) => answer(seat, decision, budget),
        SeatInput::HandedOver { request_id } => Input::HandedOver { seat, request_id },
        SeatInput::RoundTrip { elapsed_us } => Input::RoundTrip {
            seat,
            round_trip_us: elapsed_us,
        },
        SeatInput::Resign => Input::Resign { seat },
        SeatInput::Useless => Input::Useless { seat },
        SeatInput::Garbage { detail } => Input::Garbage { seat, detail },
        SeatInput::Left => Input::Disconnected { seat },
    }
}

fn answer<G: WireGame>(seat: Seat, decision: v1::Decision, budget: Option<NoteBudget>) -> Input<G> {
    let request_id = decision.request_id;
    let malformed = |field: String, detail: String| Input::BadAnswer {
        seat,
        request_id,
        reason: BadAnswerReason::MalformedDecision,
        field,
        detail,
    };
    let answer = match decision.choice {
        Some(v1::decision::Choice::Index(index)) => Answer::Index(index),
        Some(v1::decision::Choice::Decision(decision)) => match G::decision_from_wire(&decision) {
            Ok(decision) => Answer::Decision(decision),
            Err(error) => {
                return malformed(format!("decision.{}", error.field), error.detail);
            }
        },
        None => {
            return malformed(
                "choice".to_owned(),
                "neither index nor decision is set".to_owned(),
            );
        }
    };
    let note =
        Some(decision.note).filter(|note| budget.is_some_and(|budget| budget.has(note.len())));
    Input::Answer {
        seat,
        request_id,
        answer,
        note: note.unwrap_or_default(),
    }
}
