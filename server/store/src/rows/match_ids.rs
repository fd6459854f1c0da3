//! Match ids in rows, and substitutes for ids that cannot be read.

use super::StoredRow;
use crate::MatchId;

/// Prefixes of substitute ids, followed by the key or number of the row.
pub(crate) const SUBSTITUTE_PREFIX_IN_PLAY: &str = "damaged-in-play-";
pub(crate) const SUBSTITUTE_PREFIX_FINISHED: &str = "damaged-finished-";

/// Returns the id in a column, if it is valid.
pub(crate) fn id_from_row(row: &impl StoredRow, column: usize) -> Option<MatchId> {
    MatchId::new(row.value::<String>(column).ok()?).ok()
}

/// Returns a substitute for an id that cannot be read.
pub(crate) fn substitute_id(prefix: &str, number: i64) -> MatchId {
    MatchId::new(format!("{prefix}{number}")).expect("letters, '-' and a number form an id")
}
