//! Rows of the finished matches, without their replays.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use super::{
    failure::Fault,
    replay_rows,
    row::{all, execute, first, value},
};
use crate::{
    FinishedCursor, FinishedMatch, FinishedPage, KeptReplay, KeyName, MatchId,
    checksum::StoreId,
    rows::{
        StoredRow as _,
        finished_rows::{checksum_of, kept_of, page_of, read, stands_in_for},
        match_ids::id_of,
    },
};

/// A page of the finished matches of a party, by the lists of parties.
const PAGE_OF_PARTY: &str =
    "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties, checksum
     FROM finished_party CROSS JOIN finished_match USING (finish_number)
     WHERE name = ?3 AND finish_number < ?1
     ORDER BY finish_number DESC LIMIT ?2 + 1";

/// Adds a finished match with its replay and its parties.
pub(super) fn insert(
    connection: &Connection,
    store: StoreId,
    finished: &FinishedMatch,
    replay: &[u8],
    parties: &BTreeSet<KeyName>,
) -> Result<(), Fault> {
    let names: Vec<&str> = parties.iter().map(KeyName::as_str).collect();
    // A name has no line break.
    let parties = names.join("\n");
    let finish_number: i64 = value(
        connection,
        "INSERT INTO finished_match
             (match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties, checksum)
         VALUES (?, ?, ?, ?, ?, ?) RETURNING finish_number",
        params![
            finished.match_id.as_str(),
            finished.opened_at_unix_ms,
            finished.ended_at_unix_ms,
            finished.summary,
            parties,
            checksum_of(store, finished, &parties)
        ],
    )?;
    replay_rows::keep(connection, store, finish_number, &finished.match_id, replay)?;
    for name in names {
        execute(
            connection,
            "INSERT INTO finished_party (name, finish_number) VALUES (?, ?)",
            params![name, finish_number],
        )?;
    }
    Ok(())
}

/// Removes a finished match with its replay and its parties.
pub(super) fn delete(connection: &Connection, finish_number: i64) -> Result<(), Fault> {
    for delete in [
        "DELETE FROM finished_match WHERE finish_number = ?",
        // A look at every entry, since what the match says of its parties may be damaged.
        "DELETE FROM finished_party WHERE finish_number = ?",
        "DELETE FROM replay WHERE finish_number = ?",
    ] {
        execute(connection, delete, [finish_number])?;
    }
    Ok(())
}

/// The row of a finished match, by its id or by what stands in for it.
pub(super) fn number(connection: &Connection, id: &MatchId) -> Result<Option<i64>, Fault> {
    let found = first(
        connection,
        "SELECT finish_number FROM finished_match WHERE match_id = ?",
        [id.as_str()],
    )?;
    if let Some(row) = found {
        return Ok(Some(row.value(0)?));
    }
    let Some(number) = stands_in_for(id) else {
        return Ok(None);
    };
    let row = first(
        connection,
        "SELECT match_id FROM finished_match WHERE finish_number = ?",
        [number],
    )?;
    Ok(row.filter(|row| id_of(row, 0).is_none()).map(|_| number))
}

/// A page of finished matches.
pub(super) fn page(
    connection: &Connection,
    store: StoreId,
    after: Option<FinishedCursor>,
    limit: u32,
    of: Option<&KeyName>,
) -> Result<FinishedPage, Fault> {
    let before = after.map_or(i64::MAX, |cursor| cursor.0);
    // One more than the page has shows whether there is a next page.
    let rows = match of {
        None => all(
            connection,
            "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
                 checksum
             FROM finished_match WHERE finish_number < ?1
             ORDER BY finish_number DESC LIMIT ?2 + 1",
            params![before, limit],
        )?,
        Some(of) => all(
            connection,
            PAGE_OF_PARTY,
            params![before, limit, of.as_str()],
        )?,
    };
    Ok(page_of(store, rows, limit, of))
}

/// A finished match, by its id.
pub(super) fn one(
    connection: &Connection,
    store: StoreId,
    id: &MatchId,
) -> Result<Option<FinishedMatch>, Fault> {
    let row = first(
        connection,
        "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
             checksum
         FROM finished_match WHERE match_id = ?",
        [id.as_str()],
    )?;
    let finished = row.map(|row| read(store, &row)).transpose();
    Ok(finished
        .map_err(Fault::Damage)?
        .map(|(finished, _)| finished))
}

/// Whether a name is a party of a finished match.
pub(super) fn is_party(
    connection: &Connection,
    id: &MatchId,
    name: &KeyName,
) -> Result<bool, Fault> {
    let is_party = value(
        connection,
        "SELECT EXISTS (SELECT 1 FROM finished_match JOIN finished_party USING (finish_number)
         WHERE match_id = ? AND name = ?)",
        [id.as_str(), name.as_str()],
    )?;
    Ok(is_party)
}

/// Replays that are kept, those of the matches that finished first.
pub(super) fn kept_replays(
    connection: &Connection,
    store: StoreId,
    after: Option<FinishedCursor>,
    limit: u32,
    spared: u64,
) -> Result<Vec<KeptReplay>, Fault> {
    let mut after = after.map_or(i64::MIN, |cursor| cursor.0);
    loop {
        // The length of a blob is in the head of its row. `CROSS JOIN` keeps the order of the
        // tables: of what is kept no more only that head is read.
        let rows = all(
            connection,
            "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
                 finished_match.checksum, length(replay)
             FROM replay CROSS JOIN finished_match USING (finish_number)
             WHERE finish_number > ?1 AND length(replay) > 0
                 AND finish_number <= (SELECT max(finish_number) FROM finished_match) - ?3
             ORDER BY finish_number LIMIT ?2",
            params![after, limit, i64::try_from(spared).unwrap_or(i64::MAX)],
        )?;
        let Some(last) = rows.last() else {
            return Ok(Vec::new());
        };
        after = last.value(0)?;
        let kept: Vec<_> = rows.iter().filter_map(|row| kept_of(store, row)).collect();
        // Matches that cannot be read are passed over.
        if !kept.is_empty() {
            return Ok(kept);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::{DataDir, SqliteOptions, SqliteStore, sqlite::opening};

    #[tokio::test]
    async fn a_page_of_a_partys_matches_is_found_by_indexes_alone() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        let store = SqliteStore::open(&dir, SqliteOptions::default()).await;
        let _store = store.unwrap();
        let reader = opening::reading(&dir.database()).unwrap();
        let plan = format!("EXPLAIN QUERY PLAN {PAGE_OF_PARTY}");
        let mut steps = reader.prepare(&plan).unwrap();
        let steps: Vec<String> = steps
            .query_map(params![9, 9, "north"], |step| step.get("detail"))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(
            steps,
            [
                "SEARCH finished_party USING PRIMARY KEY (name=? AND finish_number<?)",
                "SEARCH finished_match USING INTEGER PRIMARY KEY (rowid=?)",
            ]
        );
    }
}
