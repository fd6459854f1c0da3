//! Rows of notes.

use sqlx::{SqliteConnection, SqliteExecutor};

use super::failure::Fault;
use crate::{Notes, checksum::StoreId, rows::named_rows::NOTES};

/// The note of a name.
pub(super) async fn get(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
    name: &str,
) -> Result<Option<Vec<u8>>, Fault> {
    let row = sqlx::query("SELECT name, value, checksum FROM note WHERE name = ?")
        .bind(name)
        .fetch_optional(database)
        .await?;
    let note = row.map(|row| NOTES.read(store, &row)).transpose();
    Ok(note.map_err(Fault::Damage)?.map(|(_, value)| value))
}

/// The notes whose names begin with `prefix`.
pub(super) async fn all(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
    prefix: &str,
) -> Result<Notes, Fault> {
    let rows = sqlx::query(
        "SELECT name, value, checksum FROM note WHERE substr(name, 1, length(?1)) = ?1",
    )
    .bind(prefix)
    .fetch_all(database)
    .await?;
    let notes = NOTES.read_all(store, &rows);
    Ok(Notes {
        kept: notes.sound,
        damaged: notes.damaged,
    })
}

/// Within a transaction: keeps a note.
pub(super) async fn keep(
    connection: &mut SqliteConnection,
    store: StoreId,
    name: &str,
    value: Vec<u8>,
) -> Result<(), Fault> {
    sqlx::query("INSERT OR REPLACE INTO note (name, value, checksum) VALUES (?, ?, ?)")
        .bind(name)
        .bind(&value)
        .bind(NOTES.checksum(store, name, &value))
        .execute(connection)
        .await?;
    Ok(())
}

/// Within a transaction: forgets a note.
pub(super) async fn forget(connection: &mut SqliteConnection, name: &str) -> Result<(), Fault> {
    sqlx::query("DELETE FROM note WHERE name = ?")
        .bind(name)
        .execute(connection)
        .await?;
    Ok(())
}
