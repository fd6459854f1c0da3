//! What is done in a transaction.

use sqlx::PgConnection;

use super::failure::Fault;

/// What one transaction does. It may be tried several times, and each try may be the one that is
/// committed.
pub(super) trait Work: Sync {
    /// What it comes to.
    type Done: Send;

    /// Does it within a transaction. With `again`, an earlier try may have been committed; the
    /// fence makes sure that none still can be.
    fn carry_out(
        &self,
        connection: &mut PgConnection,
        again: bool,
    ) -> impl Future<Output = Result<Self::Done, Fault>> + Send;

    /// Whether its commit waits until it is flushed, and all before it.
    fn waits_for_flush(&self) -> bool {
        true
    }
}
