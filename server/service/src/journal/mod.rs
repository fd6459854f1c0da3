//! The journal writer. Entries are committed before their effects become visible.
//!
//! The entries themselves are defined in `bridgemaster_match`. One task commits what all matches
//! have queued. Every effect carries the [`Gate`] of its commit and leaves the server only when
//! that gate is open. If the store can make commits durable concurrently, a commit starts before
//! the previous one is durable. Even then, gates open in commit order.
//!
//! The queue needs no limit. The queue holds the reports and timer events since the last commit,
//! and no stream is read again before its last report is committed. So the queue never holds more
//! than one message per stream.

mod batching;
mod gate;
mod in_flight;
mod match_journal;
mod once_committed;
mod recovery_error;
mod writer;

pub(crate) use gate::{Gate, Gated, NotStored};
pub(crate) use match_journal::MatchJournal;
pub(crate) use once_committed::emit_once_committed;
pub use recovery_error::RecoveryError;
pub(crate) use writer::Journal;
