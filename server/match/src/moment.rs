//! Readings of the server's clock.

use bridgemaster_referee::Time;

/// Least lag of the server that counts, in µs. Timers are exact to a millisecond, and a busy
/// runtime does other work first.
pub const MIN_LAG_US: u64 = 10_000;

/// A reading of the server's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The time.
    pub time: Time,
    /// All lag of the server before it, in µs.
    pub lag_us: u64,
}

/// How far the clock of a match is ahead of that of its server: as far as a server before was, so that
/// no match sees time go back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    us: u64,
}

impl Ahead {
    /// Goes on `now` by the clock of the server, and not before `known_until`, at which the match was
    /// last.
    #[must_use]
    pub fn going_on_from(now: Time, known_until: Time) -> Self {
        Self {
            us: known_until.us_since(now),
        }
    }

    /// What the clock of the match says, for that of the server.
    #[must_use]
    pub fn of_match(self, of_server: Time) -> Time {
        of_server.plus_us(self.us)
    }

    /// What the clock of the server says, for that of the match.
    #[must_use]
    pub fn of_server(self, of_match: Time) -> Time {
        Time(of_match.0.saturating_sub(self.us))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_does_not_go_back_for_a_match_that_another_server_had() {
        let behind = Ahead::going_on_from(Time(10), Time(25));
        assert_eq!(behind.of_match(Time(10)), Time(25));
        assert_eq!(behind.of_server(Time(30)), Time(15));
        let beyond = Ahead::going_on_from(Time(40), Time(25));
        assert_eq!(beyond, Ahead::default());
        assert_eq!(beyond.of_match(Time(40)), Time(40));
    }
}
