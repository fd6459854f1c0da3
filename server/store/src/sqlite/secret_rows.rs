//! Rows of secrets.

use sqlx::{SqliteConnection, SqliteExecutor};

use super::{failure::Fault, transaction};

/// The secret of a name.
pub(super) async fn get(
    database: impl SqliteExecutor<'_>,
    name: &str,
) -> Result<Option<Vec<u8>>, Fault> {
    Ok(
        sqlx::query_scalar("SELECT value FROM secret WHERE name = ?")
            .bind(name)
            .fetch_optional(database)
            .await?,
    )
}

/// Keeps a secret, in a transaction of its own, unless there is one of its name. Returns the one
/// that is kept.
pub(super) async fn keep(
    connection: &mut SqliteConnection,
    name: &str,
    value: Vec<u8>,
) -> Result<Vec<u8>, Fault> {
    transaction::begin(connection).await?;
    let work = insert(connection, name, value).await;
    transaction::end(connection, work).await
}

async fn insert(
    connection: &mut SqliteConnection,
    name: &str,
    value: Vec<u8>,
) -> Result<Vec<u8>, Fault> {
    if let Some(kept) = get(&mut *connection, name).await? {
        return Ok(kept);
    }
    sqlx::query("INSERT INTO secret (name, value) VALUES (?, ?)")
        .bind(name)
        .bind(&value)
        .execute(connection)
        .await?;
    Ok(value)
}
