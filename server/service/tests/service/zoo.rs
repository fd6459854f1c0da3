//! Misbehaving bots: each is refused or penalized for the right reason, and the match of the other
//! seat continues to its end.

use bridgemaster_proto::v1::{
    self, FaultAction, FaultPolicy, FaultReason, MatchConfig, MatchResult, RefusalReason,
    SeatResult, SeatState, decision::Choice, play_request,
};
use tonic::Code;

use crate::{
    raw_bot::{GarbageBot, RawBot, hello, reason, request},
    test_server::{GAMES, TestServer, config, with_clock},
};

/// The timeout for an absent bot, in ms. The same rules apply to the good bot, so it must suffice
/// on a busy machine. Hence the games run in parallel.
const ABSENCE_TIMEOUT_MS: u32 = 1_500;

/// Returns the result of the misbehaving seat, after asserting that the other is unaffected and
/// that the replay is valid.
async fn misbehaved(server: &TestServer, result: MatchResult, seat: usize) -> SeatResult {
    let replay = server.replay(&result.match_id).await.unwrap();
    assert_eq!(replay.result.as_ref(), Some(&result));
    bridgemaster_replay::verify(&replay).unwrap();
    for (index, other) in result.seats.iter().enumerate() {
        if index != seat {
            assert_eq!(other.fault_count, 0, "{other:?}");
            assert_eq!(other.house_decisions, 0, "{other:?}");
            assert_eq!(other.place, 1, "{other:?}");
        }
    }
    result.seats[seat].clone()
}

fn assert_forfeited(seat: &SeatResult, reason: FaultReason) {
    assert_eq!(seat.forfeit(), reason, "{seat:?}");
    assert_eq!(
        seat.faults.last().map(|f| f.reason()),
        Some(reason),
        "{seat:?}"
    );
    assert_eq!(
        seat.faults.last().map(|f| f.action()),
        Some(FaultAction::Forfeit),
        "{seat:?}"
    );
    assert_eq!(seat.place, 2, "{seat:?}");
    assert!(seat.house_decisions > 0, "{seat:?}");
}

fn with_faults(mut config: MatchConfig, faults: FaultPolicy) -> MatchConfig {
    config.faults = Some(faults);
    config
}

#[tokio::test]
async fn a_bot_that_never_joins_forfeits_as_never_connected() {
    let server = TestServer::open().await;
    let mut matches = Vec::new();
    for game in GAMES {
        let short = with_clock(config(game, 2), |c| c.startup_ms = Some(ABSENCE_TIMEOUT_MS));
        let seated = server.create(short).await;
        matches.push(server.good_bot(&seated.tickets[0]));
    }
    for good in matches {
        let seat = misbehaved(&server, good.await.unwrap().unwrap(), 1).await;
        assert_forfeited(&seat, FaultReason::NeverConnected);
        assert_eq!(seat.bot_name, "");
    }
}

#[tokio::test]
async fn a_bot_that_crashes_before_hello_leaves_its_seat_free() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let pong = request(play_request::Message::Pong(v1::Pong { nonce: 0 }));
        let rude = RawBot::open(&server, &seated.tickets[1], pong)
            .await
            .unwrap();
        assert_eq!(reason(&rude.end().await.unwrap()), "HELLO_EXPECTED");
        drop(server.player().await);

        let (first, second) = (
            server.good_bot(&seated.tickets[0]),
            server.good_bot(&seated.tickets[1]),
        );
        let result = first.await.unwrap().unwrap();
        assert_eq!(result, second.await.unwrap().unwrap());
        assert!(result.seats.iter().all(|seat| seat.fault_count == 0));
    }
}

#[tokio::test]
async fn a_bot_that_crashes_in_a_match_forfeits_as_disconnected() {
    let server = TestServer::open().await;
    let mut matches = Vec::new();
    for game in GAMES {
        let short = with_clock(config(game, 2), |c| {
            c.reconnect_ms = Some(ABSENCE_TIMEOUT_MS);
            // The witness must not time out while the matches before its own are played.
            (c.bank_ms, c.cap_ms) = (Some(3_600_000), Some(600_000));
        });
        let seated = server.create(short).await;
        let mut witness = RawBot::join(&server, &seated.tickets[0]).await;
        let mut crashing = RawBot::join(&server, &seated.tickets[1]).await;
        witness.answer_until(crashing.next_request()).await;
        drop(crashing);
        matches.push((seated, witness));
    }
    for (seated, mut witness) in matches {
        let status = loop {
            let status = witness.next_seat_status().await;
            if status.seat.as_ref().unwrap().state() != SeatState::Connected {
                break status;
            }
        };
        assert_eq!(status.seat.as_ref().unwrap().seat, 1);
        assert_eq!(status.seat.unwrap().state(), SeatState::Paused);
        let status = witness.next_seat_status().await;
        assert_eq!(status.reason(), FaultReason::Disconnected);
        assert_eq!(status.seat.unwrap().state(), SeatState::Forfeited);

        // The request that was pending at the notification is still pending.
        drop(witness);
        let good = server.good_bot(&seated.tickets[0]);
        let seat = misbehaved(&server, good.await.unwrap().unwrap(), 1).await;
        assert_forfeited(&seat, FaultReason::Disconnected);
        assert_eq!(seat.bot_name, "raw");
    }
}

#[tokio::test]
async fn a_bot_that_hangs_forfeits_after_three_timeouts() {
    let server = TestServer::open().await;
    let mut matches = Vec::new();
    for game in GAMES {
        let capped = with_clock(config(game, 2), |c| c.cap_ms = Some(ABSENCE_TIMEOUT_MS));
        let seated = server.create(capped).await;
        let good = server.good_bot(&seated.tickets[0]);
        matches.push((good, RawBot::join(&server, &seated.tickets[1]).await));
    }
    for (good, mut hanging) in matches {
        let first = hanging.next_request().await;
        let second = hanging.next_request().await;
        assert_eq!(
            second.request_id,
            first.request_id + 1,
            "the house decided the first"
        );
        let seat = misbehaved(&server, good.await.unwrap().unwrap(), 1).await;
        assert_forfeited(&seat, FaultReason::Late);
        assert_eq!(seat.fault_count, 3);
        let end = hanging.end().await.unwrap();
        assert_eq!(reason(&end), "SEAT_CLOSED");
        assert!(end.message().contains("LATE"), "{end:?}");
    }
}

#[tokio::test]
async fn invalid_bytes_end_the_stream_with_a_garbage_fault() {
    let server = TestServer::open().await;
    for game in GAMES {
        let faults = FaultPolicy {
            garbage: FaultAction::Forfeit.into(),
            ..FaultPolicy::default()
        };
        let seated = server.create(with_faults(config(game, 2), faults)).await;
        let good = server.good_bot(&seated.tickets[0]);
        let garbage = GarbageBot::join(&server, &seated.tickets[1]).await;
        let end = garbage.send_garbage().await;
        assert_eq!(reason(&end), "MALFORMED_MESSAGE");
        let seat = misbehaved(&server, good.await.unwrap().unwrap(), 1).await;
        assert_forfeited(&seat, FaultReason::Garbage);
    }
}

#[tokio::test]
async fn a_message_over_the_size_limit_is_a_garbage_fault() {
    let server = TestServer::open().await;
    for game in GAMES {
        let faults = FaultPolicy {
            garbage: FaultAction::Forfeit.into(),
            ..FaultPolicy::default()
        };
        let seated = server.create(with_faults(config(game, 2), faults)).await;
        let good = server.good_bot(&seated.tickets[0]);
        let mut huge = RawBot::join(&server, &seated.tickets[1]).await;
        huge.next_request().await;
        huge.send(play_request::Message::Decision(v1::Decision {
            note: "x".repeat(100_000),
            ..v1::Decision::default()
        }))
        .await;
        let end = huge.end().await.unwrap();
        assert_eq!(reason(&end), "MALFORMED_MESSAGE");
        assert!(
            end.message().contains("8192"),
            "it names the limit: {end:?}"
        );
        let seat = misbehaved(&server, good.await.unwrap().unwrap(), 1).await;
        assert_forfeited(&seat, FaultReason::Garbage);
    }
}

#[tokio::test]
async fn a_bot_may_reconnect_after_garbage_if_the_policy_only_strikes() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let good = server.good_bot(&seated.tickets[0]);
    GarbageBot::join(&server, &seated.tickets[1])
        .await
        .send_garbage()
        .await;
    let back = server.good_bot(&seated.tickets[1]).await.unwrap().unwrap();
    assert_eq!(back.seats[1].forfeit(), FaultReason::Unspecified);
    assert_eq!(back.seats[1].faults[0].reason(), FaultReason::Garbage);
    assert_eq!(back.seats[1].faults[0].action(), FaultAction::Strike);
    assert_eq!(good.await.unwrap().unwrap(), back);
}

#[tokio::test]
async fn a_bot_that_floods_forfeits_and_loses_its_stream() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let good = server.good_bot(&seated.tickets[0]);
        let mut flooding = RawBot::join(&server, &seated.tickets[1]).await;
        flooding.next_request().await;
        for _ in 0..500 {
            flooding.send_empty().await;
        }
        let end = flooding.end().await.unwrap();
        assert_eq!(end.code(), Code::FailedPrecondition, "{end:?}");
        assert!(end.message().contains("FLOOD"), "{end:?}");
        let seat = misbehaved(&server, good.await.unwrap().unwrap(), 1).await;
        assert_forfeited(&seat, FaultReason::Flood);
    }
}

#[tokio::test]
async fn illegal_answers_are_refused_with_the_reason_and_the_third_forfeits() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let good = server.good_bot(&seated.tickets[0]);
        let mut illegal = RawBot::join(&server, &seated.tickets[1]).await;
        let asked = illegal.next_request().await;
        let wrong = asked.legal_count;

        illegal.answer(&asked, Choice::Index(wrong)).await;
        let rejected = illegal.next_rejection().await;
        assert_eq!(rejected.reason(), RefusalReason::IndexOutOfRange);
        assert_eq!(rejected.field, "index");
        assert_eq!(rejected.open_request_id, asked.request_id);
        assert_eq!(rejected.strikes, 1);

        illegal
            .answer(&asked, Choice::Decision(v1::GameDecision { game: None }))
            .await;
        let rejected = illegal.next_rejection().await;
        assert_eq!(rejected.reason(), RefusalReason::MalformedDecision);
        assert!(rejected.field.starts_with("decision"), "{rejected:?}");
        assert_eq!(rejected.strikes, 2);

        illegal.answer(&asked, Choice::Index(wrong)).await;
        assert_eq!(reason(&illegal.end().await.unwrap()), "SEAT_CLOSED");
        let seat = misbehaved(&server, good.await.unwrap().unwrap(), 1).await;
        assert_forfeited(&seat, FaultReason::Illegal);
    }
}

#[tokio::test]
async fn a_bot_that_resigns_forfeits_as_resigned() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let good = server.good_bot(&seated.tickets[0]);
    let mut resigning = RawBot::join(&server, &seated.tickets[1]).await;
    resigning.next_request().await;
    resigning
        .send(play_request::Message::Resign(v1::Resign {}))
        .await;
    assert_eq!(reason(&resigning.end().await.unwrap()), "SEAT_CLOSED");
    assert_forfeited(
        &misbehaved(&server, good.await.unwrap().unwrap(), 1).await,
        FaultReason::Resigned,
    );

    let first = request(play_request::Message::Hello(hello()));
    let again = RawBot::open(&server, &seated.tickets[1], first)
        .await
        .unwrap();
    assert_eq!(reason(&again.end().await.unwrap()), "SEAT_CLOSED");
}

#[tokio::test]
async fn house_bots_finish_a_match_without_any_bot() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server
            .create(with_clock(config(game, 2), |c| c.startup_ms = Some(1)))
            .await;
        let result = server.result(&seated.match_id).await;
        assert!(result.seats.iter().all(|seat| seat.place == 1));
        assert!(
            result
                .seats
                .iter()
                .all(|seat| seat.forfeit() == FaultReason::NeverConnected)
        );
        assert!(result.decisions > 0);
    }
}
