//! The tries of one transaction, until its outcome is known.

use std::time::Duration;

use crate::limits::{POSTGRES_FIRST_PAUSE, POSTGRES_LONGEST_PAUSE, POSTGRES_PATIENCE};

/// The tries of one transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tries {
    begun: Duration,
    pause: Duration,
    is_again: bool,
}

impl Tries {
    /// Before the first try.
    #[must_use]
    pub fn new(begun: Duration) -> Self {
        Self {
            begun,
            pause: POSTGRES_FIRST_PAUSE,
            is_again: false,
        }
    }

    /// Whether an earlier try may have been committed.
    #[must_use]
    pub fn is_again(&self) -> bool {
        self.is_again
    }

    /// A try has failed now, and another one may succeed. The pause before that; `None` if it is given
    /// up: then whether it was committed is not known.
    pub fn failed(&mut self, now: Duration) -> Option<Duration> {
        if now.saturating_sub(self.begun) >= POSTGRES_PATIENCE {
            return None;
        }
        self.is_again = true;
        let pause = self.pause;
        self.pause = POSTGRES_LONGEST_PAUSE.min(pause * 2);
        Some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_patience_is_over() {
        let begun = Duration::from_secs(100);
        let mut tries = Tries::new(begun);
        assert!(!tries.is_again());
        let mut now = begun;
        let mut pauses = Vec::new();
        while let Some(pause) = tries.failed(now) {
            pauses.push(pause);
            now += pause;
        }
        assert!(tries.is_again());
        assert_eq!(pauses[0], POSTGRES_FIRST_PAUSE);
        assert_eq!(pauses[1], 2 * POSTGRES_FIRST_PAUSE);
        assert_eq!(pauses.last(), Some(&POSTGRES_LONGEST_PAUSE));
        assert!(now - begun >= POSTGRES_PATIENCE);
        assert!(now - begun <= POSTGRES_PATIENCE + POSTGRES_LONGEST_PAUSE);
    }
}
