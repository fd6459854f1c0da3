//! The journal of the matches in play: what must be in the store before anybody sees an effect.
//!
//! A match in play is a [`Header`] and entries. An entry holds the inputs that the match's
//! referee was given, each with its time, up to one that had an effect; the referee gives the same
//! outputs for the same inputs, so the header and the entries are the whole match. What they look
//! like on disk is described under `proto/bridgemaster/internal`. One task
//! commits what all matches have queued; every effect carries the [`Gate`] of its commit and
//! leaves the server only when that is open.
//!
//! The queue has no length of its own. It holds what streams have reported and timers have run
//! out since the last commit, and a stream is not read again before its last report is
//! committed: it cannot grow beyond one message of each stream.

mod entry;
mod finished;
mod gate;
mod header;
mod histories;
mod match_journal;
mod recovery;
mod writer;

pub(crate) use finished::{read_finished, write_finished};
pub(crate) use gate::{Gate, Gated, NotStored};
pub(crate) use header::{Claims, Header};
pub(crate) use histories::{read_histories, write_histories};
pub(crate) use match_journal::{Finish, MatchJournal};
pub(crate) use recovery::{Recovered, recover};
pub use recovery::{RecoveryError, Unreplayable};
pub(crate) use writer::Journal;

/// Version of what this room writes into a store. Raised when an older version of the program
/// would misunderstand it.
const FORMAT_VERSION: u32 = 1;
