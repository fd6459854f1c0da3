//! Misbehaving bots: each is refused or penalized for the right reason, and the other seat's match
//! continues to its end. The referee's own tests cover all rules of faults.

use bridgemaster_proto::v1::{
    self, Decision, FaultAction, FaultPolicy, FaultReason, MatchConfig, MatchResult, RefusalReason,
    SeatResult, SeatState, TimeControl, decision::Choice, play_request, play_response::Message,
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, codegen::Bytes};

use crate::{
    caller::Caller,
    raw_bot::{RawBot, bearer, hello_message, request},
    raw_call::{PLAY, metadata, start},
    streams::{end, find, reason},
    test_server::{GAMES, TestServer, config, of_two, with_clock},
};

/// The timeout for an absent bot, in ms. It applies to the good bot too, so it must suffice on a
/// busy machine. Since it is long, the matches run in parallel.
const ABSENCE_TIMEOUT_MS: u32 = 1_500;

/// Returns the result of the misbehaving seat, after asserting that the other seat is unaffected
/// and the replay is valid.
async fn misbehaved(server: &Caller, result: MatchResult) -> SeatResult {
    let replay = server.replay(&result.match_id).await.unwrap();
    assert_eq!(replay.result.as_ref(), Some(&result));
    bridgemaster_replay::verify(&replay).unwrap();
    let other = &result.seats[0];
    let unaffected = (other.fault_count, other.house_decisions, other.place);
    assert_eq!(unaffected, (0, 0, 1), "{other:?}");
    result.seats[1].clone()
}

fn assert_forfeited(seat: &SeatResult, reason: FaultReason) {
    assert_eq!(seat.forfeit(), reason, "{seat:?}");
    let last = seat.faults.last().unwrap();
    let fault = (last.reason(), last.action());
    assert_eq!(fault, (reason, FaultAction::Forfeit), "{seat:?}");
    assert_eq!(seat.place, 2, "{seat:?}");
    assert!(seat.house_decisions > 0, "{seat:?}");
}

#[tokio::test]
async fn absent_and_silent_bots_forfeit_after_their_timeouts() {
    let server = TestServer::open().await;
    let mut matches = Vec::new();
    for game in GAMES {
        let startup = with_clock(config(game, 2), |clock| {
            clock.startup_ms = Some(ABSENCE_TIMEOUT_MS);
        });
        let seated = server.create(startup).await;
        let good = server.good_bot(&seated.tickets[0]);
        matches.push((good, FaultReason::NeverConnected, None));
    }
    for game in &GAMES[..2] {
        let capped = with_clock(config(game, 2), |clock| {
            clock.time_control = Some(TimeControl::fischer(30_000, 500, ABSENCE_TIMEOUT_MS));
        });
        let seated = server.create(capped).await;
        let good = server.good_bot(&seated.tickets[0]);
        let hanging = server.join(&seated.tickets[1]).await;
        matches.push((good, FaultReason::Late, Some(hanging)));
    }
    for (good, fault, hanging) in matches {
        if let Some(mut hanging) = hanging {
            let first = hanging.next_request().await.request_id;
            let second = hanging.next_request().await.request_id;
            assert_eq!(second, first + 1, "the house made the first decision");
            let end = hanging.end().await.unwrap();
            assert_eq!(reason(&end), "SEAT_CLOSED");
            assert!(end.message().contains("LATE"), "{end:?}");
        }
        let seat = misbehaved(&server, good.await.unwrap().unwrap()).await;
        assert_forfeited(&seat, fault);
        let is_late = fault == FaultReason::Late;
        let expected = if is_late { ("raw", 3) } else { ("", 1) };
        assert_eq!((&*seat.bot_name, seat.fault_count), expected);
    }
}

#[tokio::test]
async fn a_bot_that_crashes_in_a_match_forfeits_as_disconnected() {
    let server = TestServer::open().await;
    let mut matches = Vec::new();
    for game in GAMES {
        let short = with_clock(config(game, 2), |clock| {
            clock.reconnect_ms = Some(ABSENCE_TIMEOUT_MS);
            // The witness must not time out while the matches before its own are played.
            clock.time_control = Some(TimeControl::fischer(3_600_000, 0, 600_000));
        });
        let seated = server.create(short).await;
        let [mut witness, mut crashing] = server.join_all(&seated).await;
        witness.answer_until(crashing.next_request()).await;
        drop(crashing);
        matches.push((seated, witness));
    }
    for (seated, mut witness) in matches {
        let status = loop {
            let status = witness.next_seat_status().await.seat.unwrap();
            if status.state() != SeatState::Connected {
                break status;
            }
        };
        assert_eq!((status.seat, status.state()), (1, SeatState::Paused));
        let status = witness.next_seat_status().await;
        assert_eq!(status.reason(), FaultReason::Disconnected);
        assert_eq!(status.seat.unwrap().state(), SeatState::Forfeited);

        // The request that was pending at the notification is still pending.
        drop(witness);
        let good = server.good_bot(&seated.tickets[0]);
        let seat = misbehaved(&server, good.await.unwrap().unwrap()).await;
        assert_forfeited(&seat, FaultReason::Disconnected);
        assert_eq!(seat.bot_name, "raw");
    }
}

/// Joins, waits for a request, and sends bytes that are not a message. Returns how the stream ends.
async fn send_garbage(server: &Caller, ticket: &str) -> tonic::Status {
    let (outbound, messages) = tokio::sync::mpsc::channel(2);
    let first = request(hello_message());
    let first = prost::Message::encode_to_vec(&first);
    outbound.send(Bytes::from(first)).await.unwrap();
    let metadata = metadata(&[("authorization", &bearer(ticket))]);
    let messages = ReceiverStream::new(messages);
    let mut inbound = start(server, PLAY, metadata, messages).await.unwrap();
    find(&mut inbound, |bytes| {
        let response: v1::PlayResponse = prost::Message::decode(bytes).unwrap();
        matches!(response.message, Some(Message::DecisionRequest(_))).then_some(())
    })
    .await;
    outbound.send(Bytes::from(vec![0xff; 16])).await.unwrap();
    end(&mut inbound).await
}

/// A misbehaviour after the first request.
#[derive(Clone, Copy, Debug)]
enum Misbehaviour {
    Garbage,
    HugeMessage,
    Flood,
    Illegal,
    Resign,
}

impl Misbehaviour {
    /// Misbehaves, and returns how the server ends the stream.
    async fn act(self, server: &Caller, ticket: &str) -> tonic::Status {
        if let Self::Garbage = self {
            return send_garbage(server, ticket).await;
        }
        let mut bot = server.join(ticket).await;
        let asked = bot.next_request().await;
        match self {
            Self::Garbage => {}
            Self::HugeMessage => {
                let huge = Decision { note: "x".repeat(100_000), ..Decision::default() };
                bot.send(play_request::Message::Decision(huge)).await;
            }
            Self::Flood => {
                for _ in 0..500 {
                    bot.send_empty().await;
                }
            }
            Self::Illegal => {
                let wrong = Choice::Index(asked.legal_count);
                bot.answer(&asked, wrong.clone()).await;
                let rejected = bot.next_rejection().await;
                assert_eq!(rejected.reason(), RefusalReason::IndexOutOfRange);
                assert_eq!(rejected.field, "index");
                assert_eq!(rejected.open_request_id, asked.request_id);
                assert_eq!(rejected.strikes, 1);

                let malformed = Choice::Decision(v1::GameDecision { game: None });
                bot.answer(&asked, malformed).await;
                let rejected = bot.next_rejection().await;
                assert_eq!(rejected.reason(), RefusalReason::MalformedDecision);
                assert!(rejected.field.starts_with("decision"), "{rejected:?}");
                assert_eq!(rejected.strikes, 2);
                bot.answer(&asked, wrong).await;
            }
            Self::Resign => bot.resign().await,
        }
        bot.end().await.unwrap()
    }
}

#[tokio::test]
async fn a_bot_that_misbehaves_forfeits_and_loses_its_stream() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let [_good, resigned] = server.join_all(&seated).await;
    resigned.resign().await;
    assert_eq!(reason(&resigned.end().await.unwrap()), "SEAT_CLOSED");
    let again = RawBot::refused(&server, &seated.tickets[1], hello_message()).await;
    assert_eq!(reason(&again), "SEAT_CLOSED", "the bot cannot rejoin");

    let malformed = "MALFORMED_MESSAGE";
    let closed = "SEAT_CLOSED";
    let cases = [
        (Misbehaviour::Garbage, malformed, "", FaultReason::Garbage),
        (Misbehaviour::HugeMessage, malformed, "8192", FaultReason::Garbage),
        (Misbehaviour::Flood, closed, "FLOOD", FaultReason::Flood),
        (Misbehaviour::Illegal, closed, "ILLEGAL", FaultReason::Illegal),
        (Misbehaviour::Resign, closed, "", FaultReason::Resigned),
    ];
    // Each kind with two games, and each game with some kinds.
    for (number, (misbehaviour, why, message, fault)) in cases.into_iter().enumerate() {
        for game in [GAMES[number % GAMES.len()], GAMES[(number + 1) % GAMES.len()]] {
            let strict = MatchConfig {
                faults: Some(FaultPolicy {
                    garbage: FaultAction::Forfeit.into(),
                    ..FaultPolicy::default()
                }),
                ..config(game, 2)
            };
            let seated = server.create(strict).await;
            let good = server.good_bot(&seated.tickets[0]);
            let end = misbehaviour.act(&server, &seated.tickets[1]).await;
            assert_eq!(reason(&end), why, "{misbehaviour:?}: {end:?}");
            assert!(end.message().contains(message), "{end:?}");
            if why == closed {
                assert_eq!(end.code(), Code::FailedPrecondition, "{end:?}");
            }
            let seat = misbehaved(&server, good.await.unwrap().unwrap()).await;
            assert_forfeited(&seat, fault);
        }
    }
}

#[tokio::test]
async fn a_bot_may_reconnect_after_garbage_if_the_policy_only_strikes() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let good = server.good_bot(&seated.tickets[0]);
    send_garbage(&server, &seated.tickets[1]).await;
    let back = server.good_bot(&seated.tickets[1]).await.unwrap().unwrap();
    assert_eq!(back.seats[1].forfeit(), FaultReason::Unspecified);
    let fault = &back.seats[1].faults[0];
    assert_eq!(fault.reason(), FaultReason::Garbage);
    assert_eq!(fault.action(), FaultAction::Strike);
    assert_eq!(good.await.unwrap().unwrap(), back);
}

#[tokio::test]
async fn house_bots_finish_a_match_without_any_bot() {
    let server = TestServer::open().await;
    for game in GAMES {
        let absent = with_clock(config(game, 2), |clock| clock.startup_ms = Some(1));
        let seated = server.create(absent).await;
        let result = server.result(&seated.match_id).await;
        assert!(result.decisions > 0);
        for seat in &result.seats {
            let end = (seat.place, seat.forfeit());
            assert_eq!(end, (1, FaultReason::NeverConnected));
        }
    }
}
