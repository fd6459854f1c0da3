//! The transactions of a commit: looking up the state to check a batch, and storing it.

use std::collections::HashSet;

use sqlx::PgConnection;

use super::{
    db_error::DbError, finished_rows, journal, named_rows, node_number::NodeNumber, open_rows,
    replay_rows, transaction::Transaction,
};
use crate::{
    MatchId,
    checksum::StoreId,
    journal::{plan::Step, sweep::SweepStep},
    named_rows::{QueryResults, RowChange, RowQuery},
};

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
            if finished_rows::finish_number(connection, id)
                .await?
                .is_some()
            {
                finished.insert(id.clone());
            }
        }
        Ok(LookupResult {
            finished,
            rows: named_rows::read(connection, self.store, &self.queries).await?,
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
        for step in &self.steps {
            apply(connection, self.store, step).await?;
        }
        for change in &self.rows {
            named_rows::apply(connection, self.store, change).await?;
        }
        journal::add_batch(connection, self.node, self.number, &self.body).await?;
        journal::delete_swept(connection, self.node, self.number, &self.sweep_step).await
    }
}

async fn apply(connection: &mut PgConnection, store: StoreId, step: &Step) -> Result<(), DbError> {
    match step {
        Step::Open {
            match_key,
            match_id,
            opened_at_unix_ms,
            header,
        } => {
            let (key, at) = (*match_key, *opened_at_unix_ms);
            open_rows::insert(connection, store, key, match_id, at, header).await
        }
        Step::Finish {
            match_key,
            finished,
            replay,
            parties,
        } => {
            open_rows::delete(connection, *match_key).await?;
            finished_rows::insert(connection, store, finished, replay, parties).await
        }
        Step::DropOpen { match_key } => open_rows::delete(connection, *match_key).await,
        Step::DropFinished { match_id } => {
            match finished_rows::finish_number(connection, match_id).await? {
                Some(number) => finished_rows::delete(connection, number).await,
                None => Ok(()),
            }
        }
        Step::ForgetReplay { match_id } => {
            match finished_rows::finish_number(connection, match_id).await? {
                Some(number) => {
                    replay_rows::delete_bytes(connection, store, number, match_id).await
                }
                None => Ok(()),
            }
        }
    }
}
