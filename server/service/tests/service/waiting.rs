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
    late_spectators::seen_late,
    raw_bot::{RawBot, reason},
    test_server::{GAMES, PATIENCE, Seated, TestServer, config},
};

/// The longest wait.
const MOST_MS: u32 = 60_000;

/// A call that waits for so long, as it goes on by itself.
fn waiting(
    server: &TestServer,
    match_id: &str,
    wait_ms: u32,
) -> JoinHandle<Result<MatchInfo, Status>> {
    let mut matches = server.matches();
    let request = GetMatchRequest {
        match_id: match_id.to_owned(),
        wait_ms,
        without_config: true,
    };
    tokio::spawn(async move {
        let got = matches.get_match(request).await?;
        Ok(got.into_inner().r#match.unwrap())
    })
}

/// The answer, which comes long before the longest wait is over.
async fn answer(call: JoinHandle<Result<MatchInfo, Status>>) -> Result<MatchInfo, Status> {
    let begun = Instant::now();
    let answer = timeout(PATIENCE, call).await.unwrap().unwrap();
    assert!(begun.elapsed() < Duration::from_millis(MOST_MS.into()));
    answer
}

async fn play(server: &TestServer, seated: &Seated) {
    let good = server.good_bot(&seated.tickets[1]);
    let bot = RawBot::join(server, &seated.tickets[0]).await;
    bot.play_on().await;
    good.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_call_that_waits_is_answered_when_the_match_is_over_with_its_stored_end() {
    for server in TestServer::without_and_with_store().await {
        let seated = server.create(config(GAMES[0], 2)).await;
        let calls = [(); 3].map(|()| waiting(&server, &seated.match_id, MOST_MS));
        play(&server, &seated).await;
        let whole = server.info(&seated.match_id).await;
        assert!(whole.config.is_some());
        let without_config = MatchInfo {
            config: None,
            ..whole
        };
        assert_eq!(without_config.state(), MatchState::Ended);
        for call in calls {
            assert_eq!(answer(call).await.unwrap(), without_config);
        }
        // Of one that is only in the store where there is one.
        play(&server, &server.create(config(GAMES[0], 2)).await).await;
        let late = waiting(&server, &seated.match_id, MOST_MS);
        assert_eq!(answer(late).await.unwrap(), without_config);
    }
}

#[tokio::test]
async fn a_call_waits_no_longer_than_it_asks_for_and_not_on_a_server_that_ends() {
    let limits = Limits {
        drain_time: 10 * PATIENCE,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let playing = RawBot::join(&server, &seated.tickets[0]).await;
    let waited = answer(waiting(&server, &seated.match_id, 1)).await;
    assert_eq!(waited.unwrap().state(), MatchState::Waiting);
    for too_long in [MOST_MS + 1, u32::MAX] {
        let refused = answer(waiting(&server, &seated.match_id, too_long)).await;
        let refused = refused.unwrap_err();
        assert!(refused.message().starts_with("wait_ms: "), "{refused:?}");
    }

    let call = waiting(&server, &seated.match_id, MOST_MS);
    server.drain.cancel();
    let drained = answer(call).await.unwrap();
    assert_eq!(drained.state(), MatchState::Waiting);
    let again = answer(waiting(&server, &seated.match_id, MOST_MS)).await;
    assert_eq!(again.unwrap().state(), MatchState::Waiting);
    server.stop.cancel();
    let told = playing.end().await.unwrap();
    assert_eq!(reason(&told), "SERVER_STOPPING");
}

#[tokio::test]
async fn who_sees_a_match_late_waits_for_the_end_that_he_sees() {
    let server = TestServer::open().await;
    let seated = server.create(seen_late(GAMES[0], 500)).await;
    let call = waiting(&server, &seated.match_id, MOST_MS);
    play(&server, &seated).await;
    let seen = answer(call).await.unwrap();
    assert_eq!(seen.state(), MatchState::Ended);
    assert!(seen.result.is_some());
}

#[tokio::test]
async fn who_makes_a_match_need_not_be_told_its_config() {
    let server = TestServer::open().await;
    for without_config in [false, true] {
        let request = CreateMatchRequest {
            config: Some(config(GAMES[0], 2)),
            without_config,
            ..CreateMatchRequest::default()
        };
        let made = server.matches().create_match(request).await.unwrap();
        let info = made.into_inner().r#match.unwrap();
        assert_eq!(info.config.is_none(), without_config);
        assert!(server.info(&info.match_id).await.config.is_some());
    }
}
