//! Key commands beside a running server.

use std::fs;

use bridgemaster_store::{
    DATABASE_FILE, DataDir, KeyStore, SqliteKeys, Store as _, StoreError, check,
};

use crate::{append, id, key, key_id, open, open_match, raw};

#[tokio::test]
async fn uses_of_many_keys_are_recorded_in_small_commits() {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(folder.path()).unwrap();
    let server = open(folder.path()).await.unwrap();
    let beside = SqliteKeys::open(&dir).await.unwrap();
    server.add_key(key("k250", "north")).await.unwrap();
    let stores: [&dyn KeyStore; 2] = [&server, &beside];
    for (at, store) in (10..).zip(stores) {
        // Uses of unknown keys, and of one existing key.
        let uses = (1..=250).map(|n| (key_id(&format!("k{n}")), at));
        let before = check(&dir).await.unwrap().commits;
        store.record_key_uses(uses.collect()).await.unwrap();
        assert_eq!(check(&dir).await.unwrap().commits, before + 3);
        let keys_of_server = server.keys().await.unwrap();
        assert_eq!(keys_of_server[0].last_used_at_unix_ms, Some(at));
    }
}

#[tokio::test]
async fn a_running_server_sees_changes_of_a_key_command() {
    let folder = tempfile::tempdir().unwrap();
    let server = open(folder.path()).await.unwrap();
    let keys = SqliteKeys::open(&DataDir::prepare(folder.path()).unwrap()).await.unwrap();
    keys.add_key(key("k1", "north")).await.unwrap();
    assert!(server.key(&key_id("k1")).await.unwrap().unwrap().is_in_force());
    keys.revoke_key(&key_id("k1"), 2).await.unwrap();
    assert!(!server.key(&key_id("k1")).await.unwrap().unwrap().is_in_force());
    server.add_key(key("k2", "south")).await.unwrap();
    let error = keys.add_key(key("k3", "south")).await.unwrap_err();
    assert!(matches!(error, StoreError::KeyNameTaken { .. }), "{error}");
    assert_eq!(keys.keys().await.unwrap().len(), 2);
    // The server still commits after changes by the command.
    server.commit(vec![open_match("a"), append("a", 0)]).await.unwrap();
}

#[tokio::test]
async fn commits_right_after_a_command_are_preserved() {
    let folder = tempfile::tempdir().unwrap();
    let server = open(folder.path()).await.unwrap();
    let keys = SqliteKeys::open(&DataDir::prepare(folder.path()).unwrap()).await.unwrap();
    server.commit(vec![open_match("a")]).await.unwrap();
    for number in 0..3 {
        let name = format!("k{number}");
        keys.add_key(key(&name, &name)).await.unwrap();
        for place in [2 * number, 2 * number + 1] {
            server.commit(vec![append("a", place)]).await.unwrap();
        }
    }
    server.close().await.unwrap();
    let server = open(folder.path()).await.unwrap();
    let found = server.open_match(&id("a")).await.unwrap().unwrap();
    let expected: Vec<Vec<u8>> = (0..6).map(|n| format!("a {n}").into_bytes()).collect();
    assert_eq!(found.journal, expected);
}

#[tokio::test]
async fn keys_can_be_added_before_the_first_server_starts() {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(folder.path().join("data")).unwrap();
    let keys = SqliteKeys::open(&dir).await.unwrap();
    keys.add_key(key("k1", "north")).await.unwrap();
    // The command holds no lock, so the server can start while it is open.
    let server = open(dir.path()).await.unwrap();
    assert_eq!(server.keys().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_key_command_refuses_another_version_under_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = open(folder.path()).await.unwrap();
    let database = raw(folder.path());
    database.execute_batch("PRAGMA user_version = 1").unwrap();
    database.close().unwrap();
    let dir = DataDir::prepare(folder.path()).unwrap();
    let error = SqliteKeys::open(&dir).await.unwrap_err();
    assert!(matches!(error, StoreError::OlderSchema { version: 1, .. }), "{error}");
    drop(server);
}

#[tokio::test]
async fn a_key_command_refuses_what_a_server_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(folder.path()).unwrap();
    fs::write(folder.path().join(DATABASE_FILE), "not a database ".repeat(500)).unwrap();
    let error = SqliteKeys::open(&dir).await.unwrap_err();
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
    fs::remove_file(folder.path().join(DATABASE_FILE)).unwrap();

    let database = raw(folder.path());
    database.execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
    database.close().unwrap();
    let error = SqliteKeys::open(&dir).await.unwrap_err();
    assert!(matches!(error, StoreError::ForeignDatabase { .. }), "{error}");
}
