//! The journal of a match: encoding while the match is played, and recovery after a restart.
//!
//! A match in play is stored as a [`Header`] and entries. An entry contains consecutive inputs of
//! the referee with their times, of which the last one had an effect. The referee is deterministic,
//! so the header and the entries suffice to rebuild the match. `proto/bridgemaster/internal`
//! describes their format.

mod entry;
mod finished;
mod header;
mod recovery;

pub(crate) use entry::MatchJournal;
pub use entry::{HistoryStart, ReadEntry, StoredInput, read_entry};
pub use finished::{MAX_SUMMARY_BYTES, decode_finished, read_histories};
pub(crate) use finished::{write_finished, write_histories};
pub(crate) use header::write_header;
pub use header::{Header, MatchParties, Unreplayable};
pub use recovery::{Recovered, recover};

/// Version of the stored format. It must be incremented for each change that older versions would
/// misread.
const FORMAT_VERSION: u32 = 1;

/// Version of this program, stored for error messages.
const VERSION: &str = env!("CARGO_PKG_VERSION");
