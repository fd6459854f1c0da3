//! Exponential backoff between attempts to connect.

use std::time::{Duration, Instant};

/// The first pause. It is short, since a server that only closed the stream is available
/// immediately.
const MIN_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause. It limits the clock time that a bot loses after the server has become
/// available again.
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// Exponential backoff with a total time limit. Jitter prevents all of a server's bots from
/// reconnecting at the same time.
#[derive(Debug)]
pub(crate) struct Backoff {
    total: Duration,
    deadline: Instant,
    pause: Duration,
}

impl Backoff {
    /// Creates a backoff that ends after `total`, counted from now.
    pub(crate) fn new(total: Duration) -> Self {
        Self {
            total,
            deadline: Instant::now() + total,
            pause: MIN_PAUSE,
        }
    }

    /// Restarts the time limit. Pauses become short again only if `progressed` is true for the last
    /// connection. So a server that repeatedly accepts a bot and immediately drops it is not
    /// flooded with connections.
    pub(crate) fn restart(&mut self, total: Duration, progressed: bool) {
        let pause = if progressed { MIN_PAUSE } else { self.pause };
        *self = Self {
            pause,
            ..Self::new(total)
        };
    }

    /// Returns the total time limit.
    pub(crate) fn total(&self) -> Duration {
        self.total
    }

    /// Returns the next pause, with jitter between 50 and 100 %; `None` once the time limit is
    /// reached.
    pub(crate) fn next_pause(&mut self) -> Option<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        let pause = self.pause.mul_f64(rand::random_range(0.5..=1.0));
        self.pause = (self.pause * 2).min(MAX_PAUSE);
        Some(pause.min(left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_limit_and_vary() {
        let mut backoff = Backoff::new(Duration::from_secs(3600));
        let pauses: Vec<Duration> = (0..20).map(|_| backoff.next_pause().unwrap()).collect();
        assert!(pauses[0] <= MIN_PAUSE && pauses[0] >= MIN_PAUSE / 2);
        assert!(
            pauses[10..]
                .iter()
                .all(|p| *p <= MAX_PAUSE && *p >= MAX_PAUSE / 2)
        );
        assert!(pauses[10..].windows(2).any(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn pauses_start_over_only_after_progress() {
        let mut backoff = Backoff::new(Duration::from_secs(3600));
        while backoff.pause < MAX_PAUSE {
            backoff.next_pause().unwrap();
        }
        backoff.restart(Duration::from_secs(1), false);
        assert_eq!(
            (backoff.pause, backoff.total()),
            (MAX_PAUSE, Duration::from_secs(1))
        );
        backoff.restart(Duration::from_secs(1), true);
        assert_eq!(backoff.pause, MIN_PAUSE);
    }

    #[test]
    fn there_is_no_pause_after_the_deadline() {
        assert_eq!(Backoff::new(Duration::ZERO).next_pause(), None);
    }
}
