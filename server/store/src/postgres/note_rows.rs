//! Rows of notes.

use sqlx::{PgConnection, PgExecutor};

use super::failure::Fault;
use crate::{Notes, checksum::StoreId, rows::named_rows::NOTES};

/// The note of a name.
pub(super) async fn get(
    database: impl PgExecutor<'_>,
    store: StoreId,
    name: &str,
) -> Result<Option<Vec<u8>>, Fault> {
    let row = sqlx::query("SELECT name, value, checksum FROM note WHERE name = $1")
        .bind(name.as_bytes())
        .fetch_optional(database)
        .await?;
    let note = row.map(|row| NOTES.read(store, &row)).transpose();
    Ok(note.map_err(Fault::Damage)?.map(|(_, value)| value))
}

/// The notes whose names begin with `prefix`.
pub(super) async fn all(
    database: impl PgExecutor<'_>,
    store: StoreId,
    prefix: &str,
) -> Result<Notes, Fault> {
    let rows = sqlx::query(
        "SELECT name, value, checksum FROM note WHERE substring(name FROM 1 FOR length($1::bytea)) = $1",
    )
    .bind(prefix.as_bytes())
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
    connection: &mut PgConnection,
    store: StoreId,
    name: &str,
    value: &[u8],
) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO note (name, value, checksum) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE
         SET value = excluded.value, checksum = excluded.checksum",
    )
    .bind(name.as_bytes())
    .bind(value)
    .bind(NOTES.checksum(store, name, value))
    .execute(connection)
    .await?;
    Ok(())
}

/// Within a transaction: forgets a note.
pub(super) async fn forget(connection: &mut PgConnection, name: &str) -> Result<(), Fault> {
    sqlx::query("DELETE FROM note WHERE name = $1")
        .bind(name.as_bytes())
        .execute(connection)
        .await?;
    Ok(())
}
