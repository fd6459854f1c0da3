//! Assigns row numbers that are never reused, even after a row is deleted.

use sqlx::PgConnection;

use super::db_error::DbError;

/// Assigns the next number of a table. Requires an open transaction.
pub(super) async fn next_number(
    connection: &mut PgConnection,
    table: &str,
) -> Result<i64, DbError> {
    let number = sqlx::query_scalar(
        "UPDATE given_number SET last = last + 1 WHERE of_table = $1 RETURNING last",
    )
    .bind(table)
    .fetch_optional(connection)
    .await?;
    number.ok_or_else(|| {
        DbError::Inconsistent(format!(
            "the highest assigned number of table {table} is missing"
        ))
    })
}
