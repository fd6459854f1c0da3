//! Retention of delayed matches: they stay in memory until the delay has ended, within limits.

use std::{future::ready, sync::Arc};

use bridgemaster_proto::v1::{
    CancelMatchRequest, ListMatchesRequest, MatchFilter, MatchState, WatchMatchesRequest,
};
use bridgemaster_server::{
    Limits,
    identity::{
        ApiKey,
        KeyScope::{Create, Play, Read},
    },
};
use bridgemaster_store::{MemoryStore, Store};
use tokio::time::timeout;
use tonic_types::StatusExt as _;

use crate::{
    delayed_spectators::{AN_HOUR_MS, play_delayed, with_delay},
    intercepted_store::InterceptedStore,
    locked_server::{KeyedCaller, LockedServer},
    raw_bot::reason,
    test_server::{GAMES, PATIENCE, TestServer},
};

const PAGE: &str = include_str!("../../../../docs/operating.md");

/// Limits with one ended match in memory.
fn keeping_one() -> Limits {
    Limits {
        ended_matches_kept: 1,
        ..Limits::default()
    }
}

fn in_state(state: MatchState) -> MatchFilter {
    MatchFilter {
        state: state.into(),
        ..MatchFilter::default()
    }
}

/// Completes once a caller no longer finds the match.
async fn forgotten(caller: KeyedCaller<'_>, id: &str) {
    let forgotten = async {
        loop {
            match caller.info(id).await {
                Ok(_) => {}
                Err(refused) => return assert_eq!(reason(&refused), "MATCH_UNKNOWN"),
            }
        }
    };
    timeout(PATIENCE, forgotten).await.expect("it is forgotten");
}

#[tokio::test]
async fn a_match_is_retained_for_delayed_spectators_however_many_end_meanwhile() {
    let locked = LockedServer::with_limits(keeping_one()).await;
    let maker = locked.key("maker", &[Create, Read]).await;
    let reader = locked.key("reader", &[Read]).await;
    let bots = [
        locked.key("ada", &[Play]).await,
        locked.key("bob", &[Play]).await,
    ];
    let play = |delay_ms| play_delayed(&locked, &maker, [&bots[0], &bots[1]], delay_ms);
    let late = play(AN_HOUR_MS).await.match_id;
    let older = play(0).await.match_id;
    let newer = play(0).await.match_id;

    let (at_once, spectator) = (locked.with(&maker), locked.with(&reader));
    forgotten(at_once, &older).await;
    assert_eq!(
        at_once.info(&late).await.unwrap().state(),
        MatchState::Ended
    );
    assert_waiting_for(spectator, &late).await;

    // Once its end is visible, it counts as the most recently ended match.
    let sooner = play(700).await.match_id;
    let mut updates = spectator.watch(&sooner).await.unwrap();
    let end = async { while updates.message().await.unwrap().is_some() {} };
    timeout(PATIENCE, end).await.expect("its end is shown");
    let shown = spectator.info(&sooner).await.unwrap();
    assert_eq!(shown.state(), MatchState::Ended);
    forgotten(spectator, &newer).await;
    spectator.replay(&sooner).await.unwrap();
    assert_waiting_for(spectator, &late).await;
}

/// Asserts that a spectator sees the match waiting for bots.
async fn assert_waiting_for(spectator: KeyedCaller<'_>, id: &str) {
    let info = spectator.info(id).await.unwrap();
    assert_eq!(info.state(), MatchState::Waiting);
    let waiting = spectator.list_by(in_state(MatchState::Waiting)).await;
    assert!(waiting.unwrap().contains(&id.to_owned()));
    let ended = spectator.list_by(in_state(MatchState::Ended)).await;
    assert!(!ended.unwrap().contains(&id.to_owned()));
    let overview = spectator.overview(WatchMatchesRequest::default()).await;
    let mut overview = overview.unwrap();
    let is_there = async {
        while let Some(one) = overview.message().await.unwrap() {
            if one.r#match.is_some_and(|info| info.match_id == id) {
                return;
            }
        }
    };
    timeout(PATIENCE, is_there).await.expect("it is in play");
}

#[tokio::test]
async fn a_server_loads_only_delayed_ended_matches_at_startup() {
    const DELAYS_MS: [u32; 5] = [AN_HOUR_MS, 0, 0, 0, 0];
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, keeping_one()).await;
    for delay_ms in DELAYS_MS {
        let seated = server.create(with_delay(GAMES[0], delay_ms)).await;
        for bot in [0, 1].map(|seat| server.good_bot(&seated.tickets[seat])) {
            bot.await.unwrap().unwrap();
        }
    }
    server.crash().await;
    let counting = InterceptedStore::before_reads(store, || ready(Ok(())));
    let store: Arc<dyn Store> = Arc::clone(&counting) as _;
    let _server = TestServer::over(&store, keeping_one()).await;
    assert_eq!(counting.finished_read(), 2, "the last, and the late one");
}

#[tokio::test]
async fn a_delayed_match_is_listed_with_its_delay_after_a_restart() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, keeping_one()).await;
    let mut ids = Vec::new();
    for delay_ms in [AN_HOUR_MS, 0, 0] {
        let seated = server.create(with_delay(GAMES[0], delay_ms)).await;
        for bot in [0, 1].map(|seat| server.good_bot(&seated.tickets[seat])) {
            bot.await.unwrap().unwrap();
        }
        ids.push(seated.match_id);
    }
    server.crash().await;
    server = TestServer::over(&store, keeping_one()).await;
    for (state, wanted) in [
        (MatchState::Waiting, &ids[..1]),
        (MatchState::Ended, &ids[1..]),
    ] {
        let request = ListMatchesRequest {
            filter: Some(in_state(state)),
            ..ListMatchesRequest::default()
        };
        let listed = server.matches().list_matches(request).await.unwrap();
        let listed = listed.into_inner().matches.into_iter();
        let mut listed: Vec<_> = listed.map(|info| info.match_id).collect();
        listed.sort_by_key(|id| ids.iter().position(|known| known == id));
        assert_eq!(listed, wanted, "{state:?}");
    }
}

/// Creates delayed matches until one is refused. Returns them, and the limit.
async fn make_all(caller: KeyedCaller<'_>) -> (Vec<String>, String, String) {
    let mut made = Vec::new();
    loop {
        match caller.create(with_delay(GAMES[0], AN_HOUR_MS)).await {
            Ok(seated) => made.push(seated.match_id),
            Err(refused) => {
                assert_eq!(reason(&refused), "LIMIT_REACHED");
                let metadata = refused.get_details_error_info().unwrap().metadata;
                return (made, metadata["limit"].clone(), metadata["value"].clone());
            }
        }
    }
}

#[tokio::test]
async fn delayed_matches_are_limited_per_creator_and_unstarted_ones_free_their_permits() {
    let locked = LockedServer::open().await;
    let keys: [ApiKey; 2] = [
        locked.key("greedy", &[Create, Read]).await,
        locked.key("other", &[Create, Read]).await,
    ];
    let [greedy, other] = [0, 1].map(|number| locked.with(&keys[number]));
    let (made, limit, value) = make_all(greedy).await;
    assert_eq!(limit, "late_matches_per_key");
    assert_eq!(value, made.len().to_string());
    let row = PAGE
        .lines()
        .find(|line| line.contains(&format!("{limit:?}")));
    assert!(row.unwrap().contains(&format!("; {value} |")), "{row:?}");
    // Matches without a delay are not limited.
    greedy.create(with_delay(GAMES[0], 0)).await.unwrap();
    other
        .create(with_delay(GAMES[0], AN_HOUR_MS))
        .await
        .unwrap();

    greedy.cancel(&made[0], "").await.unwrap();
    let again = async {
        while greedy
            .create(with_delay(GAMES[0], AN_HOUR_MS))
            .await
            .is_err()
        {}
    };
    timeout(PATIENCE, again).await.expect("its place is free");
}

#[tokio::test]
async fn cancelling_an_unstarted_match_is_visible_immediately_also_after_a_restart() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut server = TestServer::over(&store, Limits::default()).await;
    let seated = server.create(with_delay(GAMES[0], AN_HOUR_MS)).await;
    let cancel = CancelMatchRequest {
        match_id: seated.match_id.clone(),
        reason: "nobody comes".to_owned(),
    };
    let cancelled = server.matches().cancel_match(cancel).await.unwrap();
    let cancelled = cancelled.into_inner().r#match.unwrap();
    assert_eq!(cancelled.state(), MatchState::Cancelled);
    let is_seen = async { while server.info(&seated.match_id).await != cancelled {} };
    timeout(PATIENCE, is_seen)
        .await
        .expect("it is seen at once");
    server.crash().await;
    server = TestServer::over(&store, Limits::default()).await;
    assert_eq!(server.info(&seated.match_id).await, cancelled);
}
