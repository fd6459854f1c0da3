//! Schedules retries of one transaction until its outcome is known.

use std::time::Duration;

use crate::limits::{POSTGRES_MAX_BACKOFF, POSTGRES_MIN_BACKOFF, POSTGRES_RETRY_TIMEOUT};

/// The retry state of one transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    started_at: Duration,
    delay: Duration,
    is_retry: bool,
}

impl Backoff {
    /// Creates the state before the first attempt. That attempt starts at `started_at`.
    #[must_use]
    pub fn new(started_at: Duration) -> Self {
        Self {
            started_at,
            delay: POSTGRES_MIN_BACKOFF,
            is_retry: false,
        }
    }

    /// Returns whether an earlier attempt might have been committed.
    #[must_use]
    pub fn is_retry(&self) -> bool {
        self.is_retry
    }

    /// Records a failed attempt. Returns the delay before the next attempt, or `None` once the
    /// retry timeout has expired. The outcome then stays unknown.
    pub fn record_failure(&mut self, now: Duration) -> Option<Duration> {
        if now.saturating_sub(self.started_at) >= POSTGRES_RETRY_TIMEOUT {
            return None;
        }
        self.is_retry = true;
        let delay = self.delay;
        self.delay = POSTGRES_MAX_BACKOFF.min(delay * 2);
        Some(delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_until_the_retry_timeout() {
        let started_at = Duration::from_secs(100);
        let mut backoff = Backoff::new(started_at);
        assert!(!backoff.is_retry());
        let mut now = started_at;
        let mut delays = Vec::new();
        while let Some(delay) = backoff.record_failure(now) {
            delays.push(delay);
            now += delay;
        }
        assert!(backoff.is_retry());
        assert_eq!(delays[0], POSTGRES_MIN_BACKOFF);
        assert_eq!(delays[1], 2 * POSTGRES_MIN_BACKOFF);
        assert_eq!(delays.last(), Some(&POSTGRES_MAX_BACKOFF));
        assert!(now - started_at >= POSTGRES_RETRY_TIMEOUT);
        assert!(now - started_at <= POSTGRES_RETRY_TIMEOUT + POSTGRES_MAX_BACKOFF);
    }
}
