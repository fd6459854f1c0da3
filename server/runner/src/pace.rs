//! When the server is asked about a match that nothing else tells the end of.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Longest time between two looks at a match.
pub(crate) const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Shortest time between two looks at a match without a process.
const SHORTEST_LOOK_INTERVAL: Duration = Duration::from_millis(5);
/// A match is looked at again after this part of the time that it took so far: its end is noticed
/// soon, and a match costs few calls.
const LOOKS_OF_A_MATCH: u32 = 8;
/// Matches that the usual time is a mean of: enough that one odd match changes little, and few
/// enough that it follows a load that changes.
const REMEMBERED: u64 = 8;

/// How long matches without a process take, from their making to their end.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// In µs; 0 before the first match.
    usual_us: AtomicU64,
}

impl Pace {
    /// How long to wait before a match is looked at, of which so much time has passed. Before the
    /// usual time it is not asked for.
    pub(crate) fn next_look(&self, passed: Duration) -> Duration {
        let share = passed / LOOKS_OF_A_MATCH;
        let share = share.clamp(SHORTEST_LOOK_INTERVAL, LOOK_INTERVAL);
        let usual = Duration::from_micros(self.usual_us.load(Ordering::Relaxed));
        let begins = usual.saturating_sub(passed);
        begins.max(share).min(LOOK_INTERVAL)
    }

    /// A match took so long.
    pub(crate) fn took(&self, time: Duration) {
        let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        // Two that end at once may overwrite each other: it is an estimate.
        let usual_us = match self.usual_us.load(Ordering::Relaxed) {
            0 => us,
            usual_us => usual_us - usual_us / REMEMBERED + us / REMEMBERED,
        };
        self.usual_us.store(usual_us, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_first_match_is_looked_at_by_the_time_that_it_took_so_far() {
        let pace = Pace::default();
        assert_eq!(pace.next_look(ms(0)), ms(5));
        assert_eq!(pace.next_look(ms(200)), ms(25));
        assert_eq!(pace.next_look(ms(60_000)), ms(1_000));
    }

    #[test]
    fn a_later_match_is_not_looked_at_before_it_may_end() {
        let pace = Pace::default();
        pace.took(ms(400));
        assert_eq!(pace.next_look(ms(0)), ms(400));
        assert_eq!(pace.next_look(ms(350)), ms(50));
        assert_eq!(pace.next_look(ms(400)), ms(50));
        // Shorter ones are noticed after a few.
        (0..40).for_each(|_| pace.took(ms(40)));
        assert!(pace.next_look(ms(0)) < ms(50));
        // However long matches are, one that ends early is noticed within a second.
        pace.took(ms(10_000_000));
        assert_eq!(pace.next_look(ms(0)), ms(1_000));
    }
}
