//! Where a commit is made: by the thread that asks for it while commits are quick, and by that of the
//! writer while they are not.
//!
//! A commit that survives the end of the process goes to the memory of the system, and takes a tenth of a
//! millisecond of processor time. The thread of the writer would have to be given a processor first, and
//! whoever waits for it another: with 64 matches that answer at once on two cores it waited for 0.36 ms
//! in the mean. A commit that waits for a slow disk must keep no thread of the server.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// What commits take in the mean, at most, for the next one to be made by the thread that asks for it:
/// about what it costs to wait for another thread. A disk that is sure of a commit within this keeps a
/// thread of the server for no longer than that.
const QUICK: Duration = Duration::from_micros(500);

/// The part that the last commit has in the mean.
const LAST_PART: u64 = 8;

/// How long commits take of late.
#[derive(Debug, Default)]
pub(super) struct CommitPace {
    mean_ns: AtomicU64,
}

impl CommitPace {
    /// Whether commits are quick. So are those of a store that was just opened.
    pub(super) fn is_quick(&self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

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
        (0..5).for_each(|_| quick());
        assert!(!pace.is_quick(), "one may be quick by chance");
        (0..30).for_each(|_| quick());
        assert!(pace.is_quick());
        for _ in 0..3 {
            pace.took(Duration::MAX);
        }
        assert!(!pace.is_quick());
    }
}
