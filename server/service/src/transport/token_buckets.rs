//! How often something may happen.

use std::{
    collections::HashMap,
    hash::Hash,
    time::{Duration, Instant},
};

use crate::limits::Rate;
use parking_lot::Mutex;

/// Buckets that are kept without looking for full ones.
const KEPT_UNSWEPT: usize = 1_024;

/// One bucket of tokens for each `K`: an event takes a token, and tokens come back at a steady
/// rate up to the burst.
pub(crate) struct TokenBuckets<K> {
    rate: Rate,
    table: Mutex<Table<K>>,
}

struct Table<K> {
    /// When each bucket is full again; one that is full is as good as one that is not there.
    full_at: HashMap<K, Instant>,
    sweep_at: usize,
}

impl<K: Eq + Hash> TokenBuckets<K> {
    /// Buckets that are full.
    pub(crate) fn new(rate: Rate) -> Self {
        Self {
            rate,
            table: Mutex::new(Table {
                full_at: HashMap::new(),
                sweep_at: KEPT_UNSWEPT,
            }),
        }
    }

    /// The rate.
    pub(crate) fn rate(&self) -> Rate {
        self.rate
    }

    /// Takes a token, or tells how long it takes until there is one.
    pub(crate) fn take(&self, key: K, now: Instant) -> Result<(), Duration> {
        let token = Duration::from_secs(1) / self.rate.per_second.max(1);
        let mut table = self.table.lock();
        if table.full_at.len() >= table.sweep_at {
            table.full_at.retain(|_, full_at| *full_at > now);
            table.sweep_at = KEPT_UNSWEPT.max(2 * table.full_at.len());
        }
        let full_at = table.full_at.entry(key).or_insert(now);
        let after = token + full_at.saturating_duration_since(now);
        match after.checked_sub(token * self.rate.burst) {
            Some(wait) if !wait.is_zero() => Err(wait),
            _ => {
                *full_at = now + after;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        per_second: 10,
        burst: 3,
    };
    const TOKEN: Duration = Duration::from_millis(100);

    #[test]
    fn a_burst_is_let_through_and_then_the_steady_rate() {
        let buckets = TokenBuckets::new(RATE);
        let start = Instant::now();
        for _ in 0..3 {
            assert_eq!(buckets.take("a", start), Ok(()));
        }
        assert_eq!(buckets.take("a", start), Err(TOKEN));
        assert_eq!(buckets.take("b", start), Ok(()), "others are not concerned");
        assert_eq!(buckets.take("a", start + TOKEN / 2), Err(TOKEN / 2));
        assert_eq!(buckets.take("a", start + TOKEN), Ok(()));
        assert_eq!(buckets.take("a", start + TOKEN), Err(TOKEN));
        let rested = start + 100 * TOKEN;
        for _ in 0..3 {
            assert_eq!(buckets.take("a", rested), Ok(()));
        }
        assert_eq!(buckets.take("a", rested), Err(TOKEN));
    }

    #[test]
    fn full_buckets_are_forgotten() {
        let buckets = TokenBuckets::new(RATE);
        let start = Instant::now();
        for n in 0..10 * KEPT_UNSWEPT {
            let later = start + TOKEN * u32::try_from(n).unwrap_or(u32::MAX);
            assert_eq!(buckets.take(n, later), Ok(()));
        }
        let table = buckets.table.lock();
        assert!(table.full_at.len() <= KEPT_UNSWEPT);
    }
}
