//! Rows of secrets.

use sqlx::{SqliteConnection, SqliteExecutor};

use super::failure::Fault;
use crate::{
    Damage,
    checksum::StoreId,
    rows::named_rows::{NamedValues, SECRETS},
};

/// Every secret: there are few.
pub(super) async fn all(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
) -> Result<NamedValues, Fault> {
    let rows = sqlx::query("SELECT name, value, checksum FROM secret")
        .fetch_all(database)
        .await?;
    Ok(SECRETS.read_all(store, &rows))
}

/// The secret of a name.
pub(super) async fn get(
    database: impl SqliteExecutor<'_>,
    store: StoreId,
    name: &str,
) -> Result<Option<Vec<u8>>, Fault> {
    let secrets = all(database, store).await?;
    secrets.get(name).map_err(Fault::Damage)
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
        .bind(SECRETS.checksum(store, name, value))
        .execute(connection)
        .await?;
    Ok(())
}
