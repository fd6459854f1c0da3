//! Retention of delayed matches: they stay in memory until the delay has ended, within limits.

use std::{future::ready, sync::Arc};

use bridgemaster_proto::v1::{MatchState, WatchMatchesRequest};
use bridgemaster_server::{
    ServerOptions,
    identity::KeyScope::{Create, Play, Read},
};
use bridgemaster_store::Store;
use tonic_types::StatusExt as _;

use crate::{
    caller::{Caller, in_state, play_by},
    delayed_law::AN_HOUR_MS,
    intercepted_store::InterceptedStore,
    streams::{find, limit, outcome, rest, until},
    test_server::{GAMES, TestServer, keeping_one, memory, with_delay, with_limits},
};

const PAGE: &str = include_str!("../../../../docs/reference/limits.md");

/// Completes once a caller no longer finds the match.
async fn forgotten(caller: &Caller, id: &str) {
    until("the match is forgotten", async || outcome(caller.try_info(id).await) == "MATCH_UNKNOWN")
        .await;
}

#[tokio::test]
async fn a_match_is_retained_for_delayed_spectators_however_many_end_meanwhile() {
    let server = TestServer::locked(with_limits(keeping_one())).await;
    let maker = server.caller("maker", &[Create, Read]).await;
    let spectator = server.caller("reader", &[Read]).await;
    let bots = [server.caller("ada", &[Play]).await, server.caller("bob", &[Play]).await];
    let play = async |delay_ms| {
        let seated = maker.create(with_delay(GAMES[0], delay_ms)).await;
        play_by(&[&bots[0], &bots[1]], &seated).await;
        seated.match_id
    };
    let late = play(AN_HOUR_MS).await;
    let older = play(0).await;
    let newer = play(0).await;

    forgotten(&maker, &older).await;
    assert_eq!(maker.info(&late).await.state(), MatchState::Ended);
    assert_waiting_for(&spectator, &late).await;

    // Once its end is visible, the match counts as the one that ended last.
    let sooner = play(700).await;
    rest(spectator.watch(&sooner).await.unwrap()).await;
    assert_eq!(spectator.info(&sooner).await.state(), MatchState::Ended);
    forgotten(&spectator, &newer).await;
    spectator.replay(&sooner).await.unwrap();
    assert_waiting_for(&spectator, &late).await;
}

/// Asserts that a spectator sees the match waiting for bots.
async fn assert_waiting_for(spectator: &Caller, id: &str) {
    assert_eq!(spectator.info(id).await.state(), MatchState::Waiting);
    for (state, is_listed) in [(MatchState::Waiting, true), (MatchState::Ended, false)] {
        let listed = spectator.list_by(in_state(state)).await.unwrap();
        assert_eq!(listed.iter().any(|listed| listed == id), is_listed);
    }
    let overview = spectator.overview(WatchMatchesRequest::default()).await;
    let is_it = |match_id: &str| (match_id == id).then_some(());
    find(&mut overview.unwrap(), |update| is_it(&update.r#match?.match_id)).await;
}

#[tokio::test]
async fn a_restarted_server_loads_and_lists_delayed_ended_matches() {
    let store = memory();
    let mut server = TestServer::over(&store, keeping_one()).await;
    let mut ids = Vec::new();
    for delay_ms in [AN_HOUR_MS, 0, 0, 0] {
        ids.push(server.played(with_delay(GAMES[0], delay_ms)).await.match_id);
    }
    server.crash().await;
    let counting = InterceptedStore::before_reads(store, || ready(Ok(())));
    let store: Arc<dyn Store> = Arc::clone(&counting) as _;
    let server = TestServer::over(&store, keeping_one()).await;
    assert_eq!(counting.finished_read(), 2, "the newest match, and the delayed one");
    for (state, wanted) in [(MatchState::Waiting, &ids[..1]), (MatchState::Ended, &ids[1..])] {
        let mut listed = server.list_by(in_state(state)).await.unwrap();
        listed.sort_by_key(|id| ids.iter().position(|known| known == id));
        assert_eq!(listed, wanted, "{state:?}");
    }
}

#[tokio::test]
async fn delayed_matches_are_limited_per_creator_and_unstarted_ones_free_their_permits() {
    let server = TestServer::locked(ServerOptions::default()).await;
    let greedy = server.caller("greedy", &[Create, Read]).await;
    let other = server.caller("other", &[Create, Read]).await;
    let delayed = || with_delay(GAMES[0], AN_HOUR_MS);
    let mut made = Vec::new();
    let refused = loop {
        match greedy.try_create(delayed()).await {
            Ok(seated) => made.push(seated.match_id),
            Err(refused) => break refused,
        }
    };
    assert_eq!(limit(&refused), "late_matches_per_key");
    let value = &refused.get_details_error_info().unwrap().metadata["value"];
    assert_eq!(*value, made.len().to_string());
    let mut rows = PAGE.lines();
    let row = rows.find(|line| line.contains("\"late_matches_per_key\""));
    assert!(row.unwrap().contains(&format!("; {value} |")), "{row:?}");
    // Matches without a delay are not limited.
    greedy.create(with_delay(GAMES[0], 0)).await;
    other.create(delayed()).await;

    greedy.cancel(&made[0], "").await.unwrap();
    until("the permit is free", async || greedy.try_create(delayed()).await.is_ok()).await;
}
