//! The journal of one match: the bytes that are stored of it while it is played, and the match
//! again, made from them.
//!
//! A match in play is a [`Header`] and entries. An entry holds the inputs that the referee was
//! given, each with its time, up to one that had an effect; the referee gives the same outputs for
//! the same inputs, so the header and the entries are the whole match. What they look like on disk
//! is described under `proto/bridgemaster/internal`.

mod entry;
mod finished;
mod header;
mod histories;
mod match_journal;
mod recovery;
mod unreplayable;

pub use entry::{Beginning, ReadEntry, StoredInput, read_entry};
pub(crate) use finished::write_finished;
pub use finished::{MAX_SUMMARY_BYTES, read_finished};
pub(crate) use header::write_header;
pub use header::{Claims, Header};
pub use histories::read_histories;
pub(crate) use histories::write_histories;
pub(crate) use match_journal::MatchJournal;
pub use recovery::{Recovered, recover};
pub use unreplayable::Unreplayable;

/// Version of what is written here. Raised when an older version of the program would
/// misunderstand it.
const FORMAT_VERSION: u32 = 1;

/// Version of the program that writes.
const VERSION: &str = env!("CARGO_PKG_VERSION");
