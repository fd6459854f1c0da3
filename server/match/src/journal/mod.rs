//! A match's journal: encoding while the match is played, and recovery after a restart.
//!
//! A match in play is stored as a [`Header`] and entries. An entry contains consecutive referee
//! inputs with their times. The last of these inputs had an effect. The referee is deterministic,
//! so the header and the entries are enough to rebuild the match. `proto/bridgemaster/internal`
//! describes their format.

mod entry;
mod finished;
mod header;
mod histories;
mod match_journal;
mod recovery;
mod unreplayable;

pub use entry::{HistoryStart, ReadEntry, StoredInput, read_entry};
pub(crate) use finished::write_finished;
pub use finished::{MAX_SUMMARY_BYTES, decode_finished};
pub(crate) use header::write_header;
pub use header::{Header, MatchParties};
pub use histories::read_histories;
pub(crate) use histories::write_histories;
pub(crate) use match_journal::MatchJournal;
pub use recovery::{Recovered, recover};
pub use unreplayable::Unreplayable;

/// Version of the stored format. It must be incremented for each change that older programs would
/// misread.
const FORMAT_VERSION: u32 = 1;

/// Version of this program, stored for error messages.
const VERSION: &str = env!("CARGO_PKG_VERSION");
