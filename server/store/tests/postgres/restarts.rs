//! Outages of the database.

use std::{sync::Arc, time::Duration};

use bridgemaster_store::{KeyStore as _, PostgresKeys, Store as _, StoreError};
use tokio::{sync::oneshot, time::timeout};

use crate::{
    fence::{append, id, key, open, store},
    postgres_server::PostgresServer,
};

pub(crate) async fn commits_continue_after_an_outage_of_the_database() {
    let mut server = PostgresServer::start();
    let subject = store(&server.fresh()).await;
    subject.commit(vec![open("a")]).await.unwrap();
    let mut entries = 0;
    for _ in 0..3 {
        // Commits during the shutdown and the outage.
        let writer = Arc::clone(&subject);
        let from = entries;
        let committing = tokio::spawn(async move {
            for number in from..from + 200 {
                writer.commit(vec![append("a", number)]).await.unwrap();
            }
        });
        entries += 200;
        server.stop();
        server.restart();
        committing.await.unwrap();
        // Each entry is stored once: a repeated one would fail when the journal is read.
        let found = subject.open_match(&id("a")).await.unwrap().unwrap();
        assert_eq!(found.journal.len() as u64, entries);
    }
    assert_eq!(subject.open_match_ids().await.unwrap(), [id("a")]);
}

pub(crate) async fn a_commit_whose_answer_was_lost_is_stored_once() {
    let server = PostgresServer::start();
    let subject = store(&server.fresh()).await;
    subject.commit(vec![open("a")]).await.unwrap();
    // A commit takes effect, but waits for a standby that does not exist, so its answer is late.
    server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    server.run("SELECT pg_reload_conf()");
    let writer = Arc::clone(&subject);
    let (enough, mut is_enough) = oneshot::channel();
    let committing = tokio::spawn(async move {
        let mut number = 0;
        // Until the database has reloaded its settings, commits do not wait.
        while is_enough.try_recv().is_err() {
            writer.commit(vec![append("a", number)]).await.unwrap();
            number += 1;
        }
        number
    });
    let waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    while server.run(waiting).is_empty() {
        assert!(!committing.is_finished());
        tokio::task::yield_now().await;
    }
    server
        .run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    enough.send(()).unwrap();
    server.run("ALTER SYSTEM RESET synchronous_standby_names");
    server.run("SELECT pg_reload_conf()");
    let entries = committing.await.unwrap();
    let found = subject.open_match(&id("a")).await.unwrap().unwrap();
    assert_eq!(found.journal.len() as u64, entries);
}

pub(crate) async fn a_database_without_the_newest_commits_is_refused() {
    let server = PostgresServer::shared();
    let (url, database) = server.fresh_database();
    let subject = store(&url).await;
    subject.commit(vec![open("a")]).await.unwrap();
    subject.commit(vec![append("a", 0)]).await.unwrap();
    // This simulates a promoted standby that lacks these commits.
    server.run_in(&database, "DELETE FROM journal WHERE batch = (SELECT max(batch) FROM journal)");
    server.run(&format!(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
         WHERE datname = '{database}'"
    ));
    let lost = subject.commit(vec![append("a", 1)]).await.unwrap_err();
    assert!(matches!(lost, StoreError::Corrupt { .. }), "{lost:?}");
}

pub(crate) async fn a_key_that_is_already_stored_waits_for_the_standby() {
    let server = PostgresServer::start();
    let keys = PostgresKeys::open(&server.fresh()).await.unwrap();
    keys.add_keys(vec![key("north")]).await.unwrap();
    server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    server.run("SELECT pg_reload_conf()");
    let (enough, mut is_enough) = oneshot::channel();
    let adding = tokio::spawn(async move {
        // Until the database has reloaded its settings, commits do not wait.
        while is_enough.try_recv().is_err() {
            keys.add_keys(vec![key("north")]).await.unwrap();
        }
    });
    let waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    let waits = timeout(Duration::from_secs(20), async {
        while server.run(waiting).is_empty() {
            tokio::task::yield_now().await;
        }
    });
    waits.await.expect("the call does not wait");
    enough.send(()).unwrap();
    server.run("ALTER SYSTEM RESET synchronous_standby_names");
    server.run("SELECT pg_reload_conf()");
    adding.await.unwrap();
}
