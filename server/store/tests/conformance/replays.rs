//! Deleted and stored replays.

use bridgemaster_store::{StoreError, Write, WriteRefusal};
use tokio::task::yield_now;

use crate::{
    Subject,
    matches::{commit, drop_match, ended, finish, id, open},
};

fn forget(match_id: &str) -> Write {
    Write::ForgetReplay { match_id: id(match_id) }
}

/// A match that finished without a replay.
fn without_replay(match_id: &str) -> Write {
    match finish(match_id) {
        Write::FinishMatch { match_id, ended_at_unix_ms, summary, parties, index_keys, .. } => {
            Write::FinishMatch {
                match_id,
                ended_at_unix_ms,
                summary,
                replay: Vec::new(),
                parties,
                index_keys,
            }
        }
        other => other,
    }
}

async fn is_forgotten(store: Subject<'_>, match_id: &str) -> bool {
    let replay = store.replay(&id(match_id)).await;
    matches!(replay, Err(StoreError::ReplayForgotten(reported)) if reported == id(match_id))
}

pub(crate) async fn a_forgotten_replay_is_reported_and_its_match_stays(store: Subject<'_>) {
    for match_id in ["a", "b"] {
        commit(store, [open(match_id), finish(match_id)]).await;
    }
    // A second time changes nothing.
    for _ in 0..2 {
        commit(store, [forget("a")]).await;
        assert!(is_forgotten(store, "a").await);
        assert_eq!(store.finished_match(&id("a")).await.unwrap(), Some(ended("a")));
        assert_eq!(store.finished(None, 9).await.unwrap().matches.len(), 2);
        let other = store.replay(&id("b")).await.unwrap().unwrap();
        assert_eq!(other, b"replay of b");
    }
    commit(store, [drop_match("a")]).await;
    assert_eq!(store.replay(&id("a")).await.unwrap(), None);
    commit(store, [open("a"), finish("a")]).await;
    assert!(store.replay(&id("a")).await.unwrap().is_some());
}

pub(crate) async fn only_replays_of_finished_matches_are_forgotten(store: Subject<'_>) {
    commit(store, [open("a")]).await;
    for (match_id, is_expected) in [
        ("a", (|refusal| matches!(refusal, WriteRefusal::MatchInPlay { .. })) as fn(&_) -> bool),
        ("b", |refusal| matches!(refusal, WriteRefusal::UnknownMatch { .. })),
    ] {
        let error = store.commit(vec![forget(match_id)]).await.unwrap_err();
        let refusal = match &error {
            StoreError::WriteRefused { index: 0, refusal } => refusal,
            other => panic!("{other}"),
        };
        assert!(is_expected(refusal), "{refusal}");
    }
    // The match is forgotten in the same batch in which it ends.
    commit(store, [finish("a"), forget("a")]).await;
    assert!(is_forgotten(store, "a").await);
}

pub(crate) async fn stored_replays_are_listed_oldest_first(store: Subject<'_>) {
    assert_eq!(store.stored_replays(None, 9, 0).await.unwrap(), []);
    for match_id in ["c", "a", "e", "b", "d"] {
        commit(store, [open(match_id)]).await;
    }
    for match_id in ["a", "b", "c", "d"] {
        commit(store, [finish(match_id)]).await;
    }
    commit(store, [without_replay("e")]).await;
    commit(store, [forget("b")]).await;
    // Tests that share a PostgreSQL server delay it for each other.
    while store.finished(None, 1).await.unwrap().unsettled > 0 {
        yield_now().await;
    }
    let all = store.stored_replays(None, 9, 0).await.unwrap();
    let found: Vec<_> = all
        .iter()
        .map(|stored| (stored.match_id.to_string(), stored.ended_at_unix_ms, stored.bytes))
        .collect();
    let expected = ["a", "c", "d"].map(|name| (name.to_owned(), 2_000, 11));
    assert_eq!(found, expected);
    // Page by page.
    let one = store.stored_replays(None, 0, 0).await.unwrap();
    assert_eq!(one, all[..1]);
    let rest = store.stored_replays(Some(one[0].cursor), 9, 0).await.unwrap();
    assert_eq!(rest, all[1..]);
    // The newest matches are skipped, including those without a replay.
    let names = async |skip_newest| {
        let stored = store.stored_replays(None, 9, skip_newest).await.unwrap();
        let names = stored.into_iter().map(|stored| stored.match_id.to_string());
        names.collect::<Vec<_>>().concat()
    };
    for (skip_newest, left) in [(1, "acd"), (2, "ac"), (3, "a"), (4, "a"), (5, ""), (u64::MAX, "")]
    {
        assert_eq!(names(skip_newest).await, left, "without the last {skip_newest}");
    }
    commit(store, [drop_match("c")]).await;
    assert_eq!(names(2).await, "a");
}
