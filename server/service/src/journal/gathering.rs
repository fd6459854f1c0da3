//! When a commit begins: with enough entries, or once other tasks have had their turn.

use tokio::{select, sync::Notify, task::yield_now};

/// Entries with which a commit begins. Most of what it costs is the commit's own and not that of its
/// entries: with SQLite, more would save less than a microsecond each, and meanwhile a thread may have
/// nothing to do. Behind commits in flight, which wait for a disk or for PostgreSQL, more gather.
const ENOUGH: usize = 32;

/// Turns that all other tasks have before a commit begins with less, at most, while each adds to it.
/// More were no faster, where 64 matches answer at once.
const MAX_TURNS: usize = 3;

/// Lets a commit begin as soon as enough waits for it.
#[derive(Default)]
pub(super) struct Gathering {
    /// Told when enough waits: whoever gathers then, and not later.
    enough: Notify,
}

impl Gathering {
    /// So many entries wait now: one more than before.
    pub(super) fn now_waiting(&self, entries: usize) {
        if entries == ENOUGH {
            self.enough.notify_waiters();
        }
    }

    /// Waits until enough `entries` wait, or tasks that can go on have had their turn.
    pub(super) async fn gather(&self, entries: impl Fn() -> usize) {
        let mut before = 0;
        for _ in 0..MAX_TURNS {
            // Told of what is queued from here on.
            let enough = self.enough.notified();
            let now = entries();
            if now == before || now >= ENOUGH {
                break;
            }
            before = now;
            select! {
                biased;
                () = enough => {}
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
    use crate::woken::Woken;

    /// Whether the gathering is over once `entries` wait; and how often it was woken by these.
    fn gathers(entries: usize) -> (bool, usize) {
        let (gathering, count) = (Gathering::default(), Cell::new(1));
        let woken = Arc::<Woken>::default();
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let mut gathered = pin!(gathering.gather(|| count.get()));
        assert!(gathered.as_mut().poll(&mut context).is_pending());
        let before = woken.times();
        for now in 2..=entries {
            count.set(now);
            gathering.now_waiting(now);
        }
        let by_entries = woken.times() - before;
        (gathered.as_mut().poll(&mut context).is_ready(), by_entries)
    }

    #[test]
    fn a_commit_begins_as_soon_as_enough_waits_and_not_with_less() {
        assert_eq!(gathers(ENOUGH), (true, 1));
        assert_eq!(gathers(ENOUGH - 1), (false, 0));
    }

    #[test]
    fn a_commit_does_not_wait_where_nothing_is_added_to_it() {
        assert_eq!(gathers(1), (true, 0));
    }
}
