//! Clocks with their own rates, which can be set.

use bridgemaster_referee::Time;

/// The rate of a true clock, in millionths.
pub(crate) const TRUE_RATE: u64 = 1_000_000;

/// A clock in µs, as a function of the true time of the simulation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Its reading when it was last set, and the true time of that.
    base_us: i64,
    since: Time,
    rate: u64,
}

impl Clock {
    /// Creates a clock with this reading at the start of the simulation.
    pub(crate) fn new(base_us: i64, rate: u64) -> Self {
        Self {
            base_us,
            since: Time(0),
            rate,
        }
    }

    pub(crate) fn at(&self, now: Time) -> i64 {
        let elapsed_us = now.us_since(self.since);
        self.base_us + scaled(elapsed_us, self.rate, TRUE_RATE) as i64
    }

    /// The time that it advances between two true times.
    pub(crate) fn between_us(&self, from: Time, until: Time) -> u64 {
        (self.at(until) - self.at(from)).unsigned_abs()
    }

    /// The first true time at which it reads at least this; `None` if it stands still, because a
    /// timer by it would never fire.
    pub(crate) fn when(&self, reading_us: i64) -> Time {
        let left_us = u64::try_from(reading_us - self.base_us).unwrap_or_default();
        assert!(self.rate > 0, "a timer by a stopped clock never fires");
        let elapsed_us = scaled(left_us, TRUE_RATE, self.rate);
        let is_short = scaled(elapsed_us, self.rate, TRUE_RATE) < left_us;
        self.since.plus_us(elapsed_us + u64::from(is_short))
    }

    /// Adjusts the clock by this amount.
    pub(crate) fn jump(&mut self, now: Time, by_us: i64) {
        (self.base_us, self.since) = (self.at(now) + by_us, now);
    }

    /// Changes its rate.
    pub(crate) fn set_rate(&mut self, now: Time, rate: u64) {
        self.jump(now, 0);
        self.rate = rate;
    }
}

fn scaled(us: u64, by: u64, of: u64) -> u64 {
    (u128::from(us) * u128::from(by) / u128::from(of)) as u64
}
