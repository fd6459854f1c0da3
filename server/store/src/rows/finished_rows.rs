//! Rows of the finished matches, as they are read, and their checksums.

use super::{
    StoredRow, Unreadable,
    match_ids::{STAND_IN_FINISHED, id_of, stand_in},
};
use crate::{
    Damage, DamagedValue, FinishedCursor, FinishedMatch, FinishedPage, KeptReplay, KeyName,
    MatchId,
    checksum::{CHECKSUM_DIFFERS, StoreId},
};

/// The columns of a finished match, as lists read them.
pub(crate) const COLUMNS: &str = "finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms,
     summary, parties, finished_match.checksum";

/// The checksum of a finished match with these parties.
pub(crate) fn checksum_of(store: StoreId, finished: &FinishedMatch, parties: &str) -> i64 {
    store
        .row("finished_match")
        .text(finished.match_id.as_str())
        .number(finished.opened_at_unix_ms)
        .number(finished.ended_at_unix_ms)
        .bytes(&finished.summary)
        .text(parties)
        .finish()
}

/// A finished match and its parties, from a row as lists read it.
pub(crate) fn read(
    store: StoreId,
    row: &impl StoredRow,
) -> Result<(FinishedMatch, String), Damage> {
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
        Ok((_, _, false)) => CHECKSUM_DIFFERS.to_owned(),
        Err(error) => error.to_string(),
    };
    let id = id_of(row, 1)
        .unwrap_or_else(|| stand_in(STAND_IN_FINISHED, row.value(0).unwrap_or_default()));
    Err(Damage {
        value: DamagedValue::Summary(id),
        detail: problem,
    })
}

/// A page, from rows of which there is one more than `limit` if there is a next page. With `of`,
/// they are rows of the list of this party.
pub(crate) fn page_of<R: StoredRow>(
    store: StoreId,
    mut rows: Vec<R>,
    limit: u32,
    of: Option<&KeyName>,
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
    };
    for row in &rows {
        match read(store, row) {
            Ok((finished, parties)) => {
                let is_party = |of: &KeyName| parties.lines().any(|name| name == of.as_str());
                if of.is_none_or(is_party) {
                    page.matches.push(finished);
                } else {
                    page.damaged.push(Damage {
                        value: DamagedValue::Party(finished.match_id),
                        detail: "it is in a list of another".to_owned(),
                    });
                }
            }
            Err(damage) => page.damaged.push(damage),
        }
    }
    page
}

/// The row of the finished match that this id stands in for; the caller makes sure that it has no
/// id of its own.
pub(crate) fn stands_in_for(id: &MatchId) -> Option<i64> {
    let number = id.as_str().strip_prefix(STAND_IN_FINISHED)?;
    number.parse().ok()
}

/// A replay that is kept, from a row as lists read it and the length of the replay.
pub(crate) fn kept_of(store: StoreId, row: &impl StoredRow) -> Option<KeptReplay> {
    let (finished, _) = read(store, row).ok()?;
    let bytes: i64 = row.value(7).ok()?;
    Some(KeptReplay {
        match_id: finished.match_id,
        ended_at_unix_ms: finished.ended_at_unix_ms,
        bytes: bytes.unsigned_abs(),
        place: FinishedCursor(row.value(0).ok()?),
    })
}
