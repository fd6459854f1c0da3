//! Time limits for the checks, scaled by a factor for slow machines.

use std::time::Duration;

/// The time limits for a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimits {
    factor: f64,
}

impl TimeLimits {
    /// Creates limits scaled by `factor`.
    pub(super) fn new(factor: f64) -> Self {
        Self { factor }
    }

    fn scaled(self, time: Duration) -> Duration {
        time.mul_f64(self.factor)
    }

    /// Returns the maximum time from the start of the process to its first stream. It is long
    /// enough to load an interpreter.
    pub(super) fn start(self) -> Duration {
        self.scaled(Duration::from_secs(20))
    }

    /// Returns the maximum time from the start of a stream to its Hello, which is the servers'
    /// default.
    pub(super) fn hello(self) -> Duration {
        self.scaled(Duration::from_secs(10))
    }

    /// Returns the maximum time for an answer in checks that do not test the clock.
    pub(super) fn answer(self) -> Duration {
        self.scaled(Duration::from_secs(10))
    }

    pub(super) fn whole_match(self) -> Duration {
        self.scaled(Duration::from_secs(120))
    }

    /// Returns the maximum time to reconnect after a lost stream, which is the matches' default.
    pub(super) fn reconnect(self) -> Duration {
        self.scaled(Duration::from_secs(10))
    }

    /// Returns the maximum time for a Pong. It is much longer than a round trip, and much shorter
    /// than the time until a bot counts as lost.
    pub(super) fn pong(self) -> Duration {
        self.scaled(Duration::from_secs(1))
    }

    /// Returns the maximum time for the bot's process to exit after it has stopped playing.
    pub(super) fn exit(self) -> Duration {
        self.scaled(Duration::from_secs(5))
    }

    /// Returns the time for which a check watches for forbidden behaviour. Faulty bots show it at
    /// once.
    pub(super) fn quiet(self) -> Duration {
        self.scaled(Duration::from_millis(500))
    }

    /// Returns the time during which a superseded bot must not reconnect. It covers several of a
    /// typical bot's retry intervals.
    pub(super) fn no_reconnect_time(self) -> Duration {
        self.scaled(Duration::from_secs(2))
    }

    /// Returns the length of the pause without requests in the `slow-clock` check.
    pub(super) fn pause(self) -> Duration {
        self.scaled(Duration::from_secs(3))
    }

    /// Returns the duration of the server outage in the `drain` check.
    pub(super) fn away(self) -> Duration {
        self.scaled(Duration::from_millis(1500))
    }

    /// Returns the time limit per decision in the `fast-clock` check.
    pub(super) fn fast_cap(self) -> Duration {
        self.scaled(Duration::from_secs(1))
    }
}
