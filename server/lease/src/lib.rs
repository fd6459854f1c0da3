//! The [identifiers](names) of matches, keys and nodes, and the rules of leases, as shared by all
//! nodes of a store. This crate uses neither I/O nor a clock. The store and the server carry out
//! the decisions.
//!
//! * [`LeaseTrust`] decides, by the node's own clock, whether the node may respond to clients;
//! * [`CommitNumbers`] numbers the commits, so that a commit is repeated only if a crash has lost
//!   it; [`FlushOutcome`] is the outcome of a flush.
//!
//! The database itself decides which server may take over a node and when a lease expires, in SQL
//! (`server/store/src/postgres`).
//!
//! Times are durations since an origin that the caller chooses, by the node's clock.

#![forbid(unsafe_code)]

mod commit_numbers;
pub mod limits;
pub mod names;
mod trust;

pub use commit_numbers::{CommitNumbers, FlushOutcome, FlushedCommitMissing, OutcomeUnknown};
pub use trust::LeaseTrust;
