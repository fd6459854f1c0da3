//! Limits the number of permits for each key `K`.

use std::{collections::HashMap, hash::Hash, sync::Arc};

use crate::refusal::Refusal;
use parking_lot::{Mutex, MutexGuard};

/// A limit that applies to each `K` separately. Entries without permits are removed.
pub(crate) struct KeyedLimiter<K> {
    limit: usize,
    /// The name of the limit in [`crate::Limits`].
    name: &'static str,
    used: Mutex<HashMap<K, usize>>,
}

/// A permit for one key, released on drop.
pub(crate) struct KeyedPermit<K: Eq + Hash> {
    limiter: Arc<KeyedLimiter<K>>,
    key: K,
}

impl<K: Clone + Eq + Hash> KeyedLimiter<K> {
    /// Creates a limiter that allows `limit` permits per key.
    pub(crate) fn new(name: &'static str, limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            name,
            used: Mutex::default(),
        })
    }

    /// Acquires a permit, or fails with the limit that is reached.
    pub(crate) fn acquire(self: &Arc<Self>, key: K) -> Result<KeyedPermit<K>, Refusal> {
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
    pub(crate) fn acquire_over_limit(self: &Arc<Self>, key: K) -> KeyedPermit<K> {
        *self.used().entry(key.clone()).or_default() += 1;
        self.permit(key)
    }

    fn permit(self: &Arc<Self>, key: K) -> KeyedPermit<K> {
        KeyedPermit {
            limiter: Arc::clone(self),
            key,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_limit_and_unused_keys_are_removed() {
        let limiter = KeyedLimiter::new("reads_per_key", 2);
        let held = [
            limiter.acquire("a").ok().unwrap(),
            limiter.acquire("a").ok().unwrap(),
        ];
        assert!(limiter.acquire("a").is_err());
        let other = limiter.acquire("b").ok().unwrap();
        let beyond = limiter.acquire_over_limit("a");
        drop(held);
        let second = limiter.acquire("a").ok().unwrap();
        assert!(
            limiter.acquire("a").is_err(),
            "permits beyond the limit count"
        );
        drop((beyond, second));
        assert!(limiter.acquire("a").is_ok());
        drop(other);
        assert!(limiter.used().is_empty());
    }
}
