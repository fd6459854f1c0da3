//! Tests that records become public together with their consequences.

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::v1::{
    Decision, DecisionRequest, PlayResponse, decision::Choice, play_response::Message, record,
};
use bridgemaster_replay::RecordCursor;
use prost::Message as _;

use super::*;
use crate::{
    Effect, Report, SeatInput,
    two_bots::{at_ms, rules, started_match},
};

/// The number of decisions among the public records.
fn public<G: WireGame>(played: &Match<G>) -> u32 {
    let bytes = played.public_records(0);
    let mut place = RecordCursor::default();
    let records = std::iter::from_fn(|| place.next(bytes).unwrap());
    let decisions = records.filter(|r| matches!(r.record, Some(record::Record::Decision(_))));
    u32::try_from(decisions.count()).unwrap()
}

/// The decision requests among the effects.
fn requests(effects: Vec<Effect>) -> impl Iterator<Item = (Seat, DecisionRequest)> {
    effects.into_iter().filter_map(|effect| match effect {
        Effect::Send { seat, message, .. } => {
            match PlayResponse::decode(message.bytes).unwrap().message {
                Some(Message::DecisionRequest(request)) => Some((seat, request)),
                _ => None,
            }
        }
        _ => None,
    })
}

/// Plays a match to its end. Returns a lower bound for the largest number of answers that were
/// secret at the same time.
fn most_secret<G: WireGame>() -> i64 {
    let (mut played, streams, mut effects) = started_match::<G>(rules(), false);
    let mut reports = Vec::new();
    let (mut most, mut answered) = (0, 0);
    for ms in 2.. {
        for (seat, request) in requests(std::mem::take(&mut effects)) {
            // The index varies, so that the chosen item is not always the first or the last.
            let index = (request.request_id * 7 + ms) % request.legal_count;
            let answer = Decision {
                request_id: request.request_id,
                choice: Some(Choice::Index(index)),
                ..Decision::default()
            };
            reports.push(Report {
                moment: at_ms(ms),
                seat,
                stream: streams[seat.index()],
                input: SeatInput::Decision(answer),
            });
        }
        if reports.is_empty() {
            break;
        }
        // Handles one report at a time, to check the state after each.
        for report in std::mem::take(&mut reports) {
            played.handle_reports(&mut vec![report], &mut effects);
            if played.referee.phase() == MatchPhase::Running {
                let decisions = played.referee.public_decisions();
                assert_eq!(public(&played), decisions, "{}", G::ID);
                answered += 1;
                // Forced decisions are recorded too, so there can be more decisions than answers.
                most = most.max(i64::from(answered) - i64::from(decisions));
            }
        }
    }
    assert_eq!(played.referee.phase(), MatchPhase::Ended, "{}", G::ID);
    assert_eq!(played.public_records(0), b"", "they are in the replay now");
    assert!(played.replay().is_some());
    most
}

#[test]
fn a_decision_becomes_a_public_record_when_it_is_counted() {
    let games = GAME_IDS.iter();
    let most = games.map(|game| with_game!(*game, G => most_secret::<G>()).unwrap());
    let most: Vec<i64> = most.collect();
    assert!(
        most.iter().any(|most| *most > 1),
        "something was secret: {most:?}"
    );
}
