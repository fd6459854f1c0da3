//! Commits that another connection flushes while the next ones are made.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bridgemaster_store::{
    Flush, Nodes as _, PostgresStore, RecordStore as _, Store as _, StoreError, Write,
};
use tokio::task::{JoinHandle, yield_now};

use crate::{
    fence::{append, finish, id, open, store},
    nodes::node,
    postgres_server::{PostgresServer, Transaction},
};

/// Flags that make each flush wait for 50 ms: long enough for further commits and a crash.
const SLOW_FLUSH: &str = "-c fsync=on -c commit_delay=50000 -c commit_siblings=0";

/// Maximum number of commits until a store notices that flushes are slow.
const MAX_COMMITS_UNTIL_DEFERRED: u64 = 100;

/// The number of unflushed commits that the load below keeps.
const IN_FLIGHT: usize = 3;

/// Appends entries to an empty match until flushes are deferred. Returns the number of entries.
async fn commit_until_deferred(store: &PostgresStore, match_id: &str) -> u64 {
    for number in 0..MAX_COMMITS_UNTIL_DEFERRED {
        let flush = store.begin_commit(vec![append(match_id, number)]).await;
        let flush = flush.unwrap();
        let is_deferred = !flush.is_durable();
        flush.wait().await.unwrap();
        if is_deferred {
            return number + 1;
        }
    }
    panic!("commits still wait for each other");
}

/// A store with a match `a` and deferred flushes, and the number of entries of the match.
async fn slow(url: &str) -> (Arc<PostgresStore>, u64) {
    let store = store(url).await;
    store.commit(vec![open("a")]).await.unwrap();
    let entries = commit_until_deferred(&store, "a").await;
    (store, entries)
}

async fn begin(store: &PostgresStore, write: Write) -> JoinHandle<Result<(), StoreError>> {
    let flush: Flush = store.begin_commit(vec![write]).await.unwrap();
    assert!(!flush.is_durable());
    tokio::spawn(flush.wait())
}

fn schema(url: &str) -> &str {
    url.rsplit('=').next().unwrap()
}

async fn until(condition: impl Fn() -> bool) {
    while !condition() {
        yield_now().await;
    }
}

/// Counts the flushes of a schema that wait for a lock on a table that commits do not need.
fn blocked_flushes(server: &PostgresServer, url: &str) -> usize {
    let waiting = server.run(&format!(
        "SELECT count(*) FROM pg_locks
         WHERE NOT granted AND relation = '{}.given_number'::regclass",
        schema(url)
    ));
    waiting.parse().unwrap()
}

/// Blocks all flushes of a schema until the returned transaction is committed.
fn block_flushes(server: &PostgresServer, url: &str) -> Transaction {
    server.open_transaction(&format!(
        "LOCK TABLE {}.given_number IN ACCESS EXCLUSIVE MODE",
        schema(url)
    ))
}

/// Appends the next entry to the match `a` and blocks its flush.
async fn begin_blocked_flush(
    server: &PostgresServer,
    url: &str,
    store: &PostgresStore,
    entries: u64,
) -> (Transaction, JoinHandle<Result<(), StoreError>>) {
    let blocker = block_flushes(server, url);
    let flush = begin(store, append("a", entries)).await;
    until(|| blocked_flushes(server, url) == 1).await;
    (blocker, flush)
}

pub(crate) async fn commits_continue_while_an_earlier_one_is_flushed() {
    let server = PostgresServer::start_with(SLOW_FLUSH);
    let url = server.fresh();
    let (subject, mut entries) = slow(&url).await;
    // Flushes wait for a standby that does not exist.
    server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    server.run("SELECT pg_reload_conf()");
    let is_held_up = || {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        server.run(waiting) != "0"
    };
    let first = loop {
        let flush = begin(&subject, append("a", entries)).await;
        entries += 1;
        // Until the database has reloaded its settings, flushes do not wait.
        until(|| flush.is_finished() || is_held_up()).await;
        if !flush.is_finished() {
            break flush;
        }
    };
    let second = begin(&subject, append("a", entries)).await;
    let third = begin(&subject, append("a", entries + 1)).await;
    let found =
        server.run(&format!("SELECT max(batch) - min(batch) FROM {}.journal", schema(&url)));
    // Other transactions see all of them, the opening of the store, and that of the match.
    assert_eq!(found.parse::<u64>().unwrap(), entries + 2 + 1);
    assert!(![&first, &second, &third].iter().any(|flush| flush.is_finished()));
    server.run("ALTER SYSTEM RESET synchronous_standby_names");
    server.run("SELECT pg_reload_conf()");
    for flush in [first, second, third] {
        flush.await.unwrap().unwrap();
    }
}

pub(crate) async fn a_batch_with_immediate_effects_waits_for_its_flush() {
    let server = PostgresServer::start_with(SLOW_FLUSH);
    let (subject, entries) = slow(&server.fresh()).await;
    let drop = Write::DropMatch { match_id: id("a") };
    let batch = vec![append("a", entries), drop];
    assert!(subject.begin_commit(batch).await.unwrap().is_durable());
    let opened = subject.begin_commit(vec![open("b")]).await.unwrap();
    assert!(!opened.is_durable());
    opened.wait().await.unwrap();
}

pub(crate) async fn acknowledged_commits_survive_a_crash_and_all_others_are_stored_once() {
    let mut server = PostgresServer::start_with(SLOW_FLUSH);
    let url = server.fresh();
    let (subject, mut entries) = slow(&url).await;
    let acknowledged = Arc::new(AtomicU64::new(entries));
    for _ in 0..3 {
        let (writer, counter) = (Arc::clone(&subject), Arc::clone(&acknowledged));
        let committing = tokio::spawn(async move {
            let mut flushes = VecDeque::new();
            for number in entries..entries + 60 {
                let flush = writer.begin_commit(vec![append("a", number)]).await;
                flushes.push_back(flush.unwrap());
                if flushes.len() == IN_FLIGHT {
                    flushes.pop_front().unwrap().wait().await.unwrap();
                    counter.fetch_add(1, Ordering::Relaxed);
                }
            }
            for flush in flushes {
                flush.wait().await.unwrap();
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
        let before = acknowledged.load(Ordering::Relaxed);
        until(|| acknowledged.load(Ordering::Relaxed) > before + 5).await;
        server.stop();
        server.restart();
        committing.await.unwrap();
        entries += 60;
        // Each entry is stored once, in order: anything else would be reported as damage.
        let found = subject.open_match(&id("a")).await.unwrap().unwrap();
        assert_eq!(found.journal.len() as u64, entries);
        assert_eq!(acknowledged.load(Ordering::Relaxed), entries);
    }
    // The server crashes together with its database: everything acknowledged is stored.
    let lost = begin(&subject, append("a", entries)).await;
    server.stop();
    lost.abort();
    drop(subject);
    server.restart();
    let next = PostgresStore::open(&url, bridgemaster_store::Durability::Disk).await.unwrap();
    let found = next.open_match(&id("a")).await.unwrap().unwrap();
    assert!(found.journal.len() as u64 >= entries, "{}", found.journal.len());
}

pub(crate) async fn lost_commits_are_restored_before_anything_else() {
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
        begin(&subject, append("a", entries)).await,
        begin(&subject, finish("a")).await,
        begin(&subject, append("b", 0)).await,
    ];
    server.stop();
    server.restart();
    // Nothing else is committed, so the flush detects the loss.
    for flush in lost {
        flush.await.unwrap().unwrap();
    }
    assert_eq!(newest(&server), last + 3);
    let lost = begin(&subject, append("b", 1)).await;
    server.stop();
    server.restart();
    // Another transaction finds the lost connection first.
    assert!(subject.acquire_leadership().await.unwrap());
    assert_eq!(newest(&server), last + 4);
    subject.commit(vec![append("b", 2)]).await.unwrap();
    lost.await.unwrap().unwrap();
    let journal = subject.open_match(&id("b")).await.unwrap().unwrap().journal;
    assert_eq!(journal, [b"b 0", b"b 1", b"b 2"]);
    assert!(subject.replay(&id("a")).await.unwrap().is_some());
    assert_eq!(subject.open_match_ids().await.unwrap(), [id("b")]);
    assert_eq!(subject.finished(None, 9).await.unwrap().matches.len(), 1);
}

pub(crate) async fn a_server_that_was_taken_over_acknowledges_no_unflushed_commits() {
    let server = PostgresServer::start_with(SLOW_FLUSH);
    let url = server.fresh();
    let (first, entries) = slow(&url).await;
    let (blocker, flush) = begin_blocked_flush(&server, &url, &first, entries).await;
    let epoch = format!("SELECT epoch FROM {}.node", schema(&url));
    let opening = tokio::spawn({
        let url = url.clone();
        async move { store(&url).await }
    });
    until(|| server.run(&epoch) == "2").await;
    blocker.commit();
    let refused = flush.await.unwrap().unwrap_err();
    assert!(matches!(refused, StoreError::EpochEnded { .. }), "{refused:?}");
    let second = opening.await.unwrap();
    let found = second.open_match(&id("a")).await.unwrap().unwrap();
    assert_eq!(found.journal.len() as u64, entries + 1);
}

pub(crate) async fn a_server_flushes_its_commits_before_it_shuts_down() {
    let server = PostgresServer::start_with(SLOW_FLUSH);
    let url = server.fresh();
    let (subject, entries) = slow(&url).await;
    let (blocker, flush) = begin_blocked_flush(&server, &url, &subject, entries).await;
    subject.close().await.unwrap();
    blocker.commit();
    flush.await.unwrap().unwrap();
}

pub(crate) async fn reads_of_matches_of_another_node_are_flushed() {
    let server = PostgresServer::start_with(SLOW_FLUSH);
    let url = server.fresh();
    let other = node(&url, "other").await;
    let (subject, _) = slow(&url).await;
    let blocker = block_flushes(&server, &url);
    // The record is visible before it is flushed.
    let record = Write::PutRecord { name: "noted".to_owned(), value: vec![1] };
    let flush = begin(&subject, record).await;
    until(|| blocked_flushes(&server, &url) == 1).await;
    let reading = tokio::spawn(async move { other.record("noted").await });
    until(|| {
        assert!(!flush.is_finished() && !reading.is_finished());
        blocked_flushes(&server, &url) == 2
    })
    .await;
    blocker.commit();
    flush.await.unwrap().unwrap();
    assert_eq!(reading.await.unwrap().unwrap(), Some(vec![1]));
}
