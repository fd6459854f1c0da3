//! The clock of a match, and the timer that wakes a match at its deadline.
//!
//! Nearly every decision changes the deadline of its match, usually to a later time. So the timer
//! sleeps until the deadline that it read last, and then reads it again. It is woken early only if
//! the deadline moves to an earlier time, so most decisions do not wake it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_edge::server_clock::ServerClock;
use bridgemaster_match::{ClockOffset, ServerTime};
use bridgemaster_referee::Time;
use tokio::{sync::Notify, time::sleep_until};

/// The clock of one match. Its offset from the server's clock ensures that match time never
/// decreases when another server continues the match.
#[derive(Clone)]
pub(super) struct MatchClock {
    server: Arc<ServerClock>,
    offset: ClockOffset,
}

impl MatchClock {
    /// Creates a clock that continues from `time`, the last time in the match.
    pub(super) fn starting_at(server: &Arc<ServerClock>, time: Time) -> Self {
        Self {
            server: Arc::clone(server),
            offset: ClockOffset::resuming_at(server.now().time, time),
        }
    }

    /// Returns the current time and lag.
    pub(super) fn now(&self) -> ServerTime {
        let now = self.server.now();
        ServerTime { time: self.offset.to_match(now.time), ..now }
    }

    /// Returns the time that has passed since `moment`.
    pub(super) fn since(&self, moment: ServerTime) -> Duration {
        let now = self.offset.to_match(Time(self.server.elapsed_us()));
        Duration::from_micros(now.us_since(moment.time))
    }

    /// Returns the match's time at this instant.
    pub(super) fn time_at(&self, instant: Instant) -> Time {
        self.offset.to_match(self.server.time_at(instant))
    }

    pub(super) fn instant(&self, time: Time) -> tokio::time::Instant {
        self.server.instant(self.offset.to_server(time))
    }
}

/// Creates the clock of a match that starts on this server.
impl From<&Arc<ServerClock>> for MatchClock {
    fn from(server: &Arc<ServerClock>) -> Self {
        Self { server: Arc::clone(server), offset: ClockOffset::default() }
    }
}

/// Drives a match until it has no deadline or is removed from memory. `tick` applies the deadlines
/// that have passed, and returns the next one.
pub(super) async fn drive_timer(
    tick: impl Fn() -> Option<Time>,
    deadline_moved: Arc<Notify>,
    clock: MatchClock,
) {
    while let Some(deadline) = tick() {
        tokio::select! {
            () = sleep_until(clock.instant(deadline)) => {}
            () = deadline_moved.notified() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_edge::metrics::Metrics;

    use super::*;

    #[test]
    fn a_match_clock_resumes_at_its_time_and_runs_at_the_server_rate() {
        let server = Arc::new(ServerClock::start(Arc::new(Metrics::for_node(None))));
        const HOUR_US: u64 = 3_600_000_000;
        let hour = Duration::from_micros(HOUR_US);
        let ahead = MatchClock::starting_at(&server, Time(HOUR_US));
        let started = ahead.now();
        assert!(started.time >= Time(HOUR_US));
        assert!(ahead.since(started) < hour, "it is not ahead of itself");
        let deadline = Time(started.time.0 + 5_000_000);
        let left = ahead.instant(deadline) - tokio::time::Instant::now();
        assert!(left <= Duration::from_secs(5), "{left:?}");
        assert!(ahead.time_at(Instant::now()) >= started.time);
        // A match clock that is behind adopts the server's time.
        let behind = MatchClock::starting_at(&server, Time(0));
        assert!(behind.now().time.0 < HOUR_US);
    }
}
