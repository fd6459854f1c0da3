//! Rows of secrets.

use sqlx::{Row as _, SqliteConnection, SqliteExecutor, sqlite::SqliteRow};

use super::failure::Fault;
use crate::{Damage, DamagedValue, checksum::StoreId};

/// The secret of a name.
pub(super) async fn get(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
    name: &str,
) -> Result<Option<Vec<u8>>, Fault> {
    let row = sqlx::query("SELECT name, value, checksum FROM secret WHERE name = ?")
        .bind(name)
        .fetch_optional(database)
        .await?;
    let secret = row.map(|row| secret_of(store, &row)).transpose();
    secret.map_err(Fault::Damage)
}

/// A secret, from its row.
pub(super) fn secret_of(store: StoreId, row: &SqliteRow) -> Result<Vec<u8>, Damage> {
    let read = || -> Result<_, sqlx::Error> {
        let name: String = row.try_get(0)?;
        let value: Vec<u8> = row.try_get(1)?;
        let is_sound = row.try_get::<i64, _>(2)? == checksum_of(store, &name, &value);
        Ok((value, is_sound))
    };
    let detail = match read() {
        Ok((value, true)) => return Ok(value),
        Ok((_, false)) => "its checksum differs".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Damage {
        value: DamagedValue::Secret(row.try_get(0).unwrap_or_default()),
        detail,
    })
}

/// Within a transaction: keeps a secret, unless there is one of its name. Returns the one that is
/// kept.
pub(super) async fn keep(
    connection: &mut SqliteConnection,
    store: StoreId,
    name: &str,
    value: Vec<u8>,
) -> Result<Vec<u8>, Fault> {
    if let Some(kept) = get(&mut *connection, store, name).await? {
        return Ok(kept);
    }
    sqlx::query("INSERT INTO secret (name, value, checksum) VALUES (?, ?, ?)")
        .bind(name)
        .bind(&value)
        .bind(checksum_of(store, name, &value))
        .execute(connection)
        .await?;
    Ok(value)
}

fn checksum_of(store: StoreId, name: &str, value: &[u8]) -> i64 {
    store.row("secret").text(name).bytes(value).finish()
}
