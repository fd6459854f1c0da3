//! Time that a bot has in a check. All times grow with the factor that the user gives.

use std::time::Duration;

/// The times of one run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    factor: f64,
}

impl Times {
    /// Times for a machine that is slower by `factor`.
    pub(super) fn slower_by(factor: f64) -> Self {
        Self { factor }
    }

    fn scaled(self, time: Duration) -> Duration {
        time.mul_f64(self.factor)
    }

    /// From the start of the process to its first stream: an interpreter and its libraries load.
    pub(super) fn start(self) -> Duration {
        self.scaled(Duration::from_secs(20))
    }

    /// From the opening of a stream to its Hello: what a server gives by default.
    pub(super) fn hello(self) -> Duration {
        self.scaled(Duration::from_secs(10))
    }

    /// For the answer to a request, where the clock is not what is checked.
    pub(super) fn answer(self) -> Duration {
        self.scaled(Duration::from_secs(10))
    }

    pub(super) fn whole_match(self) -> Duration {
        self.scaled(Duration::from_secs(120))
    }

    /// For coming back after a lost stream: the reconnect time of usual matches.
    pub(super) fn reconnect(self) -> Duration {
        self.scaled(Duration::from_secs(10))
    }

    /// For a Pong: far above any round trip, and far below what counts as a lost bot.
    pub(super) fn pong(self) -> Duration {
        self.scaled(Duration::from_secs(1))
    }

    /// For the end of the process, once there is nothing left to play.
    pub(super) fn exit(self) -> Duration {
        self.scaled(Duration::from_secs(5))
    }

    /// In which something must not happen: a bot that does it does it at once.
    pub(super) fn quiet(self) -> Duration {
        self.scaled(Duration::from_millis(500))
    }

    /// In which a bot whose stream was taken over must leave the seat alone: several of the pauses
    /// that bots make between attempts.
    pub(super) fn leave_alone(self) -> Duration {
        self.scaled(Duration::from_secs(2))
    }

    /// How long the bot is not asked in the check of a slow clock.
    pub(super) fn pause(self) -> Duration {
        self.scaled(Duration::from_secs(3))
    }

    /// How long the server is away in the check of a drain.
    pub(super) fn away(self) -> Duration {
        self.scaled(Duration::from_millis(1500))
    }

    /// Longest time for one decision in the check of a fast clock.
    pub(super) fn fast_cap(self) -> Duration {
        self.scaled(Duration::from_secs(1))
    }
}
