//! What streams report, as inputs of the referee.

use bridgemaster_games::Seat;
use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::{Answer, BadAnswerReason, Input};

use crate::{MatchId, SeatInput};

/// The referee's input for what a stream of a seat of `match_id` reports.
pub(crate) fn referee_input<G: WireGame>(
    match_id: &MatchId,
    seat: Seat,
    input: SeatInput,
) -> Input<G> {
    match input {
        SeatInput::Decision(decision) => answer(match_id, seat, decision),
        SeatInput::HandedOver { request_id } => Input::HandedOver { seat, request_id },
        SeatInput::RoundTrip { elapsed_us } => Input::RoundTrip {
            seat,
            round_trip_us: elapsed_us,
        },
        SeatInput::Resign { match_id: named } if named == match_id.as_str() => {
            Input::Resign { seat }
        }
        SeatInput::Resign { .. } | SeatInput::Useless => Input::Useless { seat },
        SeatInput::Garbage { detail } => Input::Garbage { seat, detail },
        SeatInput::Left => Input::Disconnected { seat },
    }
}

fn answer<G: WireGame>(match_id: &MatchId, seat: Seat, decision: v1::Decision) -> Input<G> {
    let request_id = decision.request_id;
    let bad = |reason, field: String, detail: String| Input::BadAnswer {
        seat,
        request_id,
        reason,
        field,
        detail,
    };
    if decision.match_id != match_id.as_str() {
        return bad(
            BadAnswerReason::WrongMatch,
            "match_id".to_owned(),
            format!("this stream plays the match {}", match_id),
        );
    }
    let answer = match decision.choice {
        Some(v1::decision::Choice::Index(index)) => Answer::Index(index),
        Some(v1::decision::Choice::Decision(decision)) => match G::decision_from_wire(&decision) {
            Ok(decision) => Answer::Decision(decision),
            Err(error) => {
                return bad(
                    BadAnswerReason::MalformedDecision,
                    format!("decision.{}", error.field),
                    error.detail,
                );
            }
        },
        None => {
            return bad(
                BadAnswerReason::MalformedDecision,
                "choice".to_owned(),
                "neither index nor decision is set".to_owned(),
            );
        }
    };
    Input::Answer {
        seat,
        request_id,
        answer,
    }
}
