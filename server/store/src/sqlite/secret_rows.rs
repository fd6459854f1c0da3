//! Rows of secrets.

use std::collections::BTreeMap;

use sqlx::{Row as _, SqliteConnection, SqliteExecutor, sqlite::SqliteRow};

use super::failure::Fault;
use crate::{Damage, DamagedValue, checksum::StoreId};

/// The secrets, and what is wrong with those that cannot be read.
#[derive(Debug, Default)]
pub(super) struct ReadSecrets {
    /// By their names.
    sound: BTreeMap<String, Vec<u8>>,
    pub(super) damaged: Vec<Damage>,
}

/// Every secret: there are few.
pub(super) async fn all(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
) -> Result<ReadSecrets, Fault> {
    let rows = sqlx::query("SELECT name, value, checksum FROM secret")
        .fetch_all(database)
        .await?;
    let mut secrets = ReadSecrets::default();
    for row in &rows {
        match secret_of(store, row) {
            Ok((name, value)) => {
                secrets.sound.insert(name, value);
            }
            Err(damage) => secrets.damaged.push(damage),
        }
    }
    Ok(secrets)
}

/// The secret of a name.
pub(super) async fn get(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
    name: &str,
) -> Result<Option<Vec<u8>>, Fault> {
    let mut secrets = all(database, store).await?;
    match (secrets.sound.remove(name), secrets.damaged.pop()) {
        (Some(value), _) => Ok(Some(value)),
        // It may be the one, though its name is another now.
        (None, Some(damage)) => Err(Fault::Damage(damage)),
        (None, None) => Ok(None),
    }
}

/// Within a transaction: removes the secrets that cannot be read.
pub(super) async fn remove_damaged(
    connection: &mut SqliteConnection,
    store: StoreId,
) -> Result<Vec<Damage>, Fault> {
    let secrets = all(&mut *connection, store).await?;
    if secrets.damaged.is_empty() {
        return Ok(secrets.damaged);
    }
    // Whatever their names are now.
    sqlx::query("DELETE FROM secret")
        .execute(&mut *connection)
        .await?;
    for (name, value) in secrets.sound {
        add(&mut *connection, store, &name, &value).await?;
    }
    Ok(secrets.damaged)
}

/// A secret with its name, from its row.
fn secret_of(store: StoreId, row: &SqliteRow) -> Result<(String, Vec<u8>), Damage> {
    let read = || -> Result<_, sqlx::Error> {
        let name: String = row.try_get(0)?;
        let value: Vec<u8> = row.try_get(1)?;
        let is_sound = row.try_get::<i64, _>(2)? == checksum_of(store, &name, &value);
        Ok(((name, value), is_sound))
    };
    let detail = match read() {
        Ok((secret, true)) => return Ok(secret),
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
    add(connection, store, name, &value).await?;
    Ok(value)
}

async fn add(
    connection: &mut SqliteConnection,
    store: StoreId,
    name: &str,
    value: &[u8],
) -> Result<(), Fault> {
    sqlx::query("INSERT INTO secret (name, value, checksum) VALUES (?, ?, ?)")
        .bind(name)
        .bind(value)
        .bind(checksum_of(store, name, value))
        .execute(connection)
        .await?;
    Ok(())
}

fn checksum_of(store: StoreId, name: &str, value: &[u8]) -> i64 {
    store.row("secret").text(name).bytes(value).finish()
}
