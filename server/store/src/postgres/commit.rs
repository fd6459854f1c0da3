//! Transactions of a commit in PostgreSQL: looking up the state against which a batch is checked,
//! and storing the batch in the journal of the node. Also contains the trait for transactions and
//! the retries. Each node has its own range of batch numbers.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bridgemaster_lease::{
    CommitNumbers,
    limits::{POSTGRES_MAX_BACKOFF, POSTGRES_MIN_BACKOFF, POSTGRES_RETRY_TIMEOUT},
};
use sqlx::PgConnection;
use tokio::time::sleep;

use super::node_number::NodeNumber;
use crate::{
    checksum::StoreId,
    db_error::DbError,
    journal::{
        SweepStep,
        plan::{Lookup, LookupResult, Plan},
    },
    row_sums::{RowSums, SUM_MASK},
    rows::{Param, SqlConnection as _, journal, scalar, steps},
};

/// The statements of one transaction. It may be attempted several times, and any of the attempts
/// may be committed.
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

    /// Returns whether committing waits until this and all earlier commits are flushed.
    fn waits_for_flush(&self) -> bool {
        true
    }
}

/// The retries of one operation while the database is unreachable.
pub(super) struct Retry {
    started_at: Instant,
    /// The delay before the next retry.
    delay: Duration,
    is_retry: bool,
    counter: Arc<AtomicU64>,
}

impl Retry {
    /// Creates the state. `counter` counts the retries.
    pub(super) fn new(counter: Arc<AtomicU64>) -> Self {
        Self { started_at: Instant::now(), delay: POSTGRES_MIN_BACKOFF, is_retry: false, counter }
    }

    /// Returns whether an earlier attempt may have been committed.
    pub(super) fn is_retry(&self) -> bool {
        self.is_retry
    }

    /// Waits until the next attempt after this error, and counts that attempt.
    ///
    /// # Errors
    /// Returns the given error, if it is not transient or the retry timeout has expired. The
    /// outcome of the operation then stays unknown.
    pub(super) async fn wait_after(&mut self, error: DbError) -> Result<(), DbError> {
        if !error.is_transient() || self.started_at.elapsed() >= POSTGRES_RETRY_TIMEOUT {
            return Err(error);
        }
        self.is_retry = true;
        self.counter.fetch_add(1, Ordering::Relaxed);
        sleep(self.delay).await;
        self.delay = POSTGRES_MAX_BACKOFF.min(self.delay * 2);
        Ok(())
    }
}

/// Looks up the state that is needed to plan a batch.
pub(super) struct LookupTransaction<'a> {
    pub(super) store: StoreId,
    pub(super) lookup: &'a Lookup,
}

impl Transaction for LookupTransaction<'_> {
    type Output = LookupResult;

    // Nothing is written, so there is nothing to flush.
    fn waits_for_flush(&self) -> bool {
        false
    }

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<LookupResult, DbError> {
        steps::look_up(connection, self.store, self.lookup).await
    }
}

/// Stores a planned batch.
pub(super) struct Commit {
    pub(super) store: StoreId,
    pub(super) node: NodeNumber,
    pub(super) number: i64,
    pub(super) plan: Plan,
    /// Content of the journal row.
    pub(super) body: Vec<u8>,
    /// True if another connection flushes the commit while this connection continues.
    pub(super) is_flush_deferred: bool,
}

impl Transaction for Commit {
    type Output = ();

    fn waits_for_flush(&self) -> bool {
        !self.is_flush_deferred
    }

    async fn run(&self, connection: &mut PgConnection, is_retry: bool) -> Result<(), DbError> {
        if is_retry && is_batch_stored(connection, self.node, self.number).await? {
            return Ok(());
        }
        let sums = steps::apply_plan(connection, self.store, &self.plan).await?;
        add_batch(connection, self.node, self.number, &sums, &self.body).await?;
        delete_swept(connection, self.node, self.number, &self.plan.sweep_step).await
    }
}

/// Returns the number of the newest batch of a node. If there are no batches, returns the number
/// that precedes the node's first batch.
pub(super) async fn newest_batch(
    connection: &mut PgConnection,
    node: NodeNumber,
) -> Result<i64, DbError> {
    let newest = "SELECT max(batch) FROM journal WHERE batch > $1 AND batch <= $2";
    let params = [node.base().into(), node.last().into()];
    let newest: Option<Option<i64>> = scalar(connection, newest, &params).await?;
    Ok(newest.flatten().unwrap_or(node.base()))
}

/// Returns whether an earlier attempt to add the batch with this number was committed.
pub(super) async fn is_batch_stored(
    connection: &mut PgConnection,
    node: NodeNumber,
    number: i64,
) -> Result<bool, DbError> {
    Ok(CommitNumbers::is_committed(number, newest_batch(connection, node).await?))
}

/// Appends a batch, and adds the change of the rows to the sums of the node.
///
/// # Errors
/// Returns [`DbError::Inconsistent`] if the newest batch is not the predecessor. The connection
/// then leads to another database, for example a standby that lacks commits.
pub(super) async fn add_batch(
    connection: &mut PgConnection,
    node: NodeNumber,
    number: i64,
    change: &RowSums,
    body: &[u8],
) -> Result<(), DbError> {
    // Without an earlier batch, all sums are 0.
    let insert = format!(
        "INSERT INTO journal (batch, body, sums)
         SELECT $1, $2, ARRAY(
             SELECT (coalesce(before, 0) + change) & {SUM_MASK}
             FROM unnest((SELECT sums FROM journal WHERE batch = newest), $5::bigint[])
                 WITH ORDINALITY AS number (before, change, place)
             ORDER BY place)
         FROM (SELECT coalesce(max(batch), $3) AS newest FROM journal
               WHERE batch > $3 AND batch <= $4) AS journal_end
         WHERE newest = $1::bigint - 1"
    );
    let (base, last) = (node.base().into(), node.last().into());
    let change = Param::Sums(change);
    let params = [number.into(), body.into(), base, last, change];
    if connection.execute(&insert, &params).await? == 1 {
        return Ok(());
    }
    let newest = newest_batch(connection, node).await?;
    Err(inconsistent_commits(node, newest, number - 1))
}

/// Returns the error for a database whose newest batch is not the last one that this server has
/// written.
pub(super) fn inconsistent_commits(node: NodeNumber, newest: i64, made: i64) -> DbError {
    DbError::Inconsistent(format!(
        "the database has {} commits, but this server has made {}",
        node.count(newest),
        node.count(made)
    ))
}

/// Deletes batches as part of the commit with this number, after the batch of the commit was added.
async fn delete_swept(
    connection: &mut PgConnection,
    node: NodeNumber,
    number: i64,
    sweep_step: &SweepStep,
) -> Result<(), DbError> {
    match sweep_step {
        SweepStep::Nothing => Ok(()),
        SweepStep::Some(numbers) => journal::delete(connection, numbers).await,
        SweepStep::All => delete_before(connection, node, number).await,
    }
}

/// Deletes the journal of a node without matches in play. The newest batch is kept, since the next
/// number is derived from it.
pub(super) async fn delete_all_but_newest(
    connection: &mut PgConnection,
    node: NodeNumber,
) -> Result<(), DbError> {
    let newest = newest_batch(connection, node).await?;
    delete_before(connection, node, newest).await
}

async fn delete_before(
    connection: &mut PgConnection,
    node: NodeNumber,
    before: i64,
) -> Result<(), DbError> {
    let delete = "DELETE FROM journal WHERE batch > $1 AND batch < $2";
    let params = [node.base().into(), before.into()];
    connection.execute(delete, &params).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn failures_that_are_repeated_count_as_retries_with_growing_delays() {
        let counter = Arc::new(AtomicU64::new(0));
        let mut retry = Retry::new(Arc::clone(&counter));
        retry.wait_after(DbError::EpochEnded).await.unwrap_err();
        assert!(!retry.is_retry());
        retry.wait_after(DbError::Timeout).await.unwrap();
        assert!(retry.is_retry() && retry.delay == 2 * POSTGRES_MIN_BACKOFF);
        retry.started_at = retry.started_at.checked_sub(POSTGRES_RETRY_TIMEOUT).unwrap();
        retry.wait_after(DbError::Timeout).await.unwrap_err();
        assert_eq!(counter.load(Ordering::Relaxed), 1);
    }
}
