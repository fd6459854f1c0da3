//! The commits of a server that a crash of the database may lose still: each is kept until it is
//! flushed.

use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};

use bridgemaster_lease::{Commits, Contradicted, Unsure};
use parking_lot::Mutex;
use sqlx::PgConnection;

use super::{
    commit::Commit, failure::Fault, flush_times::FlushTimes, journal, node_number::NodeNumber,
    work::Work as _,
};

/// What a server has committed, shared by what commits and what flushes.
pub(super) struct Unflushed {
    node: NodeNumber,
    state: Mutex<State>,
}

struct State {
    commits: Commits,
    /// Those that are not flushed, in their order.
    kept: VecDeque<Arc<Commit>>,
    times: FlushTimes,
    /// The highest number of a finished match, of any node, that is known to be flushed.
    finished: i64,
}

/// What it holds are secrets of matches in play.
impl fmt::Debug for Unflushed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unflushed")
            .field("commits", &self.state.lock().commits)
            .finish_non_exhaustive()
    }
}

impl Unflushed {
    /// The last commit has this number, and is flushed.
    pub(super) fn new(node: NodeNumber, last: i64) -> Self {
        Self {
            node,
            state: Mutex::new(State {
                commits: Commits::new(last),
                kept: VecDeque::new(),
                times: FlushTimes::default(),
                finished: 0,
            }),
        }
    }

    /// The number of the last commit.
    pub(super) fn last(&self) -> i64 {
        self.state.lock().commits.last()
    }

    /// The number of the next one.
    pub(super) fn next(&self) -> Result<i64, Unsure> {
        self.state.lock().commits.next()
    }

    /// Whether the next one is committed is not known, and it is not tried again.
    pub(super) fn lost(&self) {
        self.state.lock().commits.lost();
    }

    /// The next one is committed and flushed.
    pub(super) fn committed(&self) {
        self.state.lock().commits.committed();
        self.all_flushed();
    }

    /// The next one is committed, and kept until it is flushed.
    pub(super) fn committed_unflushed(&self, commit: Arc<Commit>) {
        let mut state = self.state.lock();
        state.commits.committed_unflushed();
        state.kept.push_back(commit);
    }

    /// A transaction was flushed that follows all commits.
    pub(super) fn all_flushed(&self) {
        let last = self.last();
        self.flushed(last);
    }

    /// All commits up to this one are flushed.
    pub(super) fn flushed(&self, number: i64) {
        let mut state = self.state.lock();
        state.commits.flushed(number);
        let State { commits, kept, .. } = &mut *state;
        while kept.front().is_some_and(|it| commits.is_flushed(it.number)) {
            kept.pop_front();
        }
    }

    pub(super) fn is_flushed(&self, number: i64) -> bool {
        self.state.lock().commits.is_flushed(number)
    }

    /// Whether a crash of the database would lose any.
    pub(super) fn has_any(&self) -> bool {
        !self.state.lock().kept.is_empty()
    }

    /// A flush has taken this time.
    pub(super) fn took(&self, time: Duration) {
        self.state.lock().times.took(time);
    }

    /// Whether commits are to be flushed apart.
    pub(super) fn is_worth_while(&self) -> bool {
        self.state.lock().times.are_slow()
    }

    /// Finished matches of every node up to this number are flushed.
    pub(super) fn finished_flushed(&self, number: i64) {
        let mut state = self.state.lock();
        state.finished = state.finished.max(number);
    }

    /// Whether a finished match of this number is known to be flushed.
    pub(super) fn is_finished_flushed(&self, number: i64) -> bool {
        number <= self.state.lock().finished
    }

    /// Within a transaction behind the fence, with the row of the node locked against every other:
    /// makes those again that a crash has lost.
    pub(super) async fn put_back(&self, connection: &mut PgConnection) -> Result<(), Fault> {
        let newest = journal::newest(&mut *connection, self.node).await?;
        for commit in self.missing(newest)? {
            commit.carry_out(connection, false).await?;
        }
        Ok(())
    }

    fn missing(&self, newest: i64) -> Result<Vec<Arc<Commit>>, Fault> {
        let state = self.state.lock();
        let missing = state.commits.missing(newest).map_err(|Contradicted| {
            journal::contradiction(self.node, newest, state.commits.last())
        })?;
        let kept = state.kept.iter();
        Ok(kept
            .filter(|commit| missing.contains(&commit.number))
            .cloned()
            .collect())
    }
}
