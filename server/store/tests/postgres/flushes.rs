//! Commits that are flushed by another connection, while the next ones are made.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bridgemaster_store::{Flush, KeyStore as _, PostgresStore, Store as _, StoreError, Write};
use tokio::task::{JoinHandle, yield_now};

use crate::{
    fence::{append, finish, id, key, open, store},
    nodes::node,
    postgres_server::{PostgresServer, Transaction},
};

/// Flags with which each flush waits 50 ms: long enough that commits are made and the database
/// crashes meanwhile.
const SLOW_FLUSH: &str = "-c fsync=on -c commit_delay=50000 -c commit_siblings=0";

/// Commits after which a store has noticed that flushes are slow, at most.
const NOTICED_AFTER: u64 = 100;

/// Commits that the load below keeps on their way.
const IN_FLIGHT: usize = 3;

/// Adds entries to a match that has none, until the store flushes them apart; how many.
async fn noticed(store: &PostgresStore, match_id: &str) -> u64 {
    for number in 0..NOTICED_AFTER {
        let flush = store.begin_commit(vec![append(match_id, number)]).await;
        let flush = flush.unwrap();
        let is_apart = !flush.is_done();
        flush.wait().await.unwrap();
        if is_apart {
            return number + 1;
        }
    }
    panic!("commits still wait for each other");
}

/// A store with a match `a`, whose commits are flushed apart, and how many entries that has.
async fn slow(url: &str) -> (Arc<PostgresStore>, u64) {
    let store = store(url).await;
    store.commit(vec![open("a")]).await.unwrap();
    let entries = noticed(&store, "a").await;
    (store, entries)
}

async fn begun(store: &PostgresStore, write: Write) -> JoinHandle<Result<(), StoreError>> {
    let flush: Flush = store.begin_commit(vec![write]).await.unwrap();
    assert!(!flush.is_done());
    tokio::spawn(flush.wait())
}

fn schema(url: &str) -> &str {
    url.rsplit('=').next().unwrap()
}

async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        yield_now().await;
    }
}

/// How many flushes of the stores of a schema wait for a lock of a table that commits do not need.
fn held_up(server: &PostgresServer, url: &str) -> usize {
    let waiting = server.run(&format!(
        "SELECT count(*) FROM pg_locks
         WHERE NOT granted AND relation = '{}.given_number'::regclass",
        schema(url)
    ));
    waiting.parse().unwrap()
}

/// What keeps every flush of the stores of a schema waiting, until it is committed.
fn holding_up(server: &PostgresServer, url: &str) -> Transaction {
    server.open_transaction(&format!(
        "LOCK TABLE {}.given_number IN ACCESS EXCLUSIVE MODE",
        schema(url)
    ))
}

/// The next entry of the match `a`, of which there are so many, and what keeps its flush waiting.
async fn held_up_flush(
    server: &PostgresServer,
    url: &str,
    store: &PostgresStore,
    entries: u64,
) -> (Transaction, JoinHandle<Result<(), StoreError>>) {
    let holding_up = holding_up(server, url);
    let flush = begun(store, append("a", entries)).await;
    until(|| held_up(server, url) == 1).await;
    (holding_up, flush)
}

pub(crate) async fn commits_are_made_while_an_earlier_one_is_flushed() {
    let server = PostgresServer::start_with(SLOW_FLUSH);
    let url = server.fresh();
    let (subject, mut entries) = slow(&url).await;
    // What is flushed waits for a standby that never comes.
    server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    server.run("SELECT pg_reload_conf()");
    let is_held_up = || {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        server.run(waiting) != "0"
    };
    let first = loop {
        let flush = begun(&subject, append("a", entries)).await;
        entries += 1;
        // Until the database has read its settings, flushes do not wait.
        until(|| flush.is_finished() || is_held_up()).await;
        if !flush.is_finished() {
            break flush;
        }
    };
    let second = begun(&subject, append("a", entries)).await;
    let third = begun(&subject, append("a", entries + 1)).await;
    let found = server.run(&format!(
        "SELECT max(batch) - min(batch) FROM {}.journal",
        schema(&url)
    ));
    // Others see them all, the opening of the store and of the match before them.
    assert_eq!(found.parse::<u64>().unwrap(), entries + 2 + 1);
    assert!(
        ![&first, &second, &third]
            .iter()
            .any(|flush| flush.is_finished())
    );
    server.run("ALTER SYSTEM RESET synchronous_standby_names");
    server.run("SELECT pg_reload_conf()");
    for flush in [first, second, third] {
        flush.await.unwrap().unwrap();
    }
}

pub(crate) async fn a_batch_that_others_act_on_at_once_waits_for_its_flush() {
    let server = PostgresServer::start_with(SLOW_FLUSH);
    let (subject, entries) = slow(&server.fresh()).await;
    let drop = Write::DropMatch { match_id: id("a") };
    let batch = vec![append("a", entries), drop];
    assert!(subject.begin_commit(batch).await.unwrap().is_done());
    let opened = subject.begin_commit(vec![open("b")]).await.unwrap();
    assert!(!opened.is_done());
    opened.wait().await.unwrap();
}

pub(crate) async fn acknowledged_commits_survive_a_crash_and_all_others_follow_once() {
    let mut server = PostgresServer::start_with(SLOW_FLUSH);
    let url = server.fresh();
    let (subject, mut entries) = slow(&url).await;
    let acknowledged = Arc::new(AtomicU64::new(entries));
    for _ in 0..3 {
        let (writer, told) = (Arc::clone(&subject), Arc::clone(&acknowledged));
        let committing = tokio::spawn(async move {
            let mut flushes = VecDeque::new();
            for number in entries..entries + 60 {
                let flush = writer.begin_commit(vec![append("a", number)]).await;
                flushes.push_back(flush.unwrap());
                if flushes.len() == IN_FLIGHT {
                    flushes.pop_front().unwrap().wait().await.unwrap();
                    told.fetch_add(1, Ordering::Relaxed);
                }
            }
            for flush in flushes {
                flush.wait().await.unwrap();
                told.fetch_add(1, Ordering::Relaxed);
            }
        });
        let before = acknowledged.load(Ordering::Relaxed);
        until(|| acknowledged.load(Ordering::Relaxed) > before + 5).await;
        server.stop();
        server.go_on();
        committing.await.unwrap();
        entries += 60;
        // Each is there once and in its place: others would be told as damage.
        let found = subject.open_match(&id("a")).await.unwrap().unwrap();
        assert_eq!(found.journal.len() as u64, entries);
        assert_eq!(acknowledged.load(Ordering::Relaxed), entries);
    }
    // The server crashes with its database: what it was told of is there.
    let lost = begun(&subject, append("a", entries)).await;
    server.stop();
    lost.abort();
    drop(subject);
    server.go_on();
    let next = PostgresStore::open(&url, bridgemaster_store::Durability::Power)
        .await
        .unwrap();
    let found = next.open_match(&id("a")).await.unwrap().unwrap();
    assert!(
        found.journal.len() as u64 >= entries,
        "{}",
        found.journal.len()
    );
}

pub(crate) async fn what_a_crash_has_lost_is_put_back_before_anything_else() {
    let mut server = PostgresServer::start_with(SLOW_FLUSH);
    let url = server.fresh();
    let (subject, entries) = slow(&url).await;
    subject.commit(vec![open("b")]).await.unwrap();
    let newest = |server: &PostgresServer| {
        let newest = format!("SELECT max(batch) FROM {}.journal", schema(&url));
        server.run(&newest).parse::<u64>().unwrap()
    };
    let last = newest(&server);
    let lost = [
        begun(&subject, append("a", entries)).await,
        begun(&subject, finish("a")).await,
        begun(&subject, append("b", 0)).await,
    ];
    server.stop();
    server.go_on();
    // Nothing else is committed: the flush finds out.
    for flush in lost {
        flush.await.unwrap().unwrap();
    }
    assert_eq!(newest(&server), last + 3);
    let lost = begun(&subject, append("b", 1)).await;
    server.stop();
    server.go_on();
    // Another piece of work meets the lost connection first.
    subject.add_key(key("north")).await.unwrap();
    assert_eq!(newest(&server), last + 4);
    subject.commit(vec![append("b", 2)]).await.unwrap();
    lost.await.unwrap().unwrap();
    let journal = subject.open_match(&id("b")).await.unwrap().unwrap().journal;
    assert_eq!(journal, [b"b 0", b"b 1", b"b 2"]);
    assert!(subject.replay(&id("a")).await.unwrap().is_some());
    let counts = subject.match_counts().await.unwrap();
    assert_eq!((counts.open, counts.finished), (1, 1));
}

pub(crate) async fn a_server_that_was_taken_over_acknowledges_nothing_that_was_not_flushed() {
    let server = PostgresServer::start_with(SLOW_FLUSH);
    let url = server.fresh();
    let (first, entries) = slow(&url).await;
    let (holding_up, flush) = held_up_flush(&server, &url, &first, entries).await;
    let second = store(&url).await;
    holding_up.commit();
    let refused = flush.await.unwrap().unwrap_err();
    assert!(
        matches!(refused, StoreError::EpochOver { .. }),
        "{refused:?}"
    );
    let found = second.open_match(&id("a")).await.unwrap().unwrap();
    assert_eq!(found.journal.len() as u64, entries + 1);
}

pub(crate) async fn a_server_flushes_what_it_has_committed_before_it_ends() {
    let server = PostgresServer::start_with(SLOW_FLUSH);
    let url = server.fresh();
    let (subject, entries) = slow(&url).await;
    let (holding_up, flush) = held_up_flush(&server, &url, &subject, entries).await;
    subject.close().await.unwrap();
    holding_up.commit();
    flush.await.unwrap().unwrap();
}

pub(crate) async fn what_one_node_shows_of_matches_of_another_is_flushed() {
    let server = PostgresServer::start_with(SLOW_FLUSH);
    let url = server.fresh();
    let other = node(&url, "other").await;
    let (subject, _) = slow(&url).await;
    let holding_up = holding_up(&server, &url);
    // It is seen before it is flushed, as it gets a number that this table gives: so that goes first.
    let note = Write::KeepNote {
        name: "noted".to_owned(),
        value: vec![1],
    };
    let flush = begun(&subject, note).await;
    until(|| held_up(&server, &url) == 1).await;
    let reading = tokio::spawn(async move { other.note("noted").await });
    until(|| {
        assert!(!flush.is_finished() && !reading.is_finished());
        held_up(&server, &url) == 2
    })
    .await;
    holding_up.commit();
    flush.await.unwrap().unwrap();
    assert_eq!(reading.await.unwrap().unwrap(), Some(vec![1]));
}
