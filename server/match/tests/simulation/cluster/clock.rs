//! Clocks that differ: each goes at a rate of its own, and may be set.

use bridgemaster_referee::Time;

/// A clock that goes right: millionths of the true rate.
pub(crate) const TRUE_RATE: u64 = 1_000_000;

/// A clock, in µs, against the true time of the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// What it read when it was set last, and when that was.
    base_us: i64,
    since: Time,
    rate: u64,
}

impl Clock {
    /// One that reads this at the beginning of the world.
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

    /// How much it goes on between two moments.
    pub(crate) fn between_us(&self, from: Time, until: Time) -> u64 {
        (self.at(until) - self.at(from)).unsigned_abs()
    }

    /// The first moment at which it reads this or more, if it goes on as it does. Nobody can wait by a
    /// clock that stands still: who set a timer by it would never wake.
    pub(crate) fn when(&self, reading_us: i64) -> Time {
        let left_us = u64::try_from(reading_us - self.base_us).unwrap_or_default();
        assert!(self.rate > 0, "somebody waits by a clock that stands still");
        let elapsed_us = scaled(left_us, TRUE_RATE, self.rate);
        let is_short = scaled(elapsed_us, self.rate, TRUE_RATE) < left_us;
        self.since.plus_us(elapsed_us + u64::from(is_short))
    }

    /// Somebody sets it, by so much.
    pub(crate) fn jump(&mut self, now: Time, by_us: i64) {
        (self.base_us, self.since) = (self.at(now) + by_us, now);
    }

    /// It goes at another rate from now on.
    pub(crate) fn goes_at(&mut self, now: Time, rate: u64) {
        self.jump(now, 0);
        self.rate = rate;
    }
}

fn scaled(us: u64, by: u64, of: u64) -> u64 {
    (u128::from(us) * u128::from(by) / u128::from(of)) as u64
}
