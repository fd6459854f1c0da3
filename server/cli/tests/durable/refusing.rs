//! Data folders that a server does not believe: it says so and ends.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
};

use bridgemaster_games::GAME_IDS;
use bridgemaster_store::{
    DATABASE_FILE, DataDir, MatchId, SqliteOptions, SqliteStore, Store as _, Write,
};
use rusqlite::Connection;

use crate::served::{Served, serve};

/// Returns the error of a server that must not start.
fn refused(data: &Path, more: &[&str]) -> String {
    let flags = ["--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
    let mut process = serve(flags.iter().chain(more)).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    if !line.is_empty() {
        process.kill().unwrap();
    }
    let ran = process.wait_with_output().unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(1), "{line}{said}");
    said
}

/// A folder that a server has used and closed, with a match in play.
async fn used(data: &Path) -> String {
    let server = Served::start("127.0.0.1:0", data, &["--drain-time", "0"]);
    let (match_id, _) = server.create(GAME_IDS[0], "used").await;
    server.signal("-TERM");
    assert_eq!(server.end().status.code(), Some(0));
    match_id
}

#[tokio::test]
async fn a_damaged_database_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    used(folder.path()).await;
    fs::write(folder.path().join(DATABASE_FILE), "no database").unwrap();
    let said = refused(folder.path(), &[]);
    assert!(said.contains("restore a backup"), "{said}");
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    used(folder.path()).await;
    let database = Connection::open(folder.path().join(DATABASE_FILE)).unwrap();
    database.execute_batch("PRAGMA user_version = 99").unwrap();
    database.close().unwrap();
    let said = refused(folder.path(), &[]);
    assert!(said.contains("version 99"), "{said}");
}

#[tokio::test]
async fn a_folder_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start("127.0.0.1:0", folder.path(), &[]);
    let said = refused(folder.path(), &[]);
    assert!(said.contains("in use by another server"), "{said}");
    server.create(GAME_IDS[0], "goes-on").await;
}

#[tokio::test]
async fn a_match_that_cannot_go_on_is_named_while_others_go_on_and_can_be_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let good = used(folder.path()).await;
    let dir = DataDir::prepare(folder.path()).unwrap();
    let store = SqliteStore::open(&dir, SqliteOptions::default())
        .await
        .unwrap();
    let newer = Write::OpenMatch {
        match_id: MatchId::new("00000000000000ff").unwrap(),
        opened_at_unix_ms: 0,
        // Its format version.
        header: vec![8, 99],
    };
    store.commit(vec![newer]).await.unwrap();
    store.close().await.unwrap();
    drop(store);

    let server = Served::start("127.0.0.1:0", folder.path(), &["--drain-time", "0"]);
    assert_eq!(server.all_matches().await.len(), 1);
    server.signal("-TERM");
    let said = String::from_utf8(server.end().stderr).unwrap();
    let named: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("00000000000000ff"))
        .collect();
    assert_eq!(named.len(), 1, "{said}");
    for words in ["ERROR", "format version 99", "data drop"] {
        assert!(named[0].contains(words), "{said}");
    }
    let said = refused(folder.path(), &["--drop-match", "no-such-match"]);
    assert!(said.contains("no-such-match"), "{said}");
    let give_up = ["--drop-match", "00000000000000ff"];
    let server = Served::start("127.0.0.1:0", folder.path(), &give_up);
    let left = server.all_matches().await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].match_id, good);
}
