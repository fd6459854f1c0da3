//! Rows of notes.

use sqlx::{Row as _, SqliteConnection, SqliteExecutor, sqlite::SqliteRow};

use super::failure::Fault;
use crate::{Damage, DamagedValue, Notes, checksum::StoreId};

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
    let note = row.map(|row| note_of(store, &row)).transpose();
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
    let mut notes = Notes::default();
    for row in &rows {
        match note_of(store, row) {
            Ok((name, value)) => {
                notes.kept.insert(name, value);
            }
            Err(damage) => notes.damaged.push(damage),
        }
    }
    Ok(notes)
}

fn note_of(store: StoreId, row: &SqliteRow) -> Result<(String, Vec<u8>), Damage> {
    let read = || -> Result<_, sqlx::Error> {
        let name: String = row.try_get(0)?;
        let value: Vec<u8> = row.try_get(1)?;
        let is_sound = row.try_get::<i64, _>(2)? == checksum_of(store, &name, &value);
        Ok((name, value, is_sound))
    };
    let detail = match read() {
        Ok((name, value, true)) => return Ok((name, value)),
        Ok((_, _, false)) => "its checksum differs".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Damage {
        value: DamagedValue::Note(row.try_get(0).unwrap_or_default()),
        detail,
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
        .bind(checksum_of(store, name, &value))
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

fn checksum_of(store: StoreId, name: &str, value: &[u8]) -> i64 {
    store.row("note").text(name).bytes(value).finish()
}
