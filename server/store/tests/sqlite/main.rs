//! Tests of the store in a data folder beyond the contract: persistence, refused databases, and
//! reports of damage.

#![allow(clippy::unwrap_used, missing_docs)]

mod belonging;
mod beside;
mod damaged_keys;
mod damaged_values;
mod full;
mod log;
mod missing_rows;
mod refusing;
mod reopening;
#[cfg(unix)]
mod rights;
mod superseded;
mod sweeping;
mod upkeep;
#[path = "../workload/mod.rs"]
mod workload;

use std::{fs, path::Path};

use bridgemaster_store::{
    COMMITS_FILE, DATABASE_FILE, DataDir, KeyId, KeyName, MatchId, NewKey, Scope, SecretHash,
    SqliteOptions, SqliteStore, StoreError, Write,
};
use rusqlite::Connection;
use tempfile::TempDir;

/// File name of the database's log (WAL).
const LOG_FILE: &str = "bridgemaster.db-wal";

async fn open(folder: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(&DataDir::prepare(folder)?, SqliteOptions::default()).await
}

/// Opens the database without the store.
fn raw(folder: &Path) -> Connection {
    Connection::open(folder.join(DATABASE_FILE)).unwrap()
}

/// Changes the database without the store.
fn change(folder: &Path, sql: &str) {
    let database = raw(folder);
    database.execute_batch(sql).unwrap();
    database.close().unwrap();
}

/// Copies the folder of an open store: the state after a kill.
fn as_killed(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for file in [DATABASE_FILE, LOG_FILE, COMMITS_FILE] {
        fs::copy(folder.join(file), copy.path().join(file)).unwrap();
    }
    copy
}

fn id(text: &str) -> MatchId {
    MatchId::new(text).unwrap()
}

fn key_id(text: &str) -> KeyId {
    KeyId::new(text).unwrap()
}

fn key(id: &str, name: &str) -> NewKey {
    NewKey {
        id: key_id(id),
        name: KeyName::new(name).unwrap(),
        owner: None,
        scopes: [Scope::new("play").unwrap()].into(),
        secret_hash: SecretHash::new([7; 32]),
        created_at_unix_ms: 1,
        expires_at_unix_ms: None,
    }
}

fn open_match(match_id: &str) -> Write {
    Write::OpenMatch { match_id: id(match_id), opened_at_unix_ms: 1, header: vec![0x68; 100] }
}

fn append(match_id: &str, number: u64) -> Write {
    let entry = format!("{match_id} {number}").into_bytes();
    Write::Append { match_id: id(match_id), number, entry }
}

fn finish(match_id: &str, replay_bytes: usize) -> Write {
    Write::FinishMatch {
        match_id: id(match_id),
        ended_at_unix_ms: 2,
        summary: vec![0x73; 100],
        replay: vec![0x72; replay_bytes],
        parties: vec![KeyName::new("north").unwrap()],
        index_keys: Vec::new(),
    }
}
