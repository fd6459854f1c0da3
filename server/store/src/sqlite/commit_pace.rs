//! Where a commit is made: on the thread of the caller while commits are quick, and on that of the
//! writer otherwise.
//!
//! A commit goes to the memory of the system, and takes a tenth of a millisecond of processor time; for
//! the disk another thread waits (`log_flusher.rs`). The thread of the writer would have to be given a
//! processor first, and whoever waits for it another: with 64 matches that answer at once on two cores
//! it waited for 0.36 ms in the mean. Where the system has no memory for writes for once, or a command
//! writes beside the server, the caller's thread is held up for as long as the matches that wait for the
//! commit; its runtime has others. The commits after it are made on the writer's thread.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tokio::runtime::Handle;

use crate::Write;

/// What commits take in the mean, at most, for the next one to be made on the thread of the caller: about
/// twice what it takes to wait for two other threads.
const QUICK: Duration = Duration::from_millis(1);

/// Writes of a commit that is made there, at most: those of as many matches as answer at once.
const MAX_WRITES: usize = 256;

/// The part that the last commit has in the mean.
const LAST_PART: u64 = 8;

/// How long commits take of late.
#[derive(Debug, Default)]
pub(super) struct CommitPace {
    mean_ns: AtomicU64,
}

impl CommitPace {
    /// Whether a commit of this batch is made on the thread of the caller. Not if that is the only one
    /// of its runtime.
    pub(super) fn is_made_by_caller(&self, batch: &[Write]) -> bool {
        self.is_quick()
            && batch.len() <= MAX_WRITES
            && batch.iter().all(is_of_play)
            && Handle::try_current().is_ok_and(|handle| handle.metrics().num_workers() > 1)
    }

    /// Whether commits are quick. So are those of a store that was just opened.
    fn is_quick(&self) -> bool {
        Duration::from_nanos(self.mean_ns.load(Ordering::Relaxed)) < QUICK
    }

    /// A commit took so long. Commits are one after the other, and so are calls of this.
    pub(super) fn took(&self, time: Duration) {
        let time_ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let before_ns = self.mean_ns.load(Ordering::Relaxed);
        let mean_ns = before_ns - before_ns / LAST_PART + time_ns / LAST_PART;
        self.mean_ns.store(mean_ns, Ordering::Relaxed);
    }
}

/// Whether matches in play write it. What removes something may have to look for much.
fn is_of_play(write: &Write) -> bool {
    match write {
        Write::OpenMatch { .. }
        | Write::Append { .. }
        | Write::FinishMatch { .. }
        | Write::KeepNote { .. }
        | Write::DropNote { .. } => true,
        Write::ForgetReplay { .. } | Write::DropMatch { .. } | Write::ChangeLadder { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(count: usize) -> Vec<Write> {
        let name = "test".to_owned();
        vec![Write::DropNote { name }; count]
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn callers_make_small_commits_of_play_while_they_are_quick() {
        let pace = CommitPace::default();
        assert!(pace.is_made_by_caller(&notes(MAX_WRITES)));
        assert!(!pace.is_made_by_caller(&notes(MAX_WRITES + 1)));
        let match_id = crate::MatchId::new("test").unwrap();
        assert!(!pace.is_made_by_caller(&[Write::ForgetReplay { match_id }]));
        pace.took(Duration::from_millis(20));
        assert!(!pace.is_made_by_caller(&notes(1)));
    }

    #[tokio::test]
    async fn the_only_thread_of_a_runtime_makes_none() {
        assert!(!CommitPace::default().is_made_by_caller(&notes(1)));
    }

    #[test]
    fn a_slow_commit_makes_the_next_ones_slow_and_quick_ones_make_them_quick_again() {
        let pace = CommitPace::default();
        assert!(pace.is_quick());
        for _ in 0..100 {
            pace.took(Duration::from_micros(300));
            assert!(pace.is_quick());
        }
        pace.took(Duration::from_millis(20));
        assert!(!pace.is_quick());
        let quick = || pace.took(Duration::from_micros(300));
        (0..3).for_each(|_| quick());
        assert!(!pace.is_quick(), "one may be quick by chance");
        (0..30).for_each(|_| quick());
        assert!(pace.is_quick());
        for _ in 0..3 {
            pace.took(Duration::MAX);
        }
        assert!(!pace.is_quick());
    }
}
