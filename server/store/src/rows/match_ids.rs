//! The ids of matches in rows, and those that stand in for ids that cannot be read.

use super::StoredRow;
use crate::MatchId;

/// What the ids begin with by which matches are named whose own cannot be read; the key or the
/// number of the row follows.
pub(crate) const STAND_IN_OPEN: &str = "damaged-in-play-";
pub(crate) const STAND_IN_FINISHED: &str = "damaged-finished-";

/// The id in a column, if it is one.
pub(crate) fn id_of(row: &impl StoredRow, column: usize) -> Option<MatchId> {
    MatchId::new(row.value::<String>(column).ok()?).ok()
}

/// An id for a match whose own cannot be read.
pub(crate) fn stand_in(prefix: &str, number: i64) -> MatchId {
    MatchId::new(format!("{prefix}{number}")).expect("letters, '-' and a number are an id")
}
