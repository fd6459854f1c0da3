//! Commits of a server that a crash of the database may still lose. Each commit is kept in memory
//! until it is flushed, so that it can be repeated. The times of flushes decide whether flushes run
//! in parallel to the next commits.

use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};

use bridgemaster_lease::{CommitNumbers, FlushedCommitMissing, OutcomeUnknown};
use parking_lot::Mutex;
use sqlx::PgConnection;

use super::{
    commit::{Commit, Transaction as _},
    db_error::DbError,
    journal,
    node_number::NodeNumber,
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
    /// The highest number of a finished match that is known to be flushed, over all nodes.
    finished: i64,
}

/// Omits the secret state of matches in play.
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
        let State {
            commits, pending, ..
        } = &mut *state;
        while pending
            .front()
            .is_some_and(|it| commits.is_flushed(it.number))
        {
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

    /// Returns whether flushes are slow enough to be deferred to other connections.
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

    /// Repeats the commits that a crash has lost. Requires a fenced transaction, and that no
    /// earlier one of this server is still running.
    pub(super) async fn restore_lost(&self, connection: &mut PgConnection) -> Result<(), DbError> {
        let newest = journal::newest_batch(&mut *connection, self.node).await?;
        for commit in self.missing_commits(newest)? {
            commit.run(connection, false).await?;
        }
        Ok(())
    }

    fn missing_commits(&self, newest: i64) -> Result<Vec<Arc<Commit>>, DbError> {
        let state = self.state.lock();
        let missing = state
            .commits
            .missing(newest)
            .map_err(|FlushedCommitMissing| {
                journal::inconsistent_commits(self.node, newest, state.commits.last())
            })?;
        let pending = state.pending.iter();
        Ok(pending
            .filter(|commit| missing.contains(&commit.number))
            .cloned()
            .collect())
    }
}

/// Mean flush time from which flushes are deferred to other connections. It is longer than the rest
/// of a commit. A deferred flush is a separate transaction, which costs the database 25 % more per
/// decision. Measurements showed no gain with flushes of 1 ms.
const SLOW_FLUSH: Duration = Duration::from_millis(3);

/// Mean flush time below which flushes are no longer deferred. It is well below [`SLOW_FLUSH`],
/// since concurrent flushes share work and are faster than a single one.
const QUICK_FLUSH: Duration = Duration::from_micros(1_500);

/// Number of flushes in the moving average. A single slow flush has no effect, but a few tenths of
/// a second of slow flushes do.
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
        self.are_slow = if self.are_slow {
            self.mean >= QUICK_FLUSH
        } else {
            self.mean >= SLOW_FLUSH
        };
    }

    pub(super) fn are_slow(&self) -> bool {
        self.are_slow
    }
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
