//! Pauses between attempts to connect.

use std::time::{Duration, Instant};

/// First pause: a server that restarts a stream is back at once.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Longest pause: what a bot loses at most of its clock when the server comes back.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Pauses that double, with jitter so that the bots of a lost server do not return all at once,
/// until a span of time is over.
#[derive(Debug)]
pub(crate) struct Backoff {
    span: Duration,
    ends: Instant,
    pause: Duration,
}

impl Backoff {
    /// Starts a span now.
    pub(crate) fn new(span: Duration) -> Self {
        Self {
            span,
            ends: Instant::now() + span,
            pause: FIRST_PAUSE,
        }
    }

    /// Starts another span now. The pauses begin anew only when the last connection `progressed`:
    /// a server that welcomes a bot and drops it at once is not hammered.
    pub(crate) fn restart(&mut self, span: Duration, progressed: bool) {
        let pause = if progressed { FIRST_PAUSE } else { self.pause };
        *self = Self {
            pause,
            ..Self::new(span)
        };
    }

    /// The whole span.
    pub(crate) fn span(&self) -> Duration {
        self.span
    }

    /// The next pause, between half and all of its length; `None` when the span is over.
    pub(crate) fn next_pause(&mut self) -> Option<Duration> {
        let left = self.ends.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        let pause = self.pause.mul_f64(rand::random_range(0.5..=1.0));
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
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
        assert!(pauses[0] <= FIRST_PAUSE && pauses[0] >= FIRST_PAUSE / 2);
        assert!(
            pauses[10..]
                .iter()
                .all(|p| *p <= LONGEST_PAUSE && *p >= LONGEST_PAUSE / 2)
        );
        assert!(pauses[10..].windows(2).any(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn pauses_begin_anew_only_after_progress() {
        let mut backoff = Backoff::new(Duration::from_secs(3600));
        while backoff.pause < LONGEST_PAUSE {
            backoff.next_pause().unwrap();
        }
        backoff.restart(Duration::from_secs(1), false);
        assert_eq!(
            (backoff.pause, backoff.span()),
            (LONGEST_PAUSE, Duration::from_secs(1))
        );
        backoff.restart(Duration::from_secs(1), true);
        assert_eq!(backoff.pause, FIRST_PAUSE);
    }

    #[test]
    fn a_span_that_is_over_has_no_pause() {
        assert_eq!(Backoff::new(Duration::ZERO).next_pause(), None);
    }
}
