//! The interface of transactions that the write connection runs and retries.

use sqlx::PgConnection;

use super::db_error::DbError;

/// The content of one transaction. It may be attempted several times, and any of the attempts may
/// be committed.
pub(super) trait Transaction: Sync {
    /// The result of the transaction.
    type Output: Send;

    /// Runs the statements in an open transaction. If `is_retry` is true, an earlier attempt may
    /// already be committed. No earlier attempt is still running.
    fn run(
        &self,
        connection: &mut PgConnection,
        is_retry: bool,
    ) -> impl Future<Output = Result<Self::Output, DbError>> + Send;

    /// Returns whether the commit waits until it and all earlier commits are flushed.
    fn waits_for_flush(&self) -> bool {
        true
    }
}
