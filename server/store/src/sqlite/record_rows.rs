//! Rows of records in SQLite.

use rusqlite::{Connection, params};

use super::{
    db_error::DbError,
    row::{all as all_rows, execute, first},
};
use crate::{Records, checksum::StoreId, rows::named_rows::RECORDS};

pub(super) fn get(
    connection: &Connection,
    store: StoreId,
    name: &str,
) -> Result<Option<Vec<u8>>, DbError> {
    let row = first(
        connection,
        "SELECT name, value, checksum FROM note WHERE name = ?",
        [name],
    )?;
    let record = row.map(|row| RECORDS.read(store, &row)).transpose();
    Ok(record.map_err(DbError::Damaged)?.map(|(_, value)| value))
}

/// Returns the records whose names start with `prefix`.
pub(super) fn all(
    connection: &Connection,
    store: StoreId,
    prefix: &str,
) -> Result<Records, DbError> {
    let rows = all_rows(
        connection,
        "SELECT name, value, checksum FROM note WHERE substr(name, 1, length(?1)) = ?1",
        [prefix],
    )?;
    let records = RECORDS.read_all(store, &rows);
    Ok(Records {
        intact: records.intact,
        damaged: records.damaged,
    })
}

/// Inserts or replaces a record. Requires an open transaction.
pub(super) fn put(
    connection: &Connection,
    store: StoreId,
    name: &str,
    value: &[u8],
) -> Result<(), DbError> {
    execute(
        connection,
        "INSERT OR REPLACE INTO note (name, value, checksum) VALUES (?, ?, ?)",
        params![name, value, RECORDS.checksum(store, name, value)],
    )?;
    Ok(())
}

/// Deletes a record. Requires an open transaction.
pub(super) fn delete(connection: &Connection, name: &str) -> Result<(), DbError> {
    execute(connection, "DELETE FROM note WHERE name = ?", [name])?;
    Ok(())
}
