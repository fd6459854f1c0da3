//! One transaction of the writing connection.
//!
//! These are plain statements: sqlx counts the transactions that it begins itself, and its count
//! is wrong after SQLite has rolled one back on its own, as it does on a full disk.

use sqlx::SqliteConnection;

use super::failure::Fault;

/// Begins, as a writer from the start: a transaction that begins by reading cannot wait for
/// another writer later.
pub(super) async fn begin(connection: &mut SqliteConnection) -> Result<(), Fault> {
    sqlx::query("BEGIN IMMEDIATE").execute(connection).await?;
    Ok(())
}

/// Commits what has succeeded; rolls back what has failed, or what cannot be committed.
pub(super) async fn end<T>(
    connection: &mut SqliteConnection,
    work: Result<T, Fault>,
) -> Result<T, Fault> {
    let outcome = match work {
        Ok(value) => match sqlx::query("COMMIT").execute(&mut *connection).await {
            Ok(_) => return Ok(value),
            Err(error) => error.into(),
        },
        Err(fault) => fault,
    };
    // Fails where SQLite has rolled back on its own, which is what is wanted. If the transaction
    // were still open, the next one could not begin.
    let _ = sqlx::query("ROLLBACK").execute(connection).await;
    Err(outcome)
}
