//! Bots that the organiser declares absent.

use std::sync::Arc;

use bridgemaster_proto::v1::{ExpireSeatRequest, FaultReason, MatchConfig, SeatState};
use bridgemaster_server::Limits;
use bridgemaster_store::{MemoryStore, Store};
use tonic::{Code, Status};

use crate::{
    raw_bot::{RawBot, reason},
    test_server::{GAMES, TestServer, config, with_clock},
};

const WHY: &str = "its process ended with exit code 3";

async fn expire(server: &TestServer, match_id: &str, seat: u32) -> Result<(), Status> {
    let request = ExpireSeatRequest {
        match_id: match_id.to_owned(),
        seat,
        reason: WHY.to_owned(),
    };
    server.matches().expire_seat(request).await.map(drop)
}

/// A config whose clocks outlast any test.
fn patient() -> MatchConfig {
    with_clock(config(GAMES[0], 2), |clock| {
        let clocks = [&mut clock.bank_ms, &mut clock.cap_ms];
        let waits = [&mut clock.reconnect_ms, &mut clock.startup_ms];
        for ms in clocks.into_iter().chain(waits) {
            *ms = Some(600_000);
        }
    })
}

async fn state(server: &TestServer, match_id: &str, seat: usize) -> SeatState {
    server.info(match_id).await.seats[seat].state()
}

#[tokio::test]
async fn an_expired_bot_forfeits_its_seat_before_and_after_a_crash() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let seated = server.create(patient()).await;
    let id = seated.match_id.as_str();
    let leaver = RawBot::join(&server, &seated.tickets[0]).await;
    let mut other = RawBot::join(&server, &seated.tickets[1]).await;
    other.started().await;
    let refused = expire(&server, id, 0).await.unwrap_err();
    assert_eq!(reason(&refused), "SEAT_TAKEN", "its bot is there");
    let refused = expire(&server, id, 2).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().contains("0..=1"), "{refused:?}");

    drop(leaver);
    while state(&server, id, 0).await != SeatState::Paused {}
    expire(&server, id, 0).await.unwrap();
    expire(&server, id, 0).await.unwrap();
    let known = other.resume_point();
    server.crash().await;
    let server = TestServer::over(&store, Limits::default()).await;
    let refused = RawBot::try_join(server.player().await, &seated.tickets[0]).await;
    assert_eq!(reason(&refused.err().unwrap()), "SEAT_CLOSED");
    let ended = RawBot::resume(&server, &seated.tickets[1], known).await;
    let seat = &ended.result.unwrap().seats[0];
    assert_eq!(seat.forfeit(), FaultReason::Disconnected);
    let [fault] = &seat.faults[..] else {
        panic!("{:?}", seat.faults);
    };
    assert!(fault.detail.ends_with(WHY), "{fault:?}");
    let refused = expire(&server, id, 0).await.unwrap_err();
    assert_eq!(reason(&refused), "MATCH_ENDED");
}

#[tokio::test]
async fn a_match_starts_without_a_bot_that_expired_before_it_joined() {
    let server = TestServer::open().await;
    let seated = server.create(patient()).await;
    let id = seated.match_id.as_str();
    expire(&server, id, 1).await.unwrap();
    let ended = RawBot::join(&server, &seated.tickets[0])
        .await
        .play_on()
        .await;
    let forfeit = ended.result.unwrap().seats[1].forfeit();
    assert_eq!(forfeit, FaultReason::NeverConnected);
}
