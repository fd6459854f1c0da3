//! The durable store of a server: journals of matches in play, finished matches with their replays,
//! ladders, and API keys. It stores ids and bytes, and knows nothing about games, protocol or
//! referee.
//!
//! [`Store`] is the contract; all implementations pass the same conformance tests:
//! * [`SqliteStore`] stores in a data folder, as durably as its [`Durability`] says;
//! * [`PostgresStore`] stores in a PostgreSQL database;
//! * [`MemoryStore`] stores in memory: everything ends with the process.
//!
//! A server opens a [`SqliteStore`] and locks the folder. A command that runs beside it opens
//! [`SqliteKeys`], which can change only API keys. [`PostgresKeys`] is the same for PostgreSQL.
//!
//! A match in play is a header and a journal of numbered entries. A server commits what happened
//! before anybody sees the effect; after a restart it reads every match in play back and goes on. A
//! finished match leaves a summary and a replay; the same commit removes its journal.

#![forbid(unsafe_code)]

mod batch;
mod checksum;
mod closed;
mod commits_file;
mod compiled_future;
mod damage;
mod data_dir;
mod detached;
mod error;
mod file_names;
mod flush;
mod inspector;
mod journal;
mod journal_batch;
mod keys;
mod ladder_batch;
mod ladders;
pub mod limits;
mod matches;
mod memory;
mod memory_ladders;
mod nodes;
mod postgres;
mod rows;
mod secrets;
mod sqlite;
mod store;
mod tail;
mod told;
mod transfer;
mod write_refusal;

pub use bridgemaster_names::{
    InvalidText, KeyId, KeyName, LadderId, MAX_ADDRESS_BYTES, MAX_ID_BYTES, MAX_KEY_NAME_CHARS,
    MAX_SCOPE_BYTES, MatchId, NodeAddress, NodeName, OwnerName, Scope,
};
pub use compiled_future::CompiledFuture;
pub use damage::{Damage, DamagedValue};
pub use data_dir::DataDir;
pub use error::StoreError;
pub use file_names::{COMMITS_FILE, DATABASE_FILE, LOCK_FILE};
pub use flush::Flush;
pub use inspector::Inspector;
pub use keys::{DamagedKey, Key, KeysMark, NewKey, SecretHash};
pub use ladders::{
    LadderChange, LadderRows, LadderStore, StoredLadder, StoredLadderMatch, StoredLadderVersion,
};
pub use matches::{
    FinishedCursor, FinishedMatch, FinishedPage, KeptReplay, MatchCounts, Notes, OpenMatch, Write,
};
pub use memory::MemoryStore;
pub use nodes::{IsLed, NodeIdentity, NodeOfMatch, NodeStanding, Nodes, StoredNode};
pub use postgres::{PostgresKeys, PostgresStore, stored_nodes};
pub use sqlite::{
    CheckReport, Durability, IntegrityCheck, SqliteKeys, SqliteOptions, SqliteStore, backup, check,
    check_with, replace, restore,
};
pub use store::{KeyStore, Store};
pub use tail::{LostTail, Opening, Tail};
pub use told::{NoPlace, ToldCursor, ToldMatch, ToldPage};
pub use transfer::{TransferReport, copy_from_postgres, copy_to_postgres};
pub use write_refusal::WriteRefusal;
