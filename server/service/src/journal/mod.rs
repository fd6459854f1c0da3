//! The journal writer: what must be in the store before anybody sees an effect.
//!
//! What is written of a match is the match's own business (`bridgemaster_match`). One task commits
//! what all matches have queued; every effect carries the [`Gate`] of its commit and leaves the
//! server only when that is open. Where the store makes commits durable side by side, the next is begun
//! before the last is durable; gates open in the order of their commits nevertheless.
//!
//! The queue has no length of its own. It holds what streams have reported and timers have run
//! out since the last commit, and a stream is not read again before its last report is
//! committed: it cannot grow beyond one message of each stream.

mod gate;
mod gathering;
mod in_flight;
mod match_journal;
mod once_stored;
mod recovery_error;
mod writer;

pub(crate) use gate::{Gate, Gated, NotStored};
pub(crate) use match_journal::MatchJournal;
pub(crate) use once_stored::once_stored;
pub use recovery_error::RecoveryError;
pub(crate) use writer::Journal;
