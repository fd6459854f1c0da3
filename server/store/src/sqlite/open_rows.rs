//! Rows of the matches in play, without their journals.

use rusqlite::{Connection, params};

use super::{
    failure::Fault,
    row::{all as all_rows, execute, first},
};
use crate::{
    MatchId,
    checksum::StoreId,
    rows::open_rows::{OpenRow, checksum_of, read},
};

/// Adds a match in play.
pub(super) fn insert(
    connection: &Connection,
    store: StoreId,
    match_key: i64,
    match_id: &MatchId,
    opened_at_unix_ms: i64,
    header: &[u8],
) -> Result<(), Fault> {
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

/// Removes a match in play.
pub(super) fn delete(connection: &Connection, match_key: i64) -> Result<(), Fault> {
    execute(
        connection,
        "DELETE FROM open_match WHERE match_key = ?",
        [match_key],
    )?;
    Ok(())
}

/// The matches in play, each checked.
pub(super) fn all(connection: &Connection, store: StoreId) -> Result<Vec<OpenRow>, Fault> {
    let rows = all_rows(
        connection,
        "SELECT match_key, match_id, opened_at_unix_ms, header, checksum FROM open_match",
        (),
    )?;
    Ok(rows.iter().map(|row| OpenRow::of(store, row)).collect())
}

/// The header of a match in play; or what is wrong with it.
pub(super) fn header(
    connection: &Connection,
    store: StoreId,
    match_key: i64,
) -> Result<Result<Vec<u8>, String>, Fault> {
    let row = first(
        connection,
        "SELECT match_key, match_id, opened_at_unix_ms, header, checksum FROM open_match
         WHERE match_key = ?",
        [match_key],
    )?;
    Ok(match row {
        Some(row) => read(store, match_key, &row),
        None => Err("it is missing".to_owned()),
    })
}
