//! Replays that are kept no more.

use bridgemaster_store::{StoreError, Write, WriteRefusal};

use crate::{
    Subject,
    matches::{drop_match, ended, finish, id, open},
};

fn forget(match_id: &str) -> Write {
    Write::ForgetReplay {
        match_id: id(match_id),
    }
}

/// A match that finished without a replay.
fn without_replay(match_id: &str) -> Write {
    match finish(match_id) {
        Write::FinishMatch {
            match_id,
            ended_at_unix_ms,
            summary,
            parties,
            ..
        } => Write::FinishMatch {
            match_id,
            ended_at_unix_ms,
            summary,
            replay: Vec::new(),
            parties,
        },
        other => other,
    }
}

async fn is_forgotten(store: Subject<'_>, match_id: &str) -> bool {
    let replay = store.replay(&id(match_id)).await;
    matches!(replay, Err(StoreError::ReplayForgotten { match_id: told }) if told == id(match_id))
}

pub(crate) async fn a_replay_that_is_kept_no_more_says_so_and_its_match_stays(store: Subject<'_>) {
    for match_id in ["a", "b"] {
        store
            .commit(vec![open(match_id), finish(match_id)])
            .await
            .unwrap();
    }
    // A second time changes nothing.
    for _ in 0..2 {
        store.commit(vec![forget("a")]).await.unwrap();
        assert!(is_forgotten(store, "a").await);
        assert_eq!(
            store.finished_match(&id("a")).await.unwrap(),
            Some(ended("a"))
        );
        assert_eq!(store.match_counts().await.unwrap().finished, 2);
        let other = store.replay(&id("b")).await.unwrap().unwrap();
        assert_eq!(other, b"replay of b");
    }
    store.commit(vec![drop_match("a")]).await.unwrap();
    assert_eq!(store.replay(&id("a")).await.unwrap(), None);
    store.commit(vec![open("a"), finish("a")]).await.unwrap();
    assert!(store.replay(&id("a")).await.unwrap().is_some());
}

pub(crate) async fn only_replays_of_finished_matches_are_forgotten(store: Subject<'_>) {
    store.commit(vec![open("a")]).await.unwrap();
    for (match_id, is_told) in [
        (
            "a",
            (|refusal| matches!(refusal, WriteRefusal::MatchInPlay { .. })) as fn(&_) -> bool,
        ),
        ("b", |refusal| {
            matches!(refusal, WriteRefusal::UnknownMatch { .. })
        }),
    ] {
        let error = store.commit(vec![forget(match_id)]).await.unwrap_err();
        let refusal = match &error {
            StoreError::WriteRefused { index: 0, refusal } => refusal,
            other => panic!("{other}"),
        };
        assert!(is_told(refusal), "{refusal}");
    }
    // In the batch in which it ends.
    store.commit(vec![finish("a"), forget("a")]).await.unwrap();
    assert!(is_forgotten(store, "a").await);
}

pub(crate) async fn kept_replays_come_from_the_first_that_finished_on(store: Subject<'_>) {
    assert_eq!(store.kept_replays(None, 9, 0).await.unwrap(), []);
    for match_id in ["c", "a", "e", "b", "d"] {
        store.commit(vec![open(match_id)]).await.unwrap();
    }
    for match_id in ["a", "b", "c", "d"] {
        store.commit(vec![finish(match_id)]).await.unwrap();
    }
    store.commit(vec![without_replay("e")]).await.unwrap();
    store.commit(vec![forget("b")]).await.unwrap();
    let all = store.kept_replays(None, 9, 0).await.unwrap();
    let told: Vec<_> = all
        .iter()
        .map(|kept| (kept.match_id.to_string(), kept.ended_at_unix_ms, kept.bytes))
        .collect();
    let expected = ["a", "c", "d"].map(|name| (name.to_owned(), 2_000, 11));
    assert_eq!(told, expected);
    // Page by page.
    let one = store.kept_replays(None, 0, 0).await.unwrap();
    assert_eq!(one, all[..1]);
    let rest = store.kept_replays(Some(one[0].place), 9, 0).await.unwrap();
    assert_eq!(rest, all[1..]);
    // The last that finished are left out, those without a replay counted.
    let names = async |spared| {
        let kept = store.kept_replays(None, 9, spared).await.unwrap();
        let names = kept.into_iter().map(|kept| kept.match_id.to_string());
        names.collect::<Vec<_>>().concat()
    };
    for (spared, left) in [
        (1, "acd"),
        (2, "ac"),
        (3, "a"),
        (4, "a"),
        (5, ""),
        (u64::MAX, ""),
    ] {
        assert_eq!(names(spared).await, left, "without the last {spared}");
    }
    store.commit(vec![drop_match("c")]).await.unwrap();
    assert_eq!(names(2).await, "a");
}
