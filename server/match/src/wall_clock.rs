//! Conversion from match time to wall-clock time. Wall-clock time is only displayed; no rule
//! depends on it.

use bridgemaster_referee::Time;

/// Pairs of match time and wall-clock time. The match clock stops while no server runs, so there is
/// one pair for the match's creation and one for each restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WallClockMap(Vec<(Time, u64)>);

impl WallClockMap {
    /// Creates a map in which the match time `at` corresponds to `unix_ms`, or to an unknown time
    /// if `unix_ms` is 0.
    pub(crate) fn new(at: Time, unix_ms: u64) -> Self {
        Self(vec![(at, unix_ms)])
    }

    /// Adds a pair that applies from the match time `at`.
    pub(crate) fn add(&mut self, at: Time, unix_ms: u64) {
        self.0.push((at, unix_ms));
    }

    /// Returns the Unix time that corresponds to a match time, in ms; 0 if unknown.
    pub(crate) fn unix_ms(&self, at: Time) -> u64 {
        let mut entries = self.0.iter().rev();
        let before = entries.find(|(since, unix_ms)| *since <= at && *unix_ms > 0);
        before.map_or(0, |(since, unix_ms)| unix_ms + at.us_since(*since) / 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_without_a_server_counts_from_the_next_start_on() {
        let at = |ms: u64| Time(ms * 1000);
        let mut wall_clock = WallClockMap::new(at(100), 1_000_000);
        wall_clock.add(at(300), 9_000_000);
        assert_eq!(wall_clock.unix_ms(at(100)), 1_000_000);
        assert_eq!(wall_clock.unix_ms(at(299)), 1_000_199);
        assert_eq!(wall_clock.unix_ms(at(350)), 9_000_050);
    }

    #[test]
    fn times_before_the_first_known_one_are_unknown() {
        let mut wall_clock = WallClockMap::new(Time(0), 0);
        assert_eq!(wall_clock.unix_ms(Time(7)), 0);
        wall_clock.add(Time(2_000), 50);
        assert_eq!(wall_clock.unix_ms(Time(7)), 0);
        assert_eq!(wall_clock.unix_ms(Time(3_000)), 51);
    }
}
