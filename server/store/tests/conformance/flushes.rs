use bridgemaster_store::{StoreError, WriteRefusal};

use crate::{
    Subject,
    matches::{append, assert_in_play, commit, id, in_play, open},
};

/// The number of concurrent commits: more than any store flushes at the same time.
const COMMITS: u64 = 12;

pub(crate) async fn commits_are_stored_in_the_order_in_which_they_begin(store: Subject<'_>) {
    commit(store, [open("a")]).await;
    let mut flushes = Vec::new();
    for number in 0..COMMITS {
        let flush = store.begin_commit(vec![append("a", number)]).await;
        flushes.push(flush.unwrap());
    }
    // Once the last is durable, all are.
    for flush in flushes.into_iter().rev() {
        flush.wait().await.unwrap();
        let found = store.open_match(&id("a")).await.unwrap();
        assert_eq!(found, Some(in_play("a", COMMITS)));
    }
}

pub(crate) async fn a_refused_batch_changes_nothing_of_those_around_it(store: Subject<'_>) {
    commit(store, [open("a")]).await;
    let first = store.begin_commit(vec![append("a", 0)]).await.unwrap();
    let gap = store.begin_commit(vec![append("a", 5)]).await.unwrap_err();
    let refusal = WriteRefusal::NumberOutOfOrder { match_id: id("a"), number: 5, expected: 1 };
    let StoreError::WriteRefused { index: 0, refusal: reported } = gap else {
        panic!("{gap:?}");
    };
    assert_eq!(reported, refusal);
    let last = store.begin_commit(vec![append("a", 1)]).await.unwrap();
    last.wait().await.unwrap();
    first.wait().await.unwrap();
    assert_in_play(store, "a", 2).await;
}

pub(crate) async fn a_commit_is_stored_even_if_it_is_not_awaited(store: Subject<'_>) {
    commit(store, [open("a")]).await;
    drop(store.begin_commit(vec![append("a", 0)]).await.unwrap());
    commit(store, [append("a", 1)]).await;
    assert_in_play(store, "a", 2).await;
}
