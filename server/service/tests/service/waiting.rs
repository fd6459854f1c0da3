//! Calls that wait for the end of a match.

use std::time::Duration;

use bridgemaster_proto::v1::{CreateMatchRequest, GetMatchRequest, MatchInfo, MatchState};
use bridgemaster_server::Limits;
use tokio::{
    task::JoinHandle,
    time::{Instant, timeout},
};
use tonic::Status;

use crate::{
    caller::creating,
    streams::{PATIENCE, assert_invalid, reason},
    test_server::{GAMES, TestServer, of_two, with_delay},
};

/// The longest wait that a call may request, in ms.
const MAX_WAIT_MS: u32 = 60_000;

/// Starts a call that waits for this time.
fn waiting(
    server: &TestServer,
    match_id: &str,
    wait_ms: u32,
) -> JoinHandle<Result<MatchInfo, Status>> {
    let mut matches = server.matches();
    let request = GetMatchRequest { match_id: match_id.to_owned(), wait_ms, without_config: true };
    tokio::spawn(async move {
        let got = matches.get_match(request).await?;
        Ok(got.into_inner().r#match.unwrap())
    })
}

/// Returns the response, and asserts that it arrives long before the longest wait has passed.
async fn answer(call: JoinHandle<Result<MatchInfo, Status>>) -> Result<MatchInfo, Status> {
    let started = Instant::now();
    let answer = timeout(PATIENCE, call).await.unwrap().unwrap();
    assert!(started.elapsed() < Duration::from_millis(MAX_WAIT_MS.into()));
    answer
}

#[tokio::test]
async fn a_waiting_call_returns_the_committed_end_of_the_match() {
    for server in TestServer::without_and_with_store().await {
        let seated = server.create(of_two()).await;
        let calls = [(); 3].map(|()| waiting(&server, &seated.match_id, MAX_WAIT_MS));
        server.play(&seated).await;
        let whole = server.info(&seated.match_id).await;
        assert!(whole.config.is_some());
        let without_config = MatchInfo { config: None, ..whole };
        assert_eq!(without_config.state(), MatchState::Ended);
        for call in calls {
            assert_eq!(answer(call).await.unwrap(), without_config);
        }
        // Includes a match that is only in the store, if there is a store.
        server.played(of_two()).await;
        let late = waiting(&server, &seated.match_id, MAX_WAIT_MS);
        assert_eq!(answer(late).await.unwrap(), without_config);
    }
}

#[tokio::test]
async fn a_call_waits_no_longer_than_requested_and_not_on_a_stopping_server() {
    let limits = Limits { drain_time: 10 * PATIENCE, ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(of_two()).await;
    let id = &*seated.match_id;
    let playing = server.join(&seated.tickets[0]).await;
    let waited = answer(waiting(&server, id, 1)).await;
    assert_eq!(waited.unwrap().state(), MatchState::Waiting);
    for too_long in [MAX_WAIT_MS + 1, u32::MAX] {
        let refused = answer(waiting(&server, id, too_long)).await;
        assert_invalid(refused, "wait_ms: ");
    }

    let call = waiting(&server, id, MAX_WAIT_MS);
    server.drain.cancel();
    for call in [call, waiting(&server, id, MAX_WAIT_MS)] {
        assert_eq!(answer(call).await.unwrap().state(), MatchState::Waiting);
    }
    server.stop.cancel();
    let end = playing.end().await.unwrap();
    assert_eq!(reason(&end), "SERVER_STOPPING");
}

#[tokio::test]
async fn a_delayed_viewer_waits_for_the_visible_end() {
    let server = TestServer::open().await;
    let seated = server.create(with_delay(GAMES[0], 500)).await;
    let call = waiting(&server, &seated.match_id, MAX_WAIT_MS);
    server.play(&seated).await;
    let seen = answer(call).await.unwrap();
    assert_eq!(seen.state(), MatchState::Ended);
    assert!(seen.result.is_some());
}

#[tokio::test]
async fn a_created_match_can_be_returned_without_its_config() {
    let server = TestServer::open().await;
    for without_config in [false, true] {
        let request = CreateMatchRequest { without_config, ..creating(of_two()) };
        let made = server.create_by(request).await.unwrap();
        let info = made.r#match.unwrap();
        assert_eq!(info.config.is_none(), without_config);
        assert!(server.info(&info.match_id).await.config.is_some());
    }
}
