//! From moments of the server's clock to those of the calendar. Only people and lists are told of
//! them: no rule reads them.

use bridgemaster_referee::Time;

/// What the calendar said at moments of the server's clock, which stands still while no server
/// runs: when the match was made, and at each start of a server since then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Calendar(Vec<(Time, u64)>);

impl Calendar {
    /// It was this many ms since 1970 UTC at a moment; 0 when that is not known.
    pub(crate) fn new(at: Time, unix_ms: u64) -> Self {
        Self(vec![(at, unix_ms)])
    }

    /// The same for a later moment, from which on it counts.
    pub(crate) fn go_on(&mut self, at: Time, unix_ms: u64) {
        self.0.push((at, unix_ms));
    }

    /// A moment in ms since 1970 UTC; 0 when that is not known.
    pub(crate) fn unix_ms(&self, at: Time) -> u64 {
        let mut known = self.0.iter().rev();
        let before = known.find(|(since, unix_ms)| *since <= at && *unix_ms > 0);
        before.map_or(0, |(since, unix_ms)| unix_ms + at.us_since(*since) / 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_without_a_server_counts_from_the_next_start_on() {
        let at = |ms: u64| Time(ms * 1000);
        let mut calendar = Calendar::new(at(100), 1_000_000);
        calendar.go_on(at(300), 9_000_000);
        assert_eq!(calendar.unix_ms(at(100)), 1_000_000);
        assert_eq!(calendar.unix_ms(at(299)), 1_000_199);
        assert_eq!(calendar.unix_ms(at(350)), 9_000_050);
    }

    #[test]
    fn a_moment_before_all_that_is_known_is_not_known() {
        let mut calendar = Calendar::new(Time(0), 0);
        assert_eq!(calendar.unix_ms(Time(7)), 0);
        calendar.go_on(Time(2_000), 50);
        assert_eq!(calendar.unix_ms(Time(7)), 0);
        assert_eq!(calendar.unix_ms(Time(3_000)), 51);
    }
}
