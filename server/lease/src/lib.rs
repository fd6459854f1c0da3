//! Decides when a node can trust its lease, when it renews the lease, and when it retries a
//! transaction. This crate uses neither I/O nor a clock. The store and the server carry out the
//! decisions, and the match simulation runs the same code in virtual time.
//!
//! * [`LeaseTrust`] decides, by the node's own clock, whether the node may respond to clients and
//!   when it renews its lease;
//! * [`Fence`] is the result of the check that starts each transaction;
//! * [`Backoff`] schedules retries of a failed transaction;
//! * [`CommitNumbers`] numbers the commits, so that a commit is repeated only if a crash has lost
//!   it; [`FlushOutcome`] is the outcome of a flush.
//!
//! The database itself decides which server may take over a node and when a lease expires, in SQL
//! (`server/store/src/postgres`).
//!
//! Times are durations since an origin that the caller chooses, by the node's clock.

#![forbid(unsafe_code)]

mod backoff;
mod commit_numbers;
mod fence;
pub mod limits;
mod trust;

pub use backoff::Backoff;
pub use commit_numbers::{CommitNumbers, FlushOutcome, FlushedCommitMissing, OutcomeUnknown};
pub use fence::Fence;
pub use trust::LeaseTrust;
