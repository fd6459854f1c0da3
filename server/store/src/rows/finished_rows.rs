//! Reads rows of finished matches, and computes their checksums.

use super::{
    StoredRow, Unreadable,
    match_ids::{SUBSTITUTE_PREFIX_FINISHED, id_from_row, substitute_id},
};
use crate::{
    DamageReport, DamagedValue, FinishedCursor, FinishedMatch, FinishedPage, KeyName, MatchId,
    ReplayMetadata,
    checksum::{CHECKSUM_MISMATCH, StoreId},
};

/// The columns that [`read`] expects.
pub(crate) const COLUMNS: &str = "finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms,
     summary, parties, finished_match.checksum";

pub(crate) fn checksum_of(store: StoreId, finished: &FinishedMatch, parties: &str) -> i64 {
    store
        .row_checksum("finished_match")
        .add_text(finished.match_id.as_str())
        .add_number(finished.opened_at_unix_ms)
        .add_number(finished.ended_at_unix_ms)
        .add_bytes(&finished.summary)
        .add_text(parties)
        .finish()
}

/// Reads a finished match and its parties from a row with [`COLUMNS`].
pub(crate) fn read(
    store: StoreId,
    row: &impl StoredRow,
) -> Result<(FinishedMatch, String), DamageReport> {
    let read = || -> Result<_, Unreadable> {
        let parties: String = row.value(5)?;
        let finished = FinishedMatch {
            match_id: MatchId::new(row.value::<String>(1)?)?,
            opened_at_unix_ms: row.value(2)?,
            ended_at_unix_ms: row.value(3)?,
            summary: row.value(4)?,
        };
        let computed = checksum_of(store, &finished, &parties);
        Ok((finished, parties, row.value::<i64>(6)? == computed))
    };
    let problem = match read() {
        Ok((finished, parties, true)) => return Ok((finished, parties)),
        Ok((_, _, false)) => CHECKSUM_MISMATCH.to_owned(),
        Err(error) => error.to_string(),
    };
    let id = id_from_row(row, 1).unwrap_or_else(|| {
        substitute_id(SUBSTITUTE_PREFIX_FINISHED, row.value(0).unwrap_or_default())
    });
    Err(DamageReport {
        value: DamagedValue::Summary(id),
        detail: problem,
    })
}

/// Converts rows to a page. If there is one row more than `limit`, there is a next page. If `party`
/// is set, the rows must come from this party's list.
pub(crate) fn read_page<R: StoredRow>(
    store: StoreId,
    mut rows: Vec<R>,
    limit: u32,
    party: Option<&KeyName>,
) -> FinishedPage {
    let has_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let number = |row: &R| row.value(0).unwrap_or_default();
    let mut page = FinishedPage {
        matches: Vec::with_capacity(rows.len()),
        damaged: Vec::new(),
        next: rows
            .last()
            .filter(|_| has_more)
            .map(|row| FinishedCursor(number(row))),
        unsettled: 0,
    };
    for row in &rows {
        match read(store, row) {
            Ok((finished, parties)) => {
                let is_party = |party: &KeyName| parties.lines().any(|name| name == party.as_str());
                if party.is_none_or(is_party) {
                    page.matches.push(finished);
                } else {
                    page.damaged.push(DamageReport {
                        value: DamagedValue::Party(finished.match_id),
                        detail: "unexpected entry in the list of a party".to_owned(),
                    });
                }
            }
            Err(damage) => page.damaged.push(damage),
        }
    }
    page
}

/// Returns the row number in a substitute id. The caller must check that the row has no readable
/// id.
pub(crate) fn row_number_of_substitute(id: &MatchId) -> Option<i64> {
    let number = id.as_str().strip_prefix(SUBSTITUTE_PREFIX_FINISHED)?;
    number.parse().ok()
}

/// Reads a stored replay from a row with [`COLUMNS`], followed by the replay's length.
pub(crate) fn replay_metadata_from_row(
    store: StoreId,
    row: &impl StoredRow,
) -> Option<ReplayMetadata> {
    let (finished, _) = read(store, row).ok()?;
    let bytes: i64 = row.value(7).ok()?;
    Some(ReplayMetadata {
        match_id: finished.match_id,
        ended_at_unix_ms: finished.ended_at_unix_ms,
        bytes: bytes.unsigned_abs(),
        cursor: FinishedCursor(row.value(0).ok()?),
    })
}
