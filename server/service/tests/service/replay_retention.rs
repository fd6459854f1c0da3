//! Replays that the operator does not retain: results stay, and the replay is refused with the
//! reason.

use std::{sync::Arc, time::Duration};

use bridgemaster_proto::v1::{MatchState, WatchPositionsRequest, watch_positions_request::Source};
use bridgemaster_server::KeepReplays;
use bridgemaster_store::{MemoryStore, Store};

use crate::{
    metrics::scrape,
    raw_bot::reason,
    replay_files::{file, open_keeping, play, until},
    test_server::TestServer,
};

async fn is_forgotten(server: &TestServer, match_id: &str) -> bool {
    let replay = server.replay(match_id).await;
    replay.is_err_and(|refused| reason(&refused) == "REPLAY_FORGOTTEN")
}

fn last(count: u64) -> KeepReplays {
    KeepReplays::Last(count.try_into().unwrap())
}

#[tokio::test]
async fn replays_of_older_matches_are_deleted_and_their_results_stay() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = open_keeping(KeepReplays::All, None, Some(&store)).await;
    let mut ids = Vec::new();
    // Deletion takes several commits.
    for _ in 0..20 {
        ids.push(play(&server).await);
    }
    server.crash().await;
    let server = open_keeping(last(2), None, Some(&store)).await;
    let (kept, old) = (&ids[18..], &ids[..18]);
    until("the older ones are forgotten", async || {
        scrape(&server).await["bridgemaster_replays_forgotten_total"] >= 18.0
    })
    .await;
    for match_id in old {
        assert!(is_forgotten(&server, match_id).await, "{match_id}");
        let info = server.info(match_id).await;
        assert_eq!(info.state(), MatchState::Ended);
        assert!(info.result.is_some());
    }
    for match_id in kept {
        server.replay(match_id).await.unwrap();
    }
    let watch = WatchPositionsRequest {
        source: Some(Source::MatchId(old[0].clone())),
        ..WatchPositionsRequest::default()
    };
    let watched = server.matches().watch_positions(watch).await;
    let mut positions = watched.unwrap().into_inner();
    let refused = loop {
        match positions.message().await {
            Ok(message) => assert!(message.is_some(), "the stream ends without a refusal"),
            Err(refused) => break refused,
        }
    };
    assert_eq!(reason(&refused), "REPLAY_FORGOTTEN");
}

#[tokio::test]
async fn replays_are_deleted_by_the_age_of_their_matches() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = open_keeping(KeepReplays::All, None, Some(&store)).await;
    let match_id = play(&server).await;
    server.crash().await;
    let hour = Duration::from_secs(60 * 60);
    let mut server = open_keeping(KeepReplays::For(hour), None, Some(&store)).await;
    server.replay(&match_id).await.unwrap();
    server.crash().await;
    let server = open_keeping(KeepReplays::For(Duration::ZERO), None, Some(&store)).await;
    until("it is forgotten", async || {
        is_forgotten(&server, &match_id).await
    })
    .await;
}

#[tokio::test]
async fn a_replay_is_deleted_once_its_file_is_written() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = open_keeping(KeepReplays::All, None, Some(&store)).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(play(&server).await);
    }
    server.crash().await;
    let folder = tempfile::tempdir().unwrap();
    let server = open_keeping(last(1), Some(folder.path()), Some(&store)).await;
    until("the oldest is forgotten", async || {
        is_forgotten(&server, &ids[0]).await
    })
    .await;
    for match_id in &ids {
        assert!(file(folder.path(), match_id).is_file(), "{match_id}");
    }
}
