//! The lag of the server that must or may be reported to the match: that of its clock, and the time
//! that effects waited to be stored.

use std::collections::VecDeque;

use bridgemaster_match::{Entries, MIN_LAG_US, ServerTime};
use bridgemaster_referee::Time;

use crate::oracle::{Violation, require};

#[derive(Debug, Default)]
pub(super) struct LagAccount {
    /// Lag counted by the clock at the start of this server, in µs.
    began_us: u64,
    /// Lag counted at the last input that reached the referee, in µs.
    reached: ServerTime,
    reported_us: u64,
    /// The entries that effects wait for.
    waiting: VecDeque<Entries>,
    waiting_since: Option<Time>,
    commits: u64,
    /// Total time during which an effect waited, in µs.
    waited_us: u64,
    /// The parts that must be reported, each with the time from which on.
    owed: VecDeque<(Time, u64)>,
    owed_us: u64,
    stored: Vec<(Entries, Time)>,
}

impl LagAccount {
    /// Creates the account of a server that has just started, whose clock has counted this lag.
    pub(super) fn new(now: ServerTime, stored: Entries) -> Self {
        Self {
            began_us: now.lag_us,
            reached: now,
            stored: vec![(stored, Time(0))],
            ..Self::default()
        }
    }

    pub(super) fn add_reported(&mut self, lag_us: u64) {
        self.reported_us += lag_us;
    }

    /// Notes that an effect at `at` waits for this number of entries.
    pub(super) fn add_waiting(&mut self, entries: Entries, at: Time) {
        self.waiting.push_back(entries);
        self.waiting_since.get_or_insert(at);
    }

    pub(super) fn stored(&mut self, entries: Entries, at: Time) {
        if self.stored.last().is_some_and(|(last, _)| *last >= entries) {
            return;
        }
        self.stored.push((entries, at));
        self.commits += 1;
        while self.waiting.front().is_some_and(|waiting| *waiting <= entries) {
            self.waiting.pop_front();
        }
        if self.waiting.is_empty()
            && let Some(since) = self.waiting_since.take()
        {
            let waited_us = at.us_since(since);
            self.waited_us += waited_us;
            // Short waits need not be counted, and each commit may end with one.
            let short_us = (self.commits + 1) * MIN_LAG_US;
            self.owed.push_back((at, waited_us.saturating_sub(short_us)));
            self.commits = 0;
        }
    }

    pub(super) fn is_stored_at(&self, entries: Entries, at: Time) -> bool {
        let mut stored = self.stored.iter();
        stored.any(|(count, since)| *count >= entries && *since <= at)
    }

    /// Notes that a report with this moment reached the referee.
    pub(super) fn note_reached(&mut self, moment: ServerTime) {
        self.reached = moment;
        while let Some((_, us)) = self.owed.pop_front_if(|(from, _)| *from <= moment.time) {
            self.owed_us += us;
        }
    }

    /// Checks that the reported lag is sufficient and does not exceed the real one.
    pub(super) fn check_update(&self, now: ServerTime) -> Result<(), Violation> {
        let reported_us = self.reported_us;
        let least_us = self.reached.lag_us - self.began_us + self.owed_us;
        let waits_us = self.waiting_since.map_or(0, |since| now.time.us_since(since));
        let most_us = now.lag_us - self.began_us + self.waited_us + waits_us;
        require!(
            (least_us..=most_us).contains(&reported_us),
            "{reported_us} µs of lag are reported; expected {least_us} to {most_us}"
        );
        Ok(())
    }
}
