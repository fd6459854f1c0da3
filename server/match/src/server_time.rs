//! Server clock readings, and their conversion to match time.

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
        Self {
            us: known_until.us_since(now),
        }
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
}
