//! Decides whether flushes are slow enough to run in parallel to the next commits.

use std::time::Duration;

/// Mean flush time from which flushes are deferred to other connections. It is longer than the rest
/// of a commit. A deferred flush is a separate transaction, which costs the database 25 % more per
/// decision. Measurements showed no gain with flushes of 1 ms.
const SLOW_FLUSH: Duration = Duration::from_millis(3);

/// Mean flush time below which flushes are no longer deferred. It is well below [`SLOW_FLUSH`],
/// since concurrent flushes share work and are faster than a single one.
const QUICK_FLUSH: Duration = Duration::from_micros(1_500);

/// Number of flushes in the moving average. A single slow flush has no effect, but a few tenths of
/// a second of slow flushes do.
const FLUSHES_IN_MEAN: u32 = 16;

/// Moving average of flush times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FlushTimes {
    mean: Duration,
    are_slow: bool,
}

impl FlushTimes {
    /// Records the duration of a flush.
    pub(super) fn record(&mut self, time: Duration) {
        self.mean = (self.mean * (FLUSHES_IN_MEAN - 1) + time) / FLUSHES_IN_MEAN;
        self.are_slow = if self.are_slow {
            self.mean >= QUICK_FLUSH
        } else {
            self.mean >= SLOW_FLUSH
        };
    }

    pub(super) fn are_slow(&self) -> bool {
        self.are_slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(mut times: FlushTimes, flushes: u32, time: Duration) -> FlushTimes {
        for _ in 0..flushes {
            times.record(time);
        }
        times
    }

    #[test]
    fn slow_flushes_are_detected_but_a_single_one_is_ignored() {
        let quick = after(FlushTimes::default(), 100, QUICK_FLUSH / 2);
        assert!(!quick.are_slow());
        assert!(!after(quick, 1, 8 * SLOW_FLUSH).are_slow());
        let slow = after(quick, FLUSHES_IN_MEAN, 4 * SLOW_FLUSH);
        assert!(slow.are_slow());
        // Concurrent flushes share work and are faster.
        assert!(after(slow, 100, (SLOW_FLUSH + QUICK_FLUSH) / 2).are_slow());
        assert!(!after(slow, 100, QUICK_FLUSH / 2).are_slow());
    }
}
