//! Decides on which thread a commit runs: the caller's thread while commits are quick, otherwise
//! the writer's thread.
//!
//! A commit writes to the page cache and takes 0.1 ms of CPU time; another thread waits for the
//! disk (`log_flusher.rs`). Passing the commit to the writer's thread costs two thread switches.
//! The two switches take 0.36 ms on average, measured on two cores with 64 matches that decide at
//! the same time. If memory is short or a command writes at the same time, an inline commit blocks
//! the caller's thread. Other runtime threads continue, and the following commits run on the
//! writer's thread.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tokio::runtime::Handle;

use crate::Write;

/// Mean duration of a commit up to which commits run inline: about twice the cost of two thread
/// switches.
const MAX_INLINE_MEAN_TIME: Duration = Duration::from_millis(1);

/// Maximum number of writes in an inline commit, enough for all matches that decide at the same
/// time.
const MAX_INLINE_WRITES: usize = 256;

/// Number of commits in the moving average.
const COMMITS_IN_MEAN: u64 = 8;

/// Moving average of commit durations.
#[derive(Debug, Default)]
pub(super) struct CommitPace {
    mean_ns: AtomicU64,
}

impl CommitPace {
    /// Returns whether a commit of this batch can run on the caller's thread. Always false on a
    /// single-threaded runtime.
    pub(super) fn is_inline(&self, batch: &[Write]) -> bool {
        self.is_quick()
            && batch.len() <= MAX_INLINE_WRITES
            && batch.iter().all(is_cheap)
            && Handle::try_current().is_ok_and(|handle| handle.metrics().num_workers() > 1)
    }

    /// Returns whether commits are quick. A store that was just opened is assumed to be quick.
    fn is_quick(&self) -> bool {
        Duration::from_nanos(self.mean_ns.load(Ordering::Relaxed)) < MAX_INLINE_MEAN_TIME
    }

    /// Records the duration of a commit. Calls must be serialized, as commits are.
    pub(super) fn record(&self, time: Duration) {
        let time_ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let before_ns = self.mean_ns.load(Ordering::Relaxed);
        let mean_ns = before_ns - before_ns / COMMITS_IN_MEAN + time_ns / COMMITS_IN_MEAN;
        self.mean_ns.store(mean_ns, Ordering::Relaxed);
    }
}

/// Returns whether the write concerns only a match in play. Other writes, such as deletions, might
/// have to search many rows.
fn is_cheap(write: &Write) -> bool {
    match write {
        Write::OpenMatch { .. }
        | Write::Append { .. }
        | Write::FinishMatch { .. }
        | Write::PutRecord { .. }
        | Write::RemoveRecord { .. } => true,
        Write::ForgetReplay { .. } | Write::DropMatch { .. } | Write::ChangeLadder { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(count: usize) -> Vec<Write> {
        let name = "test".to_owned();
        vec![Write::RemoveRecord { name }; count]
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn small_commits_run_inline_while_commits_are_quick() {
        let pace = CommitPace::default();
        assert!(pace.is_inline(&records(MAX_INLINE_WRITES)));
        assert!(!pace.is_inline(&records(MAX_INLINE_WRITES + 1)));
        let match_id = crate::MatchId::new("test").unwrap();
        assert!(!pace.is_inline(&[Write::ForgetReplay { match_id }]));
        pace.record(Duration::from_millis(20));
        assert!(!pace.is_inline(&records(1)));
    }

    #[tokio::test]
    async fn commits_never_run_inline_on_a_single_threaded_runtime() {
        assert!(!CommitPace::default().is_inline(&records(1)));
    }

    #[test]
    fn a_slow_commit_makes_the_next_ones_slow_and_quick_ones_make_them_quick_again() {
        let pace = CommitPace::default();
        assert!(pace.is_quick());
        for _ in 0..100 {
            pace.record(Duration::from_micros(300));
            assert!(pace.is_quick());
        }
        pace.record(Duration::from_millis(20));
        assert!(!pace.is_quick());
        let quick = || pace.record(Duration::from_micros(300));
        (0..3).for_each(|_| quick());
        assert!(!pace.is_quick(), "one may be quick by chance");
        (0..30).for_each(|_| quick());
        assert!(pace.is_quick());
        for _ in 0..3 {
            pace.record(Duration::MAX);
        }
        assert!(!pace.is_quick());
    }
}
