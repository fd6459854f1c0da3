//! A database that goes away in the middle and comes back.

use std::sync::Arc;

use bridgemaster_store::{KeyStore as _, Store as _, StoreError};
use tokio::sync::oneshot;

use crate::{
    fence::{append, id, key, open, store},
    postgres_server::PostgresServer,
};

pub(crate) async fn commits_go_on_when_the_database_comes_back() {
    let mut server = PostgresServer::start();
    let subject = store(&server.fresh()).await;
    subject.commit(vec![open("a")]).await.unwrap();
    let mut entries = 0;
    for _ in 0..3 {
        // Commits while the database stops, and without one.
        let writer = Arc::clone(&subject);
        let from = entries;
        let committing = tokio::spawn(async move {
            for number in from..from + 200 {
                writer.commit(vec![append("a", number)]).await.unwrap();
            }
        });
        entries += 200;
        server.stop();
        server.go_on();
        committing.await.unwrap();
        // Each is there once: a repeated one would be refused when the journal is read.
        let found = subject.open_match(&id("a")).await.unwrap().unwrap();
        assert_eq!(found.journal.len() as u64, entries);
    }
    assert_eq!(subject.match_counts().await.unwrap().open, 1);
}

pub(crate) async fn a_commit_whose_answer_was_lost_is_stored_once() {
    let server = PostgresServer::start();
    let subject = store(&server.fresh()).await;
    subject.commit(vec![open("a")]).await.unwrap();
    // A commit is done, and then waits for a standby that never comes: its answer is late.
    server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    server.run("SELECT pg_reload_conf()");
    let writer = Arc::clone(&subject);
    let (enough, mut is_enough) = oneshot::channel();
    let committing = tokio::spawn(async move {
        let mut number = 0;
        // Until the database has read its settings, commits do not wait.
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
    // As a standby is that did not have them when it became the primary.
    server.run_in(
        &database,
        "DELETE FROM journal WHERE batch = (SELECT max(batch) FROM journal)",
    );
    server.run(&format!(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
         WHERE datname = '{database}'"
    ));
    // Another piece of work meets the lost connection first.
    subject.add_key(key("north")).await.unwrap();
    let lost = subject.commit(vec![append("a", 1)]).await.unwrap_err();
    assert!(matches!(lost, StoreError::Corrupt { .. }), "{lost:?}");
}
