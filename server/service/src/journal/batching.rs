//! Decides when a commit starts: once enough entries are queued, or once other ready tasks have
//! run.

use tokio::{select, sync::Notify, task::yield_now};

/// The number of queued entries at which a commit starts. With SQLite, waiting for a larger batch
/// would save less than 1 µs per entry, while a thread might be idle. Batches still grow beyond
/// this number while earlier commits wait for a disk or for PostgreSQL.
const BATCH_ENTRIES: usize = 32;

/// The maximum number of yields to ready tasks before a smaller commit starts. The commit starts
/// earlier if a yield adds no entry. With 64 matches, a higher maximum did not increase the
/// decision rate.
const MAX_YIELDS: usize = 3;

/// Starts a commit as soon as enough entries are queued.
#[derive(Default)]
pub(super) struct CommitBatching {
    /// Notified when the batch is full. The notification wakes only a task that already waits.
    batch_full: Notify,
}

impl CommitBatching {
    /// Records that one more entry was queued, and that `entries` entries are queued now.
    pub(super) fn on_queued(&self, entries: usize) {
        if entries == BATCH_ENTRIES {
            self.batch_full.notify_waiters();
        }
    }

    /// Waits until a full batch is queued, or until all ready tasks have run without adding an
    /// entry.
    pub(super) async fn wait_for_batch(&self, entries: impl Fn() -> usize) {
        let mut before = 0;
        for _ in 0..MAX_YIELDS {
            // The task registers before it reads the count, so that a batch that fills afterwards
            // wakes it.
            let batch_full = self.batch_full.notified();
            let now = entries();
            if now == before || now >= BATCH_ENTRIES {
                break;
            }
            before = now;
            select! {
                biased;
                () = batch_full => {}
                () = yield_now() => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        cell::Cell,
        pin::pin,
        sync::Arc,
        task::{Context, Waker},
    };

    use super::*;
    use crate::counting_waker::CountingWaker;

    /// Returns whether the wait ends with `entries` queued, and the number of polls.
    fn waits(entries: usize) -> (bool, usize) {
        let (batching, count) = (CommitBatching::default(), Cell::new(1));
        let woken = Arc::<CountingWaker>::default();
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let mut batch = pin!(batching.wait_for_batch(|| count.get()));
        assert!(batch.as_mut().poll(&mut context).is_pending());
        let before = woken.count();
        for now in 2..=entries {
            count.set(now);
            batching.on_queued(now);
        }
        let by_entries = woken.count() - before;
        (batch.as_mut().poll(&mut context).is_ready(), by_entries)
    }

    #[test]
    fn a_full_batch_starts_a_commit_and_a_smaller_one_does_not() {
        assert_eq!(waits(BATCH_ENTRIES), (true, 1));
        assert_eq!(waits(BATCH_ENTRIES - 1), (false, 0));
    }

    #[test]
    fn a_commit_does_not_wait_when_nothing_is_added() {
        assert_eq!(waits(1), (true, 0));
    }
}
