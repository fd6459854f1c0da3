//! Connections that flush the commits of the write connection.
//!
//! A flush is a nearly empty transaction with the configured durability: to the disk, and to the
//! standby if the database waits for one. PostgreSQL writes its WAL in order, and a commit becomes
//! visible only after its WAL record exists. A flush therefore makes every commit durable that its
//! transaction sees.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_lease::FlushOutcome;
use parking_lot::Mutex;
use sqlx::AssertSqlSafe;
use tokio::{sync::Semaphore, time::timeout};

use super::{
    db_error::DbError,
    node_number::NodeEpoch,
    sessions::{Session, Sessions},
    sql::HORIZON,
    unflushed::Unflushed,
    write_connection::Retry,
};
use crate::{
    StoreError,
    limits::{POSTGRES_ATTEMPT_TIMEOUT, POSTGRES_CONNECT_TIMEOUT, POSTGRES_FLUSH_CONNECTIONS},
};

/// Flushes the commits of a server.
#[derive(Debug)]
pub(super) struct Flushers {
    sessions: Sessions,
    node: NodeEpoch,
    unflushed: Arc<Unflushed>,
    /// Limits concurrent flushes. It is closed together with the store.
    free: Semaphore,
    /// Open sessions that are not in use.
    idle: Mutex<Vec<Session>>,
}

impl Flushers {
    pub(super) fn new(sessions: Sessions, node: NodeEpoch, unflushed: Arc<Unflushed>) -> Self {
        Self {
            sessions,
            node,
            unflushed,
            free: Semaphore::new(POSTGRES_FLUSH_CONNECTIONS),
            idle: Mutex::default(),
        }
    }

    /// Flushes the commit with this number and all earlier commits. Retries while the database is
    /// unreachable. Returns `false` if a crash of the database has lost the commit.
    pub(super) async fn flush(&self, number: i64) -> Result<bool, DbError> {
        let mut retry = Retry::default();
        loop {
            let attempt = timeout(POSTGRES_ATTEMPT_TIMEOUT, self.try_flush(number)).await;
            let attempt = attempt.unwrap_or(Err(DbError::Timeout));
            // Another flush or a later commit may have flushed this commit in the meantime.
            if self.unflushed.is_flushed(number) {
                return Ok(true);
            }
            match attempt {
                Ok(FlushOutcome::UpTo(_)) => return Ok(true),
                Ok(FlushOutcome::Missing) => return Ok(false),
                Ok(FlushOutcome::Superseded) => return Err(DbError::Superseded),
                Err(error) => retry.wait_after(error).await?,
            }
        }
    }

    /// Returns whether a finished match with this number is known to be flushed.
    pub(super) fn is_finished_flushed(&self, number: i64) -> bool {
        self.unflushed.is_finished_flushed(number)
    }

    /// Flushes every commit that a transaction can have seen.
    pub(super) async fn flush_all(&self) -> Result<(), DbError> {
        let flushed = timeout(POSTGRES_CONNECT_TIMEOUT, self.try_flush(0)).await;
        flushed.unwrap_or(Err(DbError::Timeout))?;
        Ok(())
    }

    async fn try_flush(&self, number: i64) -> Result<FlushOutcome, DbError> {
        let free = self.free.acquire().await;
        let _free = free.map_err(|_| DbError::Store(StoreError::Closed))?;
        if self.unflushed.is_flushed(number) && number > 0 {
            return Ok(FlushOutcome::UpTo(number));
        }
        let idle = self.idle.lock().pop();
        let reused = match idle {
            Some(session) => self.run_flush(session).await.ok(),
            None => None,
        };
        let (session, seen, time) = match reused {
            Some(done) => done,
            None => {
                // If one connection has failed, the other idle connections have probably failed
                // too.
                self.idle.lock().clear();
                self.run_flush(self.open().await?).await?
            }
        };
        self.unflushed.record_flush_time(time);
        self.unflushed.mark_finished_flushed(seen.finished);
        let flushed = FlushOutcome::of(number, seen.newest);
        if let FlushOutcome::UpTo(newest) = flushed {
            self.unflushed.mark_flushed(newest);
        }
        self.idle.lock().push(session);
        Ok(flushed)
    }

    async fn open(&self) -> Result<Session, DbError> {
        let mut session = self.sessions.open().await?;
        // Disables the statement timeout. If it interrupted the wait for a standby, PostgreSQL
        // would report success as if the standby had confirmed.
        sqlx::raw_sql("SET statement_timeout = 0")
            .execute(&mut session.connection)
            .await?;
        Ok(session)
    }

    /// Runs the transaction as a single statement, which sees one snapshot. A session that fails is
    /// dropped.
    async fn run_flush(
        &self,
        mut session: Session,
    ) -> Result<(Session, FlushedState, Duration), DbError> {
        let started_at = Instant::now();
        let NodeEpoch { number, epoch } = self.node;
        // The statement also writes a message to the WAL, since a transaction without a write
        // flushes nothing.
        let flush = AssertSqlSafe(format!(
            "SELECT (SELECT max(batch) FROM journal WHERE batch > $1 AND batch <= $2),
                 EXISTS (SELECT 1 FROM node WHERE number = $3 AND epoch = $4),
                 {HORIZON},
                 pg_logical_emit_message(true, 'bridgemaster', '') IS NOT NULL"
        ));
        let (newest, is_ours, horizon, _): (Option<i64>, bool, Option<i64>, bool) =
            sqlx::query_as(flush)
                .bind(number.base())
                .bind(number.last())
                .bind(number.get())
                .bind(epoch)
                .fetch_one(&mut session.connection)
                .await?;
        let seen = FlushedState {
            newest: is_ours.then(|| newest.unwrap_or(number.base())),
            finished: horizon.map_or(0, |horizon| horizon - 1),
        };
        Ok((session, seen, started_at.elapsed()))
    }

    /// Closes all connections; later flushes fail.
    pub(super) async fn close(&self) {
        self.free.close();
        let idle = std::mem::take(&mut *self.idle.lock());
        for session in idle {
            // If this fails, the connection is already closed.
            let _ = session.close().await;
        }
    }
}

/// The state that a flush transaction has seen, and that is therefore durable.
struct FlushedState {
    /// The newest commit of the node; `None` if the node is in another epoch.
    newest: Option<i64>,
    /// All finished matches up to this number, of every node.
    finished: i64,
}
