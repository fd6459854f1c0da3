//! The lag of the server that a match must be told of, and may be: that of its clock, and the time
//! for which effects waited to be stored.

use std::collections::VecDeque;

use bridgemaster_match::{Entries, MIN_LAG_US, Moment};
use bridgemaster_referee::Time;

use crate::oracle::{Violation, demand};

#[derive(Debug, Default)]
pub(super) struct LagBook {
    /// What the clock had counted when this life of the server began, in µs.
    began_us: u64,
    /// What it had counted at the last moment that came to the referee.
    reached: Moment,
    told_us: u64,
    /// Entries that effects wait for.
    waiting: VecDeque<Entries>,
    waiting_since: Option<Time>,
    commits: u64,
    /// All time for which something waited, in µs.
    waited_us: u64,
    /// What of it must be told, and from when on.
    owed: VecDeque<(Time, u64)>,
    owed_us: u64,
    stored: Vec<(Entries, Time)>,
}

impl LagBook {
    /// Another life of the server begins, whose clock has counted so much lag.
    pub(super) fn new(now: Moment, stored: Entries) -> Self {
        Self {
            began_us: now.lag_us,
            reached: now,
            stored: vec![(stored, Time(0))],
            ..Self::default()
        }
    }

    pub(super) fn told(&mut self, lag_us: u64) {
        self.told_us += lag_us;
    }

    /// An effect of `at` waits for so many entries.
    pub(super) fn waits(&mut self, entries: Entries, at: Time) {
        self.waiting.push_back(entries);
        self.waiting_since.get_or_insert(at);
    }

    pub(super) fn stored(&mut self, entries: Entries, at: Time) {
        if self.stored.last().is_some_and(|(last, _)| *last >= entries) {
            return;
        }
        self.stored.push((entries, at));
        self.commits += 1;
        while self
            .waiting
            .front()
            .is_some_and(|waiting| *waiting <= entries)
        {
            self.waiting.pop_front();
        }
        if self.waiting.is_empty()
            && let Some(since) = self.waiting_since.take()
        {
            let waited_us = at.us_since(since);
            self.waited_us += waited_us;
            // What is short need not count, and each commit may end with something short.
            let short_us = (self.commits + 1) * MIN_LAG_US;
            self.owed
                .push_back((at, waited_us.saturating_sub(short_us)));
            self.commits = 0;
        }
    }

    pub(super) fn is_stored_at(&self, entries: Entries, at: Time) -> bool {
        let mut stored = self.stored.iter();
        stored.any(|(count, since)| *count >= entries && *since <= at)
    }

    /// A report of this moment came to the referee.
    pub(super) fn reached(&mut self, moment: Moment) {
        self.reached = moment;
        while let Some((_, us)) = self.owed.pop_front_if(|(from, _)| *from <= moment.time) {
            self.owed_us += us;
        }
    }

    /// What was told is enough, and no more than there was.
    pub(super) fn is_told(&self, now: Moment) -> Result<(), Violation> {
        let told_us = self.told_us;
        let least_us = self.reached.lag_us - self.began_us + self.owed_us;
        let waits_us = self
            .waiting_since
            .map_or(0, |since| now.time.us_since(since));
        let most_us = now.lag_us - self.began_us + self.waited_us + waits_us;
        demand!(
            (least_us..=most_us).contains(&told_us),
            "{told_us} µs of lag are told, and there were {least_us} to {most_us}"
        );
        Ok(())
    }
}
