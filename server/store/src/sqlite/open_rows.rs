//! Rows of the table `open_match` in SQLite: matches in play, without their journals.

use rusqlite::{Connection, params};

use super::{
    db_error::DbError,
    row::{all as all_rows, execute, first},
};
use crate::{
    MatchId,
    checksum::StoreId,
    rows::open_rows::{OpenRow, checksum_of, read},
};

pub(super) fn insert(
    connection: &Connection,
    store: StoreId,
    match_key: i64,
    match_id: &MatchId,
    opened_at_unix_ms: i64,
    header: &[u8],
) -> Result<(), DbError> {
    let match_id = match_id.as_str();
    let checksum = checksum_of(store, match_key, match_id, opened_at_unix_ms, header);
    execute(
        connection,
        "INSERT INTO open_match (match_key, match_id, opened_at_unix_ms, header, checksum)
         VALUES (?, ?, ?, ?, ?)",
        params![match_key, match_id, opened_at_unix_ms, header, checksum],
    )?;
    Ok(())
}

pub(super) fn delete(connection: &Connection, match_key: i64) -> Result<(), DbError> {
    execute(
        connection,
        "DELETE FROM open_match WHERE match_key = ?",
        [match_key],
    )?;
    Ok(())
}

/// Reads and verifies the matches in play.
pub(super) fn all(connection: &Connection, store: StoreId) -> Result<Vec<OpenRow>, DbError> {
    let rows = all_rows(
        connection,
        "SELECT match_key, match_id, opened_at_unix_ms, header, checksum FROM open_match",
        (),
    )?;
    Ok(rows.iter().map(|row| OpenRow::read(store, row)).collect())
}

/// Reads the header of a match in play, or describes its damage.
pub(super) fn header(
    connection: &Connection,
    store: StoreId,
    match_key: i64,
) -> Result<Result<Vec<u8>, String>, DbError> {
    let row = first(
        connection,
        "SELECT match_key, match_id, opened_at_unix_ms, header, checksum FROM open_match
         WHERE match_key = ?",
        [match_key],
    )?;
    Ok(match row {
        Some(row) => read(store, match_key, &row),
        None => Err("the row is missing".to_owned()),
    })
}
