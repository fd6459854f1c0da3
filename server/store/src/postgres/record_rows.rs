//! Rows of records in PostgreSQL.
//!
//! Nodes may write the same record at the same time, such as that of an idempotency key. A commit
//! must not wait for that of another node, so each transaction writes its own version of a record.

use sqlx::{AssertSqlSafe, PgConnection, PgExecutor};

use super::db_error::DbError;
use crate::{Records, checksum::StoreId, rows::named_rows::RECORDS};

pub(super) async fn get(
    database: impl PgExecutor<'_>,
    store: StoreId,
    name: &str,
) -> Result<Option<Vec<u8>>, DbError> {
    let row = sqlx::query(
        "SELECT name, value, checksum FROM note WHERE name = $1 ORDER BY version DESC LIMIT 1",
    )
    .bind(name.as_bytes())
    .fetch_optional(database)
    .await?;
    let record = row.map(|row| RECORDS.read(store, &row)).transpose();
    Ok(record.map_err(DbError::Damaged)?.map(|(_, value)| value))
}

/// Returns the records whose names start with `prefix`.
pub(super) async fn all(
    database: impl PgExecutor<'_>,
    store: StoreId,
    prefix: &str,
) -> Result<Records, DbError> {
    let rows = sqlx::query(
        "SELECT DISTINCT ON (name) name, value, checksum FROM note
         WHERE substring(name FROM 1 FOR length($1::bytea)) = $1 ORDER BY name, version DESC",
    )
    .bind(prefix.as_bytes())
    .fetch_all(database)
    .await?;
    let records = RECORDS.read_all(store, &rows);
    Ok(Records {
        intact: records.intact,
        damaged: records.damaged,
    })
}

/// Inserts or replaces a record. Requires an open transaction.
pub(super) async fn put(
    connection: &mut PgConnection,
    store: StoreId,
    name: &str,
    value: &[u8],
) -> Result<(), DbError> {
    // The count makes PostgreSQL delete before it inserts.
    let put = AssertSqlSafe(format!(
        "WITH deleted AS ({DELETE} RETURNING 1)
         INSERT INTO note (name, value, checksum, version)
         SELECT $1, $2, $3, pg_current_xact_id()::text::bigint
         FROM (SELECT count(*) FROM deleted) AS counted"
    ));
    sqlx::query(put)
        .bind(name.as_bytes())
        .bind(value)
        .bind(RECORDS.checksum(store, name, value))
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes a record. Requires an open transaction.
pub(super) async fn delete(connection: &mut PgConnection, name: &str) -> Result<(), DbError> {
    sqlx::query(DELETE)
        .bind(name.as_bytes())
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes the versions of a record, except those that another node is deleting.
const DELETE: &str = "DELETE FROM note WHERE name = $1 AND version IN (
    SELECT version FROM note WHERE name = $1 FOR UPDATE SKIP LOCKED)";
