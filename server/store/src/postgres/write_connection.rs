//! The write connection, which runs one transaction at a time. Each transaction first checks the
//! fence: that the node is still in the epoch of this server. If the connection is lost, its
//! session is terminated, and the transaction is repeated on a new connection.

use std::{sync::Arc, time::Instant};

use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use tokio::time::timeout;

use super::{
    commit::{Retry, Transaction},
    flushes::Unflushed,
    node_number::NodeEpoch,
    sessions::{Session, Sessions},
    sql,
};
use crate::{db_error::DbError, limits::POSTGRES_ATTEMPT_TIMEOUT};

/// A transaction that only checks the fence.
pub(super) struct CheckFence;

impl Transaction for CheckFence {
    type Output = ();

    async fn run(&self, _: &mut PgConnection, _: bool) -> Result<(), DbError> {
        Ok(())
    }
}

/// A connection that runs write transactions, and reconnects after a failure.
#[derive(Debug)]
pub(super) struct WriteConnection {
    sessions: Sessions,
    /// `None` after a failure and during a transaction, so that a session with an unfinished
    /// transaction is never reused.
    session: Option<Session>,
    /// State of the server that writes; `None` for a command that runs alongside a server.
    server: Option<ServerContext>,
}

/// The node of a server, and its unflushed commits.
#[derive(Debug)]
pub(super) struct ServerContext {
    pub(super) node: NodeEpoch,
    /// `None` for a connection that commits no matches.
    pub(super) unflushed: Option<Arc<Unflushed>>,
}

impl WriteConnection {
    /// Creates the state. Without a session, the first transaction connects.
    pub(super) fn new(
        sessions: Sessions,
        session: Option<Session>,
        server: Option<ServerContext>,
    ) -> Self {
        Self { sessions, session, server }
    }

    /// Runs a transaction, with retries while the database is unreachable. Before each retry,
    /// checks whether the previous attempt was committed.
    pub(super) async fn write<W: Transaction>(&mut self, work: &W) -> Result<W::Output, DbError> {
        let mut retry = Retry::new(self.sessions.retries());
        loop {
            let attempt = self.try_write(work, retry.is_retry());
            let attempt = timeout(POSTGRES_ATTEMPT_TIMEOUT, attempt).await;
            match attempt.unwrap_or(Err(DbError::Timeout)) {
                Err(error) => retry.wait_after(error).await?,
                result => return result,
            }
        }
    }

    async fn try_write<W: Transaction>(
        &mut self,
        work: &W,
        is_retry: bool,
    ) -> Result<W::Output, DbError> {
        // A crash of the database breaks every connection, so lost commits can only be detected on
        // a new one.
        let unflushed = self.server.as_ref();
        let unflushed = unflushed.and_then(|server| server.unflushed.as_ref());
        let (mut session, lost) = match self.session.take() {
            Some(session) => (session, None),
            None => {
                let lost = unflushed.filter(|unflushed| unflushed.has_unflushed());
                let mut session = self.sessions.open_after_abandoned().await?;
                if unflushed.is_some() {
                    // The new connection may lead to a replica with lower transaction ids.
                    sql::raise_base(&mut session.connection).await?;
                }
                (session, lost)
            }
        };
        let connection = &mut session.connection;
        let node = self.server.as_ref().map(|server| server.node);
        let result = async {
            begin(connection, node, work.waits_for_flush()).await?;
            if let Some(lost) = lost {
                lost.restore_lost(connection).await?;
            }
            work.run(connection, is_retry).await
        };
        let result = result.await;
        let (started_at, waits_for_flush) = (Instant::now(), work.waits_for_flush());
        let outcome = end(connection, result, waits_for_flush).await;
        if let (Ok(_), true, Some(unflushed)) = (&outcome, waits_for_flush, unflushed) {
            // This commit flushes all earlier ones. It is never read-only, since the row lock is
            // written to the WAL.
            unflushed.mark_all_flushed();
            unflushed.record_flush_time(started_at.elapsed());
        }
        match &outcome {
            // The transaction was rolled back, so the session can be closed normally. If that
            // fails, the session counts as abandoned.
            Err(error) if error.leaves_session_idle() => _ = session.close().await,
            Err(error) if error.is_transient() => {}
            _ => self.session = Some(session),
        }
        outcome
    }

    /// Repeats lost commits that another connection has detected.
    pub(super) async fn restore_lost(&mut self) -> Result<(), DbError> {
        if let Some(session) = self.session.take() {
            // If this fails, the session counts as abandoned.
            let _ = session.close().await;
        }
        self.write(&CheckFence).await
    }

    pub(super) async fn close(self) -> Result<(), DbError> {
        match self.session {
            Some(session) => session.close().await,
            None => Ok(()),
        }
    }
}

/// Begins a transaction, and checks the fence. The check writes to the WAL if the commit has to
/// wait for its flush, because PostgreSQL does not wait for a transaction without a write. This
/// matters for a retry whose change is already stored: it must still wait until a standby has the
/// change.
async fn begin(
    connection: &mut PgConnection,
    node: Option<NodeEpoch>,
    waits_for_flush: bool,
) -> Result<(), DbError> {
    let Some(NodeEpoch { number, epoch }) = node else {
        let begin = if waits_for_flush {
            "BEGIN; SELECT pg_logical_emit_message(true, 'bridgemaster', '')"
        } else {
            "BEGIN"
        };
        sqlx::raw_sql(begin).execute(connection).await?;
        return Ok(());
    };
    let number = number.get();
    // A takeover locks this row FOR UPDATE, so it cannot overlap with this transaction. Renewals of
    // the lease do not wait for this lock, which is also the write to the WAL. The lease is
    // compared in an outer query, because acquiring the lock may take long. `now()` would not do,
    // since it is the start of the transaction.
    let begin = format!(
        "BEGIN; SELECT lease_until > clock_timestamp() FROM (
             SELECT lease_until FROM node
             WHERE number = {number} AND epoch = {epoch} FOR KEY SHARE) AS locked"
    );
    let held = sqlx::raw_sql(AssertSqlSafe(begin)).fetch_optional(connection).await?;
    match held.map(|row| row.try_get(0)).transpose()? {
        Some(true) => Ok(()),
        Some(false) => Err(DbError::LeaseExpired),
        None => Err(DbError::EpochEnded),
    }
}

/// Commits successful work, and waits for the flush. Otherwise rolls back.
pub(super) async fn commit<T>(
    connection: &mut PgConnection,
    result: Result<T, DbError>,
) -> Result<T, DbError> {
    end(connection, result, true).await
}

/// Like [`commit`]. If `waits_for_flush` is false, a crash of the database can lose the commit
/// until a later one is flushed.
async fn end<T>(
    connection: &mut PgConnection,
    result: Result<T, DbError>,
    waits_for_flush: bool,
) -> Result<T, DbError> {
    let end = match (&result, waits_for_flush) {
        // If a statement timeout interrupted the wait for a standby, PostgreSQL would report
        // success as if the standby had confirmed. So the statement timeout is disabled here, and
        // only the client has a timeout.
        (Ok(_), true) => "SET LOCAL statement_timeout = 0; COMMIT",
        (Ok(_), false) => "SET LOCAL synchronous_commit = off; COMMIT",
        (Err(_), _) => "ROLLBACK",
    };
    let ended = sqlx::raw_sql(end).execute(connection).await;
    // If a rollback fails, the connection is closed, which also rolls back the transaction.
    let value = result?;
    ended?;
    Ok(value)
}
