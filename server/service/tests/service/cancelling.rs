//! Cancellation of matches, and bots that the organiser declares absent.

use bridgemaster_proto::v1::{FaultReason, MatchConfig, MatchState, SeatState, TimeControl};
use bridgemaster_server::identity::KeyScope::{Admin, Create, Play, Read};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::{
    caller::in_state,
    metrics::scrape,
    raw_bot::{RawBot, hello_message},
    streams::{assert_invalid, outcome, reason, rest, until},
    test_server::{TestServer, keeping_one, memory, of_two, with_clock},
};

const WHY: &str = "the wrong bot came";

fn assert_cancelled(refused: &Status) {
    assert_eq!(reason(refused), "MATCH_CANCELLED", "{refused:?}");
    assert_eq!(refused.code(), Code::FailedPrecondition);
    let info = refused.get_details_error_info().unwrap();
    assert_eq!(info.metadata["reason"], WHY);
}

#[tokio::test]
async fn cancelling_a_match_ends_its_streams_and_keeps_its_record() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let id = seated.match_id.as_str();
    let bots = server.join_all(&seated).await;
    let updates = server.watch(id).await.unwrap();

    let info = server.cancel(id, WHY).await.unwrap();
    assert_eq!(info.state(), MatchState::Cancelled);
    let why = info.cancellation.clone().unwrap();
    assert_eq!((why.reason.as_str(), why.cancelled_by.as_str()), (WHY, ""));
    assert!(info.result.is_none());
    assert!(info.ended_unix_ms >= info.started_unix_ms && info.started_unix_ms > 0);
    assert_eq!(info.seed_salt, "", "its seed stays secret");
    assert_eq!(info.config.as_ref().unwrap().seed, None);

    for bot in bots {
        assert_cancelled(&bot.end().await.unwrap());
    }
    let last = rest(updates).await.pop().unwrap().r#match;
    assert_eq!(last.unwrap(), info);

    let refused = RawBot::refused(&server, &seated.tickets[0], hello_message()).await;
    assert_cancelled(&refused);
    assert_cancelled(&server.replay(id).await.unwrap_err());
    assert_eq!(server.info(id).await, info);
    let listed = async |state| server.list_by(in_state(state)).await.unwrap();
    assert_eq!(listed(MatchState::Cancelled).await, [id]);
    for other in [MatchState::Waiting, MatchState::Running, MatchState::Ended] {
        assert!(listed(other).await.is_empty(), "{other:?}");
    }
    let again = server.cancel(id, WHY).await.unwrap();
    assert_eq!(again, info, "cancelled again");
    let counted = scrape(&server).await;
    assert_eq!(counted["bridgemaster_matches_cancelled_total"], 1.0);
    assert_eq!(counted["bridgemaster_matches{state=\"running\"}"], 0.0);
}

#[tokio::test]
async fn cancelled_and_finished_matches_keep_their_states_after_a_restart() {
    let mut server = TestServer::over(&memory(), keeping_one()).await;
    let mut cancelled = Vec::new();
    let mut tickets = Vec::new();
    for _ in 0..2 {
        let seated = server.create(of_two()).await;
        let _bot = server.join(&seated.tickets[0]).await;
        cancelled.insert(0, server.cancel(&seated.match_id, WHY).await.unwrap());
        tickets = seated.tickets;
    }
    server.restart().await;
    for info in &cancelled {
        assert_eq!(server.info(&info.match_id).await, *info);
        assert_cancelled(&server.replay(&info.match_id).await.unwrap_err());
        assert_eq!(server.cancel(&info.match_id, WHY).await.unwrap(), *info);
    }
    let ids = [&*cancelled[0].match_id, &*cancelled[1].match_id];
    for state in [MatchState::Cancelled, MatchState::Unspecified] {
        assert_eq!(server.list_by(in_state(state)).await.unwrap(), ids);
    }
    let ended = server.list_by(in_state(MatchState::Ended)).await;
    assert!(ended.unwrap().is_empty());
    assert_cancelled(&RawBot::refused(&server, &tickets[0], hello_message()).await);
    assert!(server.store().open_match_ids().await.unwrap().is_empty());
    assert_eq!(server.store().finished(None, 9).await.unwrap().matches.len(), 2);

    let ended = server.played(of_two()).await.match_id;
    assert_eq!(outcome(server.cancel(&ended, WHY).await), "MATCH_ENDED");
    assert!(server.info(&ended).await.result.is_some());
}

#[tokio::test]
async fn only_the_creator_and_admins_may_cancel_a_match() {
    let server = TestServer::locked(Default::default()).await;
    let maker = server.caller("maker", &[Create]).await;
    let admin = server.caller("admin", &[Admin]).await;
    let reader = server.caller("reader", &[Read]).await;
    let player = server.caller("player", &[Play]).await;
    let other = server.caller("other", &[Create]).await;
    for (by, name) in [(&maker, "maker"), (&admin, "admin")] {
        let seated = maker.create(of_two()).await;
        let _bot = player.join(&seated.tickets[0]).await;
        let id = seated.match_id.as_str();
        for (caller, why) in
            [(&reader, "SCOPE_MISSING"), (&player, "SCOPE_MISSING"), (&other, "MATCH_UNKNOWN")]
        {
            assert_eq!(outcome(caller.cancel(id, WHY).await), why);
        }
        let info = by.cancel(id, WHY).await.unwrap();
        assert_eq!(info.cancellation.unwrap().cancelled_by, name);
    }
    let made = maker.create(of_two()).await;
    for bad in ["x".repeat(257).as_str(), "a\nb"] {
        assert_invalid(maker.cancel(&made.match_id, bad).await, "reason: ");
    }
}

/// Returns a config whose clocks do not expire during a test.
fn patient() -> MatchConfig {
    with_clock(of_two(), |clock| {
        clock.time_control = Some(TimeControl::fischer(600_000, 0, 600_000));
        (clock.reconnect_ms, clock.startup_ms) = (Some(600_000), Some(600_000));
    })
}

#[tokio::test]
async fn an_expired_bot_forfeits_its_seat_before_and_after_a_crash() {
    let mut server = TestServer::stored().await;
    let seated = server.create(patient()).await;
    let id = seated.match_id.as_str();
    let [leaver, mut other] = server.join_all(&seated).await;
    other.started().await;
    let present = server.expire(id, 0, WHY).await;
    assert_eq!(outcome(present), "SEAT_TAKEN", "the seat's bot is connected");
    let refused = server.expire(id, 2, WHY).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().contains("0..=1"), "{refused:?}");

    drop(leaver);
    until("the seat is paused", async || {
        server.info(id).await.seats[0].state() == SeatState::Paused
    })
    .await;
    for _ in 0..2 {
        server.expire(id, 0, WHY).await.unwrap();
    }
    let known = other.resume_point();
    server.restart().await;
    let back = RawBot::try_join(&server, &seated.tickets[0]).await;
    assert_eq!(outcome(back), "SEAT_CLOSED");
    let ended = RawBot::resume(&server, &seated.tickets[1], known).await;
    let seat = &ended.result.unwrap().seats[0];
    assert_eq!(seat.forfeit(), FaultReason::Disconnected);
    let [fault] = &seat.faults[..] else {
        panic!("{:?}", seat.faults);
    };
    assert!(fault.detail.ends_with(WHY), "{fault:?}");
    assert_eq!(outcome(server.expire(id, 0, WHY).await), "MATCH_ENDED");
}

#[tokio::test]
async fn a_match_starts_without_a_bot_that_expired_before_it_joined() {
    let server = TestServer::open().await;
    let seated = server.create(patient()).await;
    server.expire(&seated.match_id, 1, WHY).await.unwrap();
    let ended = server.join(&seated.tickets[0]).await.play_on().await;
    let forfeit = ended.result.unwrap().seats[1].forfeit();
    assert_eq!(forfeit, FaultReason::NeverConnected);
}
