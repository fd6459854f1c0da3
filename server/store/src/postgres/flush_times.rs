//! Whether a flush takes so long that commits do not wait for the one before them.

use std::time::Duration;

/// From this mean on, commits are flushed apart: longer than all the rest of a commit takes. A flush
/// apart is a transaction of its own, which costs the database a quarter more for each decision; that
/// was measured to be no gain where a flush takes 1 ms.
const SLOW: Duration = Duration::from_millis(3);

/// Below this mean they are not any more. It is well below [`SLOW`] since flushes that wait for each
/// other share what is written, and are quicker than one alone.
const QUICK: Duration = Duration::from_micros(1_500);

/// Flushes that the mean is of: enough that a single slow one changes nothing, and few enough that
/// some tenths of a second do.
const WEIGHT: u32 = 16;

/// How long flushes have taken lately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FlushTimes {
    mean: Duration,
    are_slow: bool,
}

impl FlushTimes {
    /// One has taken this time.
    pub(super) fn took(&mut self, time: Duration) {
        self.mean = (self.mean * (WEIGHT - 1) + time) / WEIGHT;
        self.are_slow = match self.are_slow {
            true => self.mean >= QUICK,
            false => self.mean >= SLOW,
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
            times.took(time);
        }
        times
    }

    #[test]
    fn slow_flushes_are_noticed_and_a_single_one_is_not() {
        let quick = after(FlushTimes::default(), 100, QUICK / 2);
        assert!(!quick.are_slow());
        assert!(!after(quick, 1, 8 * SLOW).are_slow());
        let slow = after(quick, WEIGHT, 4 * SLOW);
        assert!(slow.are_slow());
        // Those that share what is written are quicker.
        assert!(after(slow, 100, (SLOW + QUICK) / 2).are_slow());
        assert!(!after(slow, 100, QUICK / 2).are_slow());
    }
}
