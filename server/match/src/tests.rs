//! Tests of whole matches with two connected bots: answers, losses and replay requests that are
//! handled late, and records that become public together with their consequences.

use std::sync::Arc;

use bridgemaster_games::{
    GAME_IDS, Seat, SeatCount, Seed, old_london_bridge::OldLondonBridge, with_game,
};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        Decision, DecisionRequest, PlayResponse, decision::Choice, play_response::Message, record,
    },
};
use bridgemaster_referee::{HistoryId, MatchPhase, MatchRules, Time};
use bridgemaster_replay::wire::SeedSalt;
use bridgemaster_replay::{RecordCursor, SigningKey};
use prost::Message as _;

use crate::{
    ClientStream, Effect, Entries, JoinError, JoinRequest, Match, MatchId, Origin, Report,
    SeatInput, ServerTime, StreamNumber,
};

fn at_ms(ms: u32) -> ServerTime {
    ServerTime { time: Time(0).plus_ms(ms), lag_us: 0 }
}

/// Standard rules for two seats.
fn rules<G: WireGame>() -> MatchRules<G> {
    MatchRules::standard(SeatCount::new(2).unwrap(), Seed::from(1))
}

/// A match whose bots have joined at 1 ms, with their streams and the effects so far.
fn started_match<G: WireGame>(
    rules: MatchRules<G>,
    is_stored: bool,
) -> (Match<G>, [StreamNumber; 2], Vec<Effect>) {
    let origin = Origin::new(MatchId::new("m").unwrap(), SeedSalt::new([1; 32]), Vec::new());
    let (history, key) = (HistoryId::new([2; 16]), SigningKey::new(&[3; 32]));
    let created = Match::new(origin, rules, at_ms(0), history, is_stored, Arc::new(key));
    let (mut started_match, mut effects) = (created.unwrap(), Vec::new());
    let streams = [0, 1].map(|number| {
        let arrived = (at_ms(1), &mut Vec::new());
        let seat = Seat::new(number).unwrap();
        let joined = started_match.join(arrived, seat, JoinRequest::default(), &mut effects);
        joined.unwrap().stream
    });
    (started_match, streams, effects)
}

#[test]
fn an_answer_that_was_decoded_before_the_deadline_is_in_time_after_it() {
    let mut rules = rules::<OldLondonBridge>();
    rules.clock.time_control = "60/0.03".parse().unwrap();
    let (mut played, streams, mut effects) = started_match(rules, false);
    let seats = [0, 1].map(|number| Seat::new(number).unwrap());
    let mut reports = Vec::new();
    for (seat, stream) in seats.into_iter().zip(streams) {
        reports.push(Report {
            moment: at_ms(2),
            seat,
            stream,
            input: SeatInput::HandedOver { request_id: 1 },
        });
    }
    let answer = SeatInput::Decision(Decision {
        request_id: 1,
        choice: Some(Choice::Index(0)),
        ..Decision::default()
    });
    reports.push(Report { moment: at_ms(31), seat: seats[0], stream: streams[0], input: answer });
    let next = played.tick((at_ms(60), &mut reports), &mut effects);
    let strikes = seats.map(|seat| played.referee.seat_info(seat).unwrap().strikes);
    assert_eq!(strikes, [0, 1], "only seat 1 gave no answer");
    assert!(next.is_some_and(|next| next > at_ms(60).time));
}

#[test]
fn a_report_that_is_handled_late_is_not_credited_with_the_forwarding_lag_of_another_seat() {
    let mut rules = rules::<OldLondonBridge>();
    rules.clock.time_control = "60+0.5/1".parse().unwrap();
    let (mut played, streams, mut effects) = started_match(rules, false);
    let seats = [0, 1].map(|number| Seat::new(number).unwrap());
    let mut reports = Vec::new();
    for ((seat, stream), ms) in seats.into_iter().zip(streams).zip([2, 3]) {
        reports.push(Report {
            moment: at_ms(ms),
            seat,
            stream,
            input: SeatInput::HandedOver { request_id: 1 },
        });
    }
    let later = reports.split_off(1);
    played.handle_reports(&mut reports, &mut effects);
    // The node of seat 0 stalls while the hand-over of seat 1 waits in the inbox.
    played.add_forwarding_lag(seats[0], 980_000, at_ms(1002).time);
    reports.extend(later);
    played.tick((at_ms(1002), &mut reports), &mut effects);
    played.tick((at_ms(1981), &mut reports), &mut effects);
    let strikes = seats.map(|seat| played.referee.seat_info(seat).unwrap().strikes);
    assert_eq!(strikes, [0, 1], "seat 0 has 980 ms more");
}

#[test]
fn a_request_that_a_client_sent_before_the_newest_one_leaves_its_stream_alone() {
    let (mut machine, [first, _], mut effects) = started_match(rules::<OldLondonBridge>(), false);
    let seat = Seat::new(0).unwrap();
    let mut join = |id: &str, number| {
        let client_stream = ClientStream::from_client(id, number).unwrap();
        let request = JoinRequest { client_stream, ..JoinRequest::default() };
        let joined = machine.join((at_ms(2), &mut Vec::new()), seat, request, &mut effects);
        joined.map(|joined| joined.stream)
    };
    let second = join("client", 2).unwrap();
    assert!(second > first);
    let late = Err((JoinError::Superseded, Entries::NONE));
    assert_eq!(join("client", 1), late);
    let third = join("client", 2).expect("a request that was sent twice");
    let of_other = join("other", 1).unwrap();
    let without = join("", 0).unwrap();
    assert!(third > second && of_other > third && without > of_other);
}

#[test]
fn a_late_loss_does_not_pause_the_clock_of_a_seat_that_closed_a_newer_stream() {
    let mut rules = rules::<OldLondonBridge>();
    rules.clock.reconnect_ms = 100;
    let (mut machine, [first, _], mut effects) = started_match(rules, false);
    let seat = Seat::new(0).unwrap();
    let left =
        |stream, ms| vec![Report { moment: at_ms(ms), seat, stream, input: SeatInput::Left }];
    machine.handle_reports(&mut left(first, 10), &mut effects);
    let arrived = (at_ms(20), &mut Vec::new());
    let joined = machine.join(arrived, seat, JoinRequest::default(), &mut effects);
    let second = joined.unwrap().stream;
    machine.handle_reports(&mut left(second, 30), &mut effects);
    let deadline = machine.referee().deadline();
    let arrived = (at_ms(40), &mut Vec::new());
    assert!(!machine.connection_refused(arrived, seat, Some(first), &mut effects));
    assert_eq!(machine.referee().deadline(), deadline);
    let arrived = (at_ms(40), &mut Vec::new());
    assert!(machine.connection_refused(arrived, seat, Some(second), &mut effects));
    assert!(machine.referee().deadline() > deadline);
}

/// A match whose bots have joined and resigned, with its effects.
fn resigned(is_stored: bool) -> (Match<OldLondonBridge>, [StreamNumber; 2], Vec<Effect>) {
    let (mut played, streams, mut effects) = started_match(rules(), is_stored);
    report(&mut played, streams, || SeatInput::Resign, &mut effects);
    assert_eq!(played.referee.phase(), MatchPhase::Ended);
    (played, streams, effects)
}

/// Reports the same input from the streams of both seats.
fn report(
    to: &mut Match<OldLondonBridge>,
    streams: [StreamNumber; 2],
    input: impl Fn() -> SeatInput,
    effects: &mut Vec<Effect>,
) {
    let reports = streams.into_iter().zip(0..).map(|(stream, number)| Report {
        moment: at_ms(2),
        seat: Seat::new(number).unwrap(),
        stream,
        input: input(),
    });
    to.handle_reports(&mut reports.collect(), effects);
}

#[test]
fn a_replay_requested_late_equals_the_one_stored_at_the_end() {
    let (_, _, effects) = resigned(true);
    let stored = effects.into_iter().find_map(|effect| match effect {
        Effect::Store(entry) => entry.finish,
        _ => None,
    });
    let (mut unstored, streams, mut effects) = resigned(false);
    report(&mut unstored, streams, || SeatInput::Left, &mut effects);
    let first = unstored.replay().map(Arc::clone).unwrap();
    assert_eq!(first, stored.unwrap().replay);
    let again = unstored.replay().unwrap();
    assert!(Arc::ptr_eq(&first, again), "the replay is built only once");
}

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
    assert!(most.iter().any(|most| *most > 1), "some decisions were secret: {most:?}");
}
