//! Commits of a server that the database may still lose in a crash, and the connections that flush
//! them.
//!
//! Each commit is kept in memory until it is flushed, so that it can be repeated. A flush is a
//! nearly empty transaction with the configured durability: to the disk, and to the standby if the
//! database waits for one. PostgreSQL writes its WAL in order, and a commit becomes visible only
//! after its WAL record was written. So a flush makes all commits durable that its transaction
//! sees.

use std::{
    collections::VecDeque,
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_lease::{CommitNumbers, FlushOutcome, FlushedCommitMissing, OutcomeUnknown};
use parking_lot::Mutex;
use sqlx::{AssertSqlSafe, PgConnection};
use tokio::{sync::Semaphore, time::timeout};

use super::{
    commit::{self, Commit, Retry, Transaction as _},
    node_number::{NodeEpoch, NodeNumber},
    sessions::{Session, Sessions},
    sql::HORIZON,
};
use crate::{
    StoreError,
    db_error::DbError,
    limits::{POSTGRES_ATTEMPT_TIMEOUT, POSTGRES_CONNECT_TIMEOUT, POSTGRES_FLUSH_CONNECTIONS},
};

/// The unflushed commits of a server, shared by the write connection and the flushers.
pub(super) struct Unflushed {
    node: NodeNumber,
    state: Mutex<State>,
}

struct State {
    commits: CommitNumbers,
    /// Unflushed commits, in order.
    pending: VecDeque<Arc<Commit>>,
    flush_times: FlushTimes,
    /// The highest finish number, over all nodes, up to which finished matches are known to be
    /// flushed.
    finished: i64,
}

/// Omits the commits, which contain secrets of matches in play.
impl fmt::Debug for Unflushed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unflushed")
            .field("commits", &self.state.lock().commits)
            .finish_non_exhaustive()
    }
}

impl Unflushed {
    /// Creates an empty list, in which all commits up to `last` count as flushed.
    pub(super) fn new(node: NodeNumber, last: i64) -> Self {
        Self {
            node,
            state: Mutex::new(State {
                commits: CommitNumbers::new(last),
                pending: VecDeque::new(),
                flush_times: FlushTimes::default(),
                finished: 0,
            }),
        }
    }

    pub(super) fn last(&self) -> i64 {
        self.state.lock().commits.last()
    }

    /// Returns the number of the next commit.
    pub(super) fn next(&self) -> Result<i64, OutcomeUnknown> {
        self.state.lock().commits.next()
    }

    /// Marks the outcome of the next commit as unknown. The commit is not retried.
    pub(super) fn mark_lost(&self) {
        self.state.lock().commits.mark_unknown();
    }

    /// Records that the next commit was made and flushed.
    pub(super) fn mark_committed(&self) {
        self.state.lock().commits.mark_committed();
        self.mark_all_flushed();
    }

    /// Records the next commit, and keeps it until it is flushed.
    pub(super) fn push_unflushed(&self, commit: Arc<Commit>) {
        let mut state = self.state.lock();
        state.commits.mark_committed_unflushed();
        state.pending.push_back(commit);
    }

    /// Records that a transaction after all commits was flushed.
    pub(super) fn mark_all_flushed(&self) {
        let last = self.last();
        self.mark_flushed(last);
    }

    /// Records that all commits up to this one are flushed.
    pub(super) fn mark_flushed(&self, number: i64) {
        let mut state = self.state.lock();
        state.commits.mark_flushed(number);
        let State { commits, pending, .. } = &mut *state;
        while pending.front().is_some_and(|it| commits.is_flushed(it.number)) {
            pending.pop_front();
        }
    }

    pub(super) fn is_flushed(&self, number: i64) -> bool {
        self.state.lock().commits.is_flushed(number)
    }

    /// Returns whether a crash of the database may lose any commits.
    pub(super) fn has_unflushed(&self) -> bool {
        !self.state.lock().pending.is_empty()
    }

    /// Records the duration of a flush.
    pub(super) fn record_flush_time(&self, time: Duration) {
        self.state.lock().flush_times.record(time);
    }

    /// Returns whether flushes are slow enough to defer them to other connections.
    pub(super) fn is_deferring_worthwhile(&self) -> bool {
        self.state.lock().flush_times.are_slow()
    }

    /// Records that all finished matches up to this number, of every node, are flushed.
    pub(super) fn mark_finished_flushed(&self, number: i64) {
        let mut state = self.state.lock();
        state.finished = state.finished.max(number);
    }

    /// Returns whether a finished match with this number is known to be flushed.
    pub(super) fn is_finished_flushed(&self, number: i64) -> bool {
        number <= self.state.lock().finished
    }

    /// Repeats the commits that were lost in a crash of the database. Requires a fenced
    /// transaction, and that no earlier transaction of this server is still running.
    pub(super) async fn restore_lost(&self, connection: &mut PgConnection) -> Result<(), DbError> {
        let newest = commit::newest_batch(connection, self.node).await?;
        for commit in self.missing_commits(newest)? {
            commit.run(connection, false).await?;
        }
        Ok(())
    }

    fn missing_commits(&self, newest: i64) -> Result<Vec<Arc<Commit>>, DbError> {
        let state = self.state.lock();
        let missing = state.commits.missing(newest).map_err(|FlushedCommitMissing| {
            commit::inconsistent_commits(self.node, newest, state.commits.last())
        })?;
        let pending = state.pending.iter();
        Ok(pending.filter(|commit| missing.contains(&commit.number)).cloned().collect())
    }
}

/// Mean flush time above which flushes are deferred to other connections. A deferred flush is a
/// separate transaction, which costs the database 25 % more per decision. It pays only if the flush
/// takes longer than the rest of the commit. Measurements showed no gain with flushes of 1 ms.
const SLOW_FLUSH: Duration = Duration::from_millis(3);

/// Mean flush time below which flushes are no longer deferred. It is well below [`SLOW_FLUSH`],
/// since concurrent flushes share work and take less time than single ones.
const QUICK_FLUSH: Duration = Duration::from_micros(1_500);

/// Number of flushes in the moving average. With this number, a single slow flush has no effect,
/// but slow flushes for a few tenths of a second do.
const FLUSHES_IN_MEAN: u32 = 16;

/// Moving average of flush times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FlushTimes {
    mean: Duration,
    are_slow: bool,
}

impl FlushTimes {
    /// Records the duration of a flush.
    pub(super) fn record(&mut self, time: Duration) {
        self.mean = (self.mean * (FLUSHES_IN_MEAN - 1) + time) / FLUSHES_IN_MEAN;
        self.are_slow =
            if self.are_slow { self.mean >= QUICK_FLUSH } else { self.mean >= SLOW_FLUSH };
    }

    pub(super) fn are_slow(&self) -> bool {
        self.are_slow
    }
}

/// Flushes the commits of a server.
#[derive(Debug)]
pub(super) struct Flushers {
    sessions: Sessions,
    node: NodeEpoch,
    unflushed: Arc<Unflushed>,
    /// Limits concurrent flushes. Closed together with the store.
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

    /// Flushes the commit with this number and all earlier ones. Retries while the database is
    /// unreachable. Returns `false` if the commit was lost in a crash of the database.
    pub(super) async fn flush(&self, number: i64) -> Result<bool, DbError> {
        let mut retry = Retry::new(self.sessions.retries());
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
                Ok(FlushOutcome::Superseded) => return Err(DbError::EpochEnded),
                Err(error) => retry.wait_after(error).await?,
            }
        }
    }

    /// Returns whether a finished match with this number is known to be flushed.
    pub(super) fn is_finished_flushed(&self, number: i64) -> bool {
        self.unflushed.is_finished_flushed(number)
    }

    /// Flushes every commit that a transaction may have seen.
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
                // Once one connection has failed, the other idle ones have probably failed too.
                self.idle.lock().clear();
                self.run_flush(self.open().await?).await?
            }
        };
        self.unflushed.record_flush_time(time);
        self.unflushed.mark_finished_flushed(seen.finished);
        let flushed = FlushOutcome::from_newest(number, seen.newest);
        if let FlushOutcome::UpTo(newest) = flushed {
            self.unflushed.mark_flushed(newest);
        }
        self.idle.lock().push(session);
        Ok(flushed)
    }

    async fn open(&self) -> Result<Session, DbError> {
        let mut session = self.sessions.open().await?;
        // Disables the statement timeout. If the timeout interrupted the wait for a standby,
        // PostgreSQL would report success as if the standby had confirmed.
        sqlx::raw_sql("SET statement_timeout = 0").execute(&mut session.connection).await?;
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
        // The statement also writes a message to the WAL, since PostgreSQL flushes nothing for a
        // transaction without a write.
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
            // An error means that the connection is already closed.
            let _ = session.close().await;
        }
    }
}

/// The state that a flush transaction has seen, which is therefore durable.
struct FlushedState {
    /// The newest commit of the node; `None` if the node is in another epoch.
    newest: Option<i64>,
    /// The finish number up to which the transaction saw all finished matches, of every node.
    finished: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(mut times: FlushTimes, flushes: u32, time: Duration) -> FlushTimes {
        for _ in 0..flushes {
            times.record(time);
        }
        times
    }

    #[test]
    fn slow_flushes_are_detected_but_a_single_one_is_ignored() {
        let quick = after(FlushTimes::default(), 100, QUICK_FLUSH / 2);
        assert!(!quick.are_slow());
        assert!(!after(quick, 1, 8 * SLOW_FLUSH).are_slow());
        let slow = after(quick, FLUSHES_IN_MEAN, 4 * SLOW_FLUSH);
        assert!(slow.are_slow());
        // Concurrent flushes share work and are faster.
        assert!(after(slow, 100, (SLOW_FLUSH + QUICK_FLUSH) / 2).are_slow());
        assert!(!after(slow, 100, QUICK_FLUSH / 2).are_slow());
    }
}
