//! What effects wait for, and the time that they wait. What was to be sent had not left by then, so
//! that time is lag of the server and no bot's.

use bridgemaster_referee::Time;

use crate::{Entries, MIN_LAG_US};

/// Entries that effects wait for.
#[derive(Debug, Default)]
pub(crate) struct Storing {
    /// What the last effect waits for.
    last: Entries,
    /// So many entries are stored.
    stored: Entries,
    /// Since when they are.
    stored_at: Time,
    /// Since when effects have waited, as far as that is not told.
    since: Option<Time>,
}

impl Storing {
    /// Everything so far is stored.
    pub(crate) fn new(stored: Entries) -> Self {
        Self {
            last: stored,
            stored,
            ..Self::default()
        }
    }

    /// From `time` on, effects wait for so many entries.
    pub(crate) fn wait_for(&mut self, entries: Entries, time: Time) {
        if self.since.is_none() || self.is_settled() {
            self.since = Some(time);
        }
        self.last = entries;
    }

    /// So many entries are stored since `at`.
    pub(crate) fn stored(&mut self, entries: Entries, at: Time) {
        self.stored = self.stored.max(entries);
        self.stored_at = self.stored_at.max(at);
        // What still waits was queued before, so the wait goes on; a short one does not add up
        // with the next.
        if let Some(since) = &mut self.since
            && self.stored < self.last
            && at.us_since(*since) < MIN_LAG_US
        {
            *since = at.max(*since);
        }
    }

    /// What everything must wait for that shows the match as it is now.
    pub(crate) fn unsettled(&self) -> Entries {
        self.missing(self.last)
    }

    /// What must still be waited for of so many entries.
    pub(crate) fn missing(&self, entries: Entries) -> Entries {
        match entries <= self.stored {
            true => Entries::NONE,
            false => entries,
        }
    }

    fn is_settled(&self) -> bool {
        self.last <= self.stored
    }

    /// The time until `now` that effects waited and that was not claimed before, in µs. As for the
    /// rest of the server's lag, what is short does not count, unless a deadline has come
    /// meanwhile: a request that has not left must not run out.
    pub(crate) fn claim_us(&mut self, now: Time, has_run_out: impl FnOnce() -> bool) -> u64 {
        let Some(since) = self.since else { return 0 };
        let is_over = self.is_settled() && self.stored_at <= now;
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

    fn waiting(since_ms: u64) -> Storing {
        let mut storing = Storing::default();
        storing.wait_for(Entries(1), at(since_ms));
        storing
    }

    #[test]
    fn a_long_wait_counts_once_and_as_far_as_it_went() {
        let mut storing = waiting(100);
        assert_eq!(storing.unsettled(), Entries(1));
        assert_eq!(storing.claim_us(at(130), || false), 30 * MS);
        storing.stored(Entries(1), at(150));
        assert_eq!(storing.unsettled(), Entries::NONE);
        assert_eq!(storing.claim_us(at(170), || false), 20 * MS);
        assert_eq!(storing.claim_us(at(190), || true), 0);
    }

    #[test]
    fn a_report_from_before_the_end_of_the_wait_does_not_lose_the_rest_of_it() {
        let mut storing = waiting(0);
        storing.stored(Entries(1), at(50));
        assert_eq!(storing.claim_us(at(20), || false), 20 * MS);
        assert_eq!(storing.claim_us(at(60), || false), 30 * MS);
    }

    #[test]
    fn a_short_wait_counts_only_where_a_deadline_has_come() {
        let mut storing = waiting(0);
        assert_eq!(storing.claim_us(at(5), || false), 0);
        assert_eq!(storing.claim_us(at(5), || true), 5 * MS);
        storing.stored(Entries(1), at(9));
        assert_eq!(storing.claim_us(at(30), || false), 0);
    }

    #[test]
    fn short_waits_that_overlap_do_not_add_up() {
        let mut storing = waiting(0);
        for number in 1..100 {
            let now = number * 4;
            storing.wait_for(Entries(number + 1), at(now - 1));
            storing.stored(Entries(number), at(now));
            assert_eq!(storing.claim_us(at(now), || false), 0, "{number}");
        }
    }
}
