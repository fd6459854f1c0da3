//! The clocks of a match: readings of the server's clock, their conversion to match time, and the
//! wall clock.

use bridgemaster_referee::Time;

/// Server lag below this value, in µs, is ignored. Timers have millisecond resolution, and a busy
/// runtime does other work first.
pub const MIN_LAG_US: u64 = 10_000;

/// A reading from the server's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerTime {
    /// Monotonic time at the reading.
    pub time: Time,
    /// Total server lag before that time, in µs.
    pub lag_us: u64,
}

/// The offset between a match's clock and its server's clock. After a restart, the match clock
/// continues from its previous time, so that match time never goes backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockOffset {
    us: u64,
}

impl ClockOffset {
    /// Returns the offset for a match that resumes at the server time `now`. The match's last input
    /// was at the match time `known_until`.
    #[must_use]
    pub fn resuming_at(now: Time, known_until: Time) -> Self {
        Self { us: known_until.us_since(now) }
    }

    /// Converts server time to match time.
    #[must_use]
    pub fn to_match(self, of_server: Time) -> Time {
        of_server.plus_us(self.us)
    }

    /// Converts match time to server time.
    #[must_use]
    pub fn to_server(self, of_match: Time) -> Time {
        Time(of_match.0.saturating_sub(self.us))
    }
}

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
    fn time_does_not_go_backwards_when_another_server_resumes_a_match() {
        let behind = ClockOffset::resuming_at(Time(10), Time(25));
        assert_eq!(behind.to_match(Time(10)), Time(25));
        assert_eq!(behind.to_server(Time(30)), Time(15));
        let beyond = ClockOffset::resuming_at(Time(40), Time(25));
        assert_eq!(beyond, ClockOffset::default());
        assert_eq!(beyond.to_match(Time(40)), Time(40));
    }

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
