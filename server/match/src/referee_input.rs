//! What streams report, as inputs of the referee.

use bridgemaster_games::Seat;
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::{Answer, BadAnswerReason, Input, NoteRoom};

use crate::SeatInput;

/// The referee's input for what a stream of a seat reports. A note for which there is no room is
/// left out, so that it is not stored either.
pub(crate) fn referee_input<G: WireGame>(
    seat: Seat,
    input: SeatInput,
    room: Option<NoteRoom>,
) -> Input<G> {
    match input {
        SeatInput::Decision(decision) => answer(seat, decision, room),
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

fn answer<G: WireGame>(seat: Seat, decision: v1::Decision, room: Option<NoteRoom>) -> Input<G> {
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
    let note = Some(decision.note).filter(|note| room.is_some_and(|room| room.has(note.len())));
    Input::Answer {
        seat,
        request_id,
        answer,
        note: note.unwrap_or_default(),
    }
}
