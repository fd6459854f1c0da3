//! Limits for each key `K`: a number of concurrent permits, or a rate of calls.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};

use crate::{limits::Rate, refusal::Refusal};

/// A limit that applies to each `K` separately. Entries without permits are removed.
pub struct KeyedLimiter<K> {
    limit: usize,
    /// The name of the limit in [`crate::limits::Limits`].
    name: &'static str,
    used: Mutex<HashMap<K, usize>>,
}

/// A permit for one key, released on drop.
pub struct KeyedPermit<K: Eq + Hash> {
    limiter: Arc<KeyedLimiter<K>>,
    key: K,
}

impl<K: Clone + Eq + Hash> KeyedLimiter<K> {
    /// Creates a limiter that allows `limit` permits per key.
    pub fn new(name: &'static str, limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, name, used: Mutex::default() })
    }

    /// Acquires a permit.
    ///
    /// # Errors
    /// Returns the limit if it is reached.
    pub fn acquire(self: &Arc<Self>, key: K) -> Result<KeyedPermit<K>, Refusal> {
        let mut used = self.used();
        let count = used.get(&key).copied().unwrap_or_default();
        if count >= self.limit {
            return Err(Refusal::limit(self.name, self.limit));
        }
        used.insert(key.clone(), count + 1);
        drop(used);
        Ok(self.permit(key))
    }

    /// Acquires a permit even beyond the limit, for an existing resource that must be counted.
    pub fn acquire_over_limit(self: &Arc<Self>, key: K) -> KeyedPermit<K> {
        *self.used().entry(key.clone()).or_default() += 1;
        self.permit(key)
    }

    fn permit(self: &Arc<Self>, key: K) -> KeyedPermit<K> {
        KeyedPermit { limiter: Arc::clone(self), key }
    }
}

impl<K> KeyedLimiter<K> {
    fn used(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.used.lock()
    }
}

impl<K: Eq + Hash> Drop for KeyedPermit<K> {
    fn drop(&mut self) {
        let mut used = self.limiter.used();
        if let Some(count) = used.get_mut(&self.key) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                used.remove(&self.key);
            }
        }
    }
}

/// The number of buckets below which full buckets are not swept.
const MIN_SWEEP_SIZE: usize = 1_024;

/// A token bucket for each `K`: an event costs a token, and tokens refill at a steady rate up to
/// the burst.
pub struct TokenBuckets<K> {
    rate: Rate,
    buckets: Mutex<Buckets<K>>,
}

struct Buckets<K> {
    /// The time at which each bucket is full again. Full buckets have no entry.
    full_at: HashMap<K, Instant>,
    sweep_at: usize,
}

impl<K: Eq + Hash> TokenBuckets<K> {
    /// Creates a set of buckets, all of them full.
    pub fn new(rate: Rate) -> Self {
        Self {
            rate,
            buckets: Mutex::new(Buckets { full_at: HashMap::new(), sweep_at: MIN_SWEEP_SIZE }),
        }
    }

    /// Returns the rate limit of each key.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Debits a token, or returns the time until one is available.
    pub fn debit(&self, key: K, now: Instant) -> Result<(), Duration> {
        let token = Duration::from_secs(1) / self.rate.per_second.max(1);
        let mut buckets = self.buckets.lock();
        buckets.sweep(now);
        let full_at = buckets.full_at.entry(key).or_insert(now);
        let after = token + full_at.saturating_duration_since(now);
        match after.checked_sub(token * self.rate.burst) {
            Some(wait) if !wait.is_zero() => Err(wait),
            _ => {
                *full_at = now + after;
                Ok(())
            }
        }
    }

    /// Debits tokens for work that is already done, even if the bucket does not have enough.
    pub fn charge(&self, key: K, tokens: f64, now: Instant) {
        let cost = Duration::from_secs(1).mul_f64(tokens.max(0.0)) / self.rate.per_second.max(1);
        let mut buckets = self.buckets.lock();
        buckets.sweep(now);
        let full_at = buckets.full_at.entry(key).or_insert(now);
        *full_at = now.max(*full_at) + cost;
    }

    /// Returns the time until the bucket is no longer overdrawn; `None` if it is not overdrawn.
    pub fn overdrawn(&self, key: &K, now: Instant) -> Option<Duration> {
        let token = Duration::from_secs(1) / self.rate.per_second.max(1);
        let buckets = self.buckets.lock();
        let missing = buckets.full_at.get(key)?.saturating_duration_since(now);
        let wait = missing.checked_sub(token * self.rate.burst)?;
        Some(wait).filter(|wait| !wait.is_zero())
    }
}

impl<K: Eq + Hash> Buckets<K> {
    /// Removes full buckets, once there are many.
    fn sweep(&mut self, now: Instant) {
        if self.full_at.len() >= self.sweep_at {
            self.full_at.retain(|_, full_at| *full_at > now);
            self.sweep_at = MIN_SWEEP_SIZE.max(2 * self.full_at.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_limit_and_unused_keys_are_removed() {
        let limiter = KeyedLimiter::new("reads_per_key", 2);
        let held = [limiter.acquire("a").ok().unwrap(), limiter.acquire("a").ok().unwrap()];
        assert!(limiter.acquire("a").is_err());
        let other = limiter.acquire("b").ok().unwrap();
        let beyond = limiter.acquire_over_limit("a");
        drop(held);
        let second = limiter.acquire("a").ok().unwrap();
        assert!(limiter.acquire("a").is_err(), "permits beyond the limit count");
        drop((beyond, second));
        assert!(limiter.acquire("a").is_ok());
        drop(other);
        assert!(limiter.used().is_empty());
    }

    const RATE: Rate = Rate { per_second: 10, burst: 3 };
    const TOKEN: Duration = Duration::from_millis(100);

    #[test]
    fn a_burst_is_let_through_and_then_the_steady_rate() {
        let buckets = TokenBuckets::new(RATE);
        let start = Instant::now();
        for _ in 0..3 {
            assert_eq!(buckets.debit("a", start), Ok(()));
        }
        assert_eq!(buckets.debit("a", start), Err(TOKEN));
        assert_eq!(buckets.debit("b", start), Ok(()), "other keys are not affected");
        assert_eq!(buckets.debit("a", start + TOKEN / 2), Err(TOKEN / 2));
        assert_eq!(buckets.debit("a", start + TOKEN), Ok(()));
        assert_eq!(buckets.debit("a", start + TOKEN), Err(TOKEN));
        let rested = start + 100 * TOKEN;
        for _ in 0..3 {
            assert_eq!(buckets.debit("a", rested), Ok(()));
        }
        assert_eq!(buckets.debit("a", rested), Err(TOKEN));
    }

    #[test]
    fn charges_beyond_the_burst_have_to_be_waited_for() {
        let buckets = TokenBuckets::new(RATE);
        let start = Instant::now();
        assert_eq!(buckets.overdrawn(&"a", start), None);
        buckets.charge("a", 3.0, start);
        assert_eq!(buckets.overdrawn(&"a", start), None);
        buckets.charge("a", 2.5, start);
        assert_eq!(buckets.overdrawn(&"a", start), Some(TOKEN * 5 / 2));
        assert_eq!(buckets.overdrawn(&"a", start + TOKEN * 5 / 2), None);
        assert_eq!(buckets.overdrawn(&"b", start), None);
    }

    #[test]
    fn full_buckets_are_forgotten() {
        let buckets = TokenBuckets::new(RATE);
        let start = Instant::now();
        for n in 0..10 * MIN_SWEEP_SIZE {
            let later = start + TOKEN * u32::try_from(n).unwrap_or(u32::MAX);
            assert_eq!(buckets.debit(n, later), Ok(()));
        }
        let buckets = buckets.buckets.lock();
        assert!(buckets.full_at.len() <= MIN_SWEEP_SIZE);
    }
}
