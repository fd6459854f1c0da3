//! The interface of transactions that the write connection runs and retries, and the transactions
//! of a commit: looking up the state to check a batch, and storing it.

use std::collections::HashSet;

use sqlx::PgConnection;

use super::{db_error::DbError, journal, node_number::NodeNumber};
use crate::{
    MatchId,
    checksum::StoreId,
    journal::{plan::Step, sweep::SweepStep},
    named_rows::{QueryResults, RowChange, RowQuery},
    rows::{finished, named, steps},
};

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

/// Looks up the state that is needed to check a batch.
pub(super) struct Lookup {
    pub(super) store: StoreId,
    /// Ids to look up among the finished matches.
    pub(super) ids: HashSet<MatchId>,
    /// Queries for the states of ladders.
    pub(super) queries: Vec<RowQuery>,
}

#[derive(Default)]
pub(super) struct LookupResult {
    /// The ids of the request that belong to finished matches.
    pub(super) finished: HashSet<MatchId>,
    /// The results of the queries.
    pub(super) rows: QueryResults,
}

impl Transaction for Lookup {
    type Output = LookupResult;

    // A read-only transaction needs no flush.
    fn waits_for_flush(&self) -> bool {
        false
    }

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<LookupResult, DbError> {
        let mut finished = HashSet::new();
        for id in &self.ids {
            if finished::finish_number(connection, id).await?.is_some() {
                finished.insert(id.clone());
            }
        }
        Ok(LookupResult {
            finished,
            rows: named::read(connection, self.store, &self.queries).await?,
        })
    }
}

/// Stores a validated batch.
pub(super) struct Commit {
    pub(super) store: StoreId,
    pub(super) node: NodeNumber,
    pub(super) number: i64,
    pub(super) steps: Vec<Step>,
    /// Changes to named rows.
    pub(super) rows: Vec<RowChange>,
    pub(super) sweep_step: SweepStep,
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
        if is_retry && journal::is_batch_stored(connection, self.node, self.number).await? {
            return Ok(());
        }
        steps::apply_all(connection, self.store, &self.steps, &self.rows).await?;
        journal::add_batch(connection, self.node, self.number, &self.body).await?;
        journal::delete_swept(connection, self.node, self.number, &self.sweep_step).await
    }
}
