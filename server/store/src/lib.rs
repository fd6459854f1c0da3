//! The durable store of a server: journals of matches in play, finished matches with their replays,
//! ladders, and API keys. It handles ids and opaque bytes, and does not depend on the games, the
//! protocol or the referee.
//!
//! [`Store`] is the interface. All implementations pass the same conformance tests:
//! * [`SqliteStore`] stores data in a data folder, with a selectable [`Durability`];
//! * [`PostgresStore`] stores data in a PostgreSQL database;
//! * [`MemoryStore`] is an [`SqliteStore`] whose database is in memory.
//!
//! A server opens a [`SqliteStore`], which locks the folder. Commands that run alongside the server
//! open [`SqliteKeys`], which can change only API keys. [`PostgresKeys`] is the equivalent for
//! PostgreSQL.
//!
//! A match in play consists of a header and a journal of numbered entries. A server commits each
//! event before its effects become visible. After a restart, it reads every match in play and
//! resumes it. A finished match consists of a summary and a replay; the commit that adds them
//! removes the journal of the match.

#![forbid(unsafe_code)]

mod checksum;
mod commit_count_file;
mod damage;
mod data_dir;
mod db_error;
mod detached;
mod dir_lock;
mod error;
mod journal;
mod journal_batch;
mod key_store;
mod keys;
mod ladder_batch;
mod ladders;
pub mod limits;
mod matches;
mod named_rows;
mod named_table;
mod nodes;
mod postgres;
#[cfg(test)]
#[path = "../tests/postgres_server/mod.rs"]
mod postgres_server;
mod record_store;
mod replacement;
mod row_sums;
mod rows;
mod schema;
mod sqlite;
mod store;
mod transfer;
mod write_refusal;

pub use bridgemaster_lease::names::{
    InvalidText, KeyId, KeyName, LadderId, MAX_ADDRESS_BYTES, MAX_ID_BYTES, MAX_KEY_NAME_CHARS,
    MAX_SCOPE_BYTES, MatchId, NodeAddress, NodeName, OwnerName, Scope,
};
pub use damage::{CommitCompleteness, DamageReport, DamagedValue, MissingCommits, OpenReport};
pub use data_dir::{COMMITS_FILE, DATABASE_FILE, DataDir, LOCK_FILE};
pub use detached::CompiledFuture;
pub use error::StoreError;
pub use keys::{DamagedKey, Key, KeysVersion, NewKey, SecretHash};
pub use ladders::{
    LadderChange, LadderRows, LadderStore, StoredLadder, StoredLadderMatch, StoredLadderVersion,
    ladder_action_prefix,
};
pub use matches::{
    FinishedCursor, FinishedMatch, FinishedPage, IndexKey, ListedPage, OpenMatch, Records,
    ReplayMetadata, Write,
};
pub use nodes::{
    CrashedNode, DatabaseFigures, IsLeaderOnly, MatchLocation, NodeIdentity, NodeStatus, Nodes,
    StoredNode,
};
pub use postgres::{PostgresKeys, PostgresStore, migrate_database, remove_node, stored_nodes};
pub use schema::MigrationReport;
pub use sqlite::{
    CheckReport, Durability, Inspector, IntegrityCheck, MemoryStore, SqliteKeys, SqliteOptions,
    SqliteStore, backup, check, check_with_inspector, migrate_folder, replace, restore,
};
pub use store::{Flush, KeyStore, RecordStore, Store};
pub use transfer::{TransferReport, copy_from_postgres, copy_to_postgres};
pub use write_refusal::WriteRefusal;
