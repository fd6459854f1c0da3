//! Concurrency limits: how many of something each caller may have at once.

use std::{collections::HashMap, hash::Hash, sync::Arc};

use crate::refusal::Refusal;
use parking_lot::{Mutex, MutexGuard};

/// A count for each `K`, with one limit for all. Nothing is kept of those that have none.
pub(crate) struct Shares<K> {
    limit: usize,
    /// The limit's name in [`crate::Limits`].
    name: &'static str,
    taken: Mutex<HashMap<K, usize>>,
}

/// One that was acquired, released when it is dropped.
pub(crate) struct Share<K: Eq + Hash> {
    shares: Arc<Shares<K>>,
    of: K,
}

impl<K: Clone + Eq + Hash> Shares<K> {
    /// Nothing is taken; each may have `limit`.
    pub(crate) fn new(name: &'static str, limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            name,
            taken: Mutex::default(),
        })
    }

    /// Acquires one, or fails with the limit that is reached.
    pub(crate) fn acquire(self: &Arc<Self>, of: K) -> Result<Share<K>, Refusal> {
        let mut taken = self.taken();
        let count = taken.get(&of).copied().unwrap_or_default();
        if count >= self.limit {
            return Err(Refusal::limit(self.name, self.limit));
        }
        taken.insert(of.clone(), count + 1);
        drop(taken);
        Ok(self.share(of))
    }

    /// Acquires one even beyond the limit: for what is there already.
    pub(crate) fn acquire_beyond(self: &Arc<Self>, of: K) -> Share<K> {
        *self.taken().entry(of.clone()).or_default() += 1;
        self.share(of)
    }

    fn share(self: &Arc<Self>, of: K) -> Share<K> {
        Share {
            shares: Arc::clone(self),
            of,
        }
    }
}

impl<K> Shares<K> {
    fn taken(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.taken.lock()
    }
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let mut taken = self.shares.taken();
        if let Some(count) = taken.get_mut(&self.of) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                taken.remove(&self.of);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_own_limit_and_nothing_stays_of_one_that_gave_all_back() {
        let shares = Shares::new("reads_per_key", 2);
        let held = [
            shares.acquire("a").ok().unwrap(),
            shares.acquire("a").ok().unwrap(),
        ];
        assert!(shares.acquire("a").is_err());
        let other = shares.acquire("b").ok().unwrap();
        let beyond = shares.acquire_beyond("a");
        drop(held);
        let second = shares.acquire("a").ok().unwrap();
        assert!(shares.acquire("a").is_err(), "what is beyond counts");
        drop((beyond, second));
        assert!(shares.acquire("a").is_ok());
        drop(other);
        assert!(shares.taken().is_empty());
    }
}
