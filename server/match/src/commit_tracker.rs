//! Tracks the journal position that effects wait for, and how long they wait. The waiting time
//! counts as server lag and is not charged to the bots.

use bridgemaster_referee::Time;

use crate::{Entries, MIN_LAG_US};

/// The progress of storing a journal.
#[derive(Debug, Default)]
pub(crate) struct CommitTracker {
    /// The position that the last effect waits for.
    last: Entries,
    /// The number of entries that are stored.
    stored: Entries,
    /// The time at which the last stored entry was written.
    stored_at: Time,
    /// The start of the wait that has not been reported as lag yet; `None` if no effect waits.
    since: Option<Time>,
}

impl CommitTracker {
    /// Creates a tracker for a journal whose entries are all stored.
    pub(crate) fn new(stored: Entries) -> Self {
        Self { last: stored, stored, ..Self::default() }
    }

    /// Records that effects have waited for this position since `time`.
    pub(crate) fn add_pending(&mut self, entries: Entries, time: Time) {
        if self.since.is_none() || self.is_all_stored() {
            self.since = Some(time);
        }
        self.last = entries;
    }

    /// Records at `at` that the first `entries` entries are stored.
    pub(crate) fn mark_stored(&mut self, entries: Entries, at: Time) {
        self.stored = self.stored.max(entries);
        self.stored_at = self.stored_at.max(at);
        // Later effects still wait. If this wait has been short so far, it is discarded, so that
        // short waits do not add up.
        if let Some(since) = &mut self.since
            && self.stored < self.last
            && at.us_since(*since) < MIN_LAG_US
        {
            *since = at.max(*since);
        }
    }

    /// The journal position that every view of the current state must wait for.
    pub(crate) fn uncommitted(&self) -> Entries {
        self.uncommitted_part(self.last)
    }

    /// Returns the position, unless it is already stored.
    pub(crate) fn uncommitted_part(&self, entries: Entries) -> Entries {
        if entries <= self.stored { Entries::NONE } else { entries }
    }

    fn is_all_stored(&self) -> bool {
        self.last <= self.stored
    }

    /// Removes and returns the unreported waiting time until `now`, in µs. A short wait does not
    /// count, as for other server lag. But it counts if a deadline has expired during the wait,
    /// because a request must not time out before it was sent.
    pub(crate) fn take_wait_us(&mut self, now: Time, has_run_out: impl FnOnce() -> bool) -> u64 {
        let Some(since) = self.since else { return 0 };
        let is_over = self.is_all_stored() && self.stored_at <= now;
        let until = if is_over { self.stored_at } else { now };
        let waited_us = until.us_since(since);
        let counts = waited_us >= MIN_LAG_US || has_run_out();
        if is_over {
            self.since = None;
        } else if counts {
            self.since = Some(until.max(since));
        }
        if counts { waited_us } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1000;

    fn at(ms: u64) -> Time {
        Time(ms * MS)
    }

    fn waiting(since_ms: u64) -> CommitTracker {
        let mut commits = CommitTracker::default();
        commits.add_pending(Entries(1), at(since_ms));
        commits
    }

    #[test]
    fn a_long_wait_counts_once_for_its_duration_so_far() {
        let mut commits = waiting(100);
        assert_eq!(commits.uncommitted(), Entries(1));
        assert_eq!(commits.take_wait_us(at(130), || false), 30 * MS);
        commits.mark_stored(Entries(1), at(150));
        assert_eq!(commits.uncommitted(), Entries::NONE);
        assert_eq!(commits.take_wait_us(at(170), || false), 20 * MS);
        assert_eq!(commits.take_wait_us(at(190), || true), 0);
    }

    #[test]
    fn an_earlier_report_does_not_lose_the_rest_of_the_wait() {
        let mut commits = waiting(0);
        commits.mark_stored(Entries(1), at(50));
        assert_eq!(commits.take_wait_us(at(20), || false), 20 * MS);
        assert_eq!(commits.take_wait_us(at(60), || false), 30 * MS);
    }

    #[test]
    fn a_short_wait_counts_only_if_a_deadline_has_expired() {
        let mut commits = waiting(0);
        assert_eq!(commits.take_wait_us(at(5), || false), 0);
        assert_eq!(commits.take_wait_us(at(5), || true), 5 * MS);
        commits.mark_stored(Entries(1), at(9));
        assert_eq!(commits.take_wait_us(at(30), || false), 0);
    }

    #[test]
    fn short_waits_that_overlap_do_not_add_up() {
        let mut commits = waiting(0);
        for number in 1..100 {
            let now = number * 4;
            commits.add_pending(Entries(number + 1), at(now - 1));
            commits.mark_stored(Entries(number), at(now));
            assert_eq!(commits.take_wait_us(at(now), || false), 0, "{number}");
        }
    }
}
