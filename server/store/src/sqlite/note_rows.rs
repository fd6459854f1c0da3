//! Rows of notes.

use rusqlite::{Connection, params};

use super::{
    failure::Fault,
    row::{all as all_rows, execute, first},
};
use crate::{Notes, checksum::StoreId, rows::named_rows::NOTES};

/// The note of a name.
pub(super) fn get(
    connection: &Connection,
    store: StoreId,
    name: &str,
) -> Result<Option<Vec<u8>>, Fault> {
    let row = first(
        connection,
        "SELECT name, value, checksum FROM note WHERE name = ?",
        [name],
    )?;
    let note = row.map(|row| NOTES.read(store, &row)).transpose();
    Ok(note.map_err(Fault::Damage)?.map(|(_, value)| value))
}

/// The notes whose names begin with `prefix`.
pub(super) fn all(connection: &Connection, store: StoreId, prefix: &str) -> Result<Notes, Fault> {
    let rows = all_rows(
        connection,
        "SELECT name, value, checksum FROM note WHERE substr(name, 1, length(?1)) = ?1",
        [prefix],
    )?;
    let notes = NOTES.read_all(store, &rows);
    Ok(Notes {
        kept: notes.sound,
        damaged: notes.damaged,
    })
}

/// Within a transaction: keeps a note.
pub(super) fn keep(
    connection: &Connection,
    store: StoreId,
    name: &str,
    value: &[u8],
) -> Result<(), Fault> {
    execute(
        connection,
        "INSERT OR REPLACE INTO note (name, value, checksum) VALUES (?, ?, ?)",
        params![name, value, NOTES.checksum(store, name, value)],
    )?;
    Ok(())
}

/// Within a transaction: forgets a note.
pub(super) fn forget(connection: &Connection, name: &str) -> Result<(), Fault> {
    execute(connection, "DELETE FROM note WHERE name = ?", [name])?;
    Ok(())
}
