//! Logins with a password that changes.

use std::{fs, path::Path, sync::Arc};

use bridgemaster_store::{
    Durability, NodeStatus, Nodes as _, PostgresStore, Store as _, StoreError,
};

use crate::{
    fence::{append, id, open, store},
    postgres_server::PostgresServer,
};

/// Creates a user with a password and an own database. Returns the address without a password.
fn with_player(server: &PostgresServer) -> String {
    server.run("CREATE ROLE player LOGIN PASSWORD 'hush one'");
    server.run("CREATE DATABASE games OWNER player");
    let rules = "local all player scram-sha-256\nlocal all all trust\n";
    fs::write(server.folder().join("data/pg_hba.conf"), rules).unwrap();
    server.run("SELECT pg_reload_conf()");
    // Each session reads the rules when it begins.
    let is_loaded = "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method = 'scram-sha-256'";
    assert_eq!(server.run(is_loaded), "1");
    format!("postgres://player@localhost/games?host={}", server.folder().display())
}

fn with_file(url: &str, file: &Path) -> String {
    format!("{url}&password_file={}", file.display())
}

pub(crate) async fn a_refused_login_is_reported_with_its_cause() {
    let server = PostgresServer::start();
    let url = with_player(&server);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    let refused = |url: String| async move {
        let error = PostgresStore::open(&url, Durability::Disk).await.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hush"), "{error:?}");
        error
    };
    let error = refused(with_file(&url, &file)).await;
    assert!(matches!(error, StoreError::PasswordFileUnusable { .. }), "{error:?}");
    assert!(error.to_string().contains(file.to_str().unwrap()), "{error}");
    fs::write(&file, "hush two\n").unwrap();
    let error = refused(with_file(&url, &file)).await;
    assert!(matches!(error, StoreError::LoginRefused { .. }), "{error:?}");
    for part in ["failed for user \"player\"", "; check the user, the password"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    fs::write(&file, "hush one\n").unwrap();
    let error = refused(with_file(&url.replace("/games", "/game"), &file)).await;
    assert!(matches!(error, StoreError::NoDatabase { .. }), "{error:?}");
    PostgresStore::open(&with_file(&url, &file), Durability::Disk).await.unwrap();
}

pub(crate) async fn a_node_continues_after_its_password_was_changed() {
    let server = PostgresServer::start();
    let url = with_player(&server);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    fs::write(&file, "hush one").unwrap();
    let subject = store(&with_file(&url, &file)).await;
    subject.commit(vec![open("a")]).await.unwrap();
    assert_eq!(subject.finished(None, 1).await.unwrap().matches, []);

    server.run("ALTER ROLE player PASSWORD 'hush two'");
    server.run(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = 'player'",
    );
    let writer = Arc::clone(&subject);
    let committing = tokio::spawn(async move { writer.commit(vec![append("a", 0)]).await });
    let reader = Arc::clone(&subject);
    let reading = tokio::spawn(async move { reader.finished(None, 1).await });
    // Both have failed to log in, and try again.
    while server.log().matches("password authentication failed").count() < 5 {
        assert!(!committing.is_finished() && !reading.is_finished());
        tokio::task::yield_now().await;
    }
    fs::write(&file, "hush two").unwrap();
    committing.await.unwrap().unwrap();
    assert!(reading.await.unwrap().unwrap().matches.is_empty());
    // The first renewal may fail because its connection was closed.
    while subject.renew_lease(NodeStatus::default()).await.is_err() {}
    let found = subject.open_match(&id("a")).await.unwrap().unwrap();
    assert_eq!(found.journal.len(), 1);
}
