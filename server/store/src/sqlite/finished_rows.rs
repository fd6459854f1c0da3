//! Rows of finished matches in SQLite, without their replays.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use super::{
    db_error::DbError,
    replay_rows,
    row::{all, execute, first, value},
};
use crate::{
    FinishedCursor, FinishedMatch, FinishedPage, KeyName, MatchId, ReplayMetadata,
    checksum::StoreId,
    rows::{
        StoredRow as _,
        finished_rows::{
            checksum_of, read, read_page, replay_metadata_from_row, row_number_of_substitute,
        },
        match_ids::id_from_row,
    },
};

/// Selects a page of a party's finished matches.
const SELECT_PAGE_OF_PARTY: &str =
    "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties, checksum
     FROM finished_party CROSS JOIN finished_match USING (finish_number)
     WHERE name = ?3 AND finish_number < ?1
     ORDER BY finish_number DESC LIMIT ?2 + 1";

/// Joins the names of parties, which contain no line breaks, as they are stored.
pub(super) fn join_parties(parties: &BTreeSet<KeyName>) -> String {
    let names: Vec<&str> = parties.iter().map(KeyName::as_str).collect();
    names.join("\n")
}

/// Inserts a finished match with its replay and its joined parties. Without a number, the next number
/// is assigned. Requires an open transaction.
pub(super) fn insert(
    connection: &Connection,
    store: StoreId,
    number: Option<i64>,
    finished: &FinishedMatch,
    replay: Option<&[u8]>,
    parties: &str,
) -> Result<(), DbError> {
    let finish_number: i64 = value(
        connection,
        "INSERT INTO finished_match (finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms,
             summary, parties, checksum)
         VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING finish_number",
        params![
            number,
            finished.match_id.as_str(),
            finished.opened_at_unix_ms,
            finished.ended_at_unix_ms,
            finished.summary,
            parties,
            checksum_of(store, finished, parties)
        ],
    )?;
    replay_rows::insert(connection, store, finish_number, &finished.match_id, replay)?;
    for name in parties.lines() {
        execute(
            connection,
            "INSERT INTO finished_party (name, finish_number) VALUES (?, ?)",
            params![name, finish_number],
        )?;
    }
    Ok(())
}

/// Deletes a finished match with its replay and its parties.
pub(super) fn delete(connection: &Connection, finish_number: i64) -> Result<(), DbError> {
    for delete in [
        "DELETE FROM finished_match WHERE finish_number = ?",
        // All entries are scanned, since the match's list of parties might be damaged.
        "DELETE FROM finished_party WHERE finish_number = ?",
        "DELETE FROM replay WHERE finish_number = ?",
    ] {
        execute(connection, delete, [finish_number])?;
    }
    Ok(())
}

/// Returns a finished match's row number, given the match's id or substitute id.
pub(super) fn finish_number(connection: &Connection, id: &MatchId) -> Result<Option<i64>, DbError> {
    let found = first(
        connection,
        "SELECT finish_number FROM finished_match WHERE match_id = ?",
        [id.as_str()],
    )?;
    if let Some(row) = found {
        return Ok(Some(row.value(0)?));
    }
    let Some(number) = row_number_of_substitute(id) else {
        return Ok(None);
    };
    let row = first(
        connection,
        "SELECT match_id FROM finished_match WHERE finish_number = ?",
        [number],
    )?;
    Ok(row
        .filter(|row| id_from_row(row, 0).is_none())
        .map(|_| number))
}

pub(super) fn page(
    connection: &Connection,
    store: StoreId,
    after: Option<FinishedCursor>,
    limit: u32,
    party: Option<&KeyName>,
) -> Result<FinishedPage, DbError> {
    let before = after.map_or(i64::MAX, |cursor| cursor.0);
    // One extra row shows whether there is a next page.
    let rows = match party {
        None => all(
            connection,
            "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
                 checksum
             FROM finished_match WHERE finish_number < ?1
             ORDER BY finish_number DESC LIMIT ?2 + 1",
            params![before, limit],
        )?,
        Some(party) => all(
            connection,
            SELECT_PAGE_OF_PARTY,
            params![before, limit, party.as_str()],
        )?,
    };
    Ok(read_page(store, rows, limit, party))
}

pub(super) fn get(
    connection: &Connection,
    store: StoreId,
    id: &MatchId,
) -> Result<Option<FinishedMatch>, DbError> {
    let row = first(
        connection,
        "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
             checksum
         FROM finished_match WHERE match_id = ?",
        [id.as_str()],
    )?;
    let finished = row.map(|row| read(store, &row)).transpose();
    Ok(finished
        .map_err(DbError::Damaged)?
        .map(|(finished, _)| finished))
}

/// Returns whether a name is a party of a finished match.
pub(super) fn is_party(
    connection: &Connection,
    id: &MatchId,
    name: &KeyName,
) -> Result<bool, DbError> {
    let is_party = value(
        connection,
        "SELECT EXISTS (SELECT 1 FROM finished_match JOIN finished_party USING (finish_number)
         WHERE match_id = ? AND name = ?)",
        [id.as_str(), name.as_str()],
    )?;
    Ok(is_party)
}

/// Returns stored replays, oldest match first.
pub(super) fn stored_replays(
    connection: &Connection,
    store: StoreId,
    after: Option<FinishedCursor>,
    limit: u32,
    skip_newest: u64,
) -> Result<Vec<ReplayMetadata>, DbError> {
    let mut after = after.map_or(i64::MIN, |cursor| cursor.0);
    loop {
        // A row's header contains the length of its blob. `CROSS JOIN` keeps the order of the
        // tables. So SQLite reads only the row header of a deleted replay.
        let rows = all(
            connection,
            "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
                 finished_match.checksum, length(replay)
             FROM replay CROSS JOIN finished_match USING (finish_number)
             WHERE finish_number > ?1 AND length(replay) > 0
                 AND finish_number <= (SELECT max(finish_number) FROM finished_match) - ?3
             ORDER BY finish_number LIMIT ?2",
            params![after, limit, i64::try_from(skip_newest).unwrap_or(i64::MAX)],
        )?;
        let Some(last) = rows.last() else {
            return Ok(Vec::new());
        };
        after = last.value(0)?;
        let replays: Vec<_> = rows
            .iter()
            .filter_map(|row| replay_metadata_from_row(store, row))
            .collect();
        // Matches that cannot be read are skipped.
        if !replays.is_empty() {
            return Ok(replays);
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
        let reader = opening::connect_read_only(&dir.database()).unwrap();
        let plan = format!("EXPLAIN QUERY PLAN {SELECT_PAGE_OF_PARTY}");
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
