//! Numbers that are never given twice.

use sqlx::PgConnection;

use super::failure::Fault;

/// Within a transaction: the next number of a table.
pub(super) async fn next(connection: &mut PgConnection, table: &str) -> Result<i64, Fault> {
    let number = sqlx::query_scalar(
        "UPDATE given_number SET last = last + 1 WHERE of_table = $1 RETURNING last",
    )
    .bind(table)
    .fetch_optional(connection)
    .await?;
    number.ok_or_else(|| {
        Fault::Contradiction(format!(
            "the highest number of the table {table} is not kept"
        ))
    })
}
