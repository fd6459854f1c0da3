//! A counting limiter, for example of concurrent calls or of buffered bytes.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// A limit on an amount that is in use at the same time. Unlike a semaphore, it does not wait.
#[derive(Debug)]
pub struct Limiter {
    used: AtomicUsize,
    limit: usize,
}

/// An acquired amount, released on drop.
#[derive(Debug)]
pub struct Permit {
    limiter: Arc<Limiter>,
    amount: usize,
}

impl Limiter {
    /// Creates a limiter with nothing in use.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { used: AtomicUsize::new(0), limit })
    }

    /// Acquires `amount`; `None` if less is available.
    pub fn try_acquire(self: &Arc<Self>, amount: usize) -> Option<Permit> {
        let with = |used: usize| used.checked_add(amount).filter(|sum| *sum <= self.limit);
        // A relaxed load suffices, since no other memory depends on the count.
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, with).ok()?;
        Some(Permit { limiter: Arc::clone(self), amount })
    }

    /// Acquires `amount` even beyond the limit, in place of an amount that is about to be released.
    pub fn acquire_over_limit(self: &Arc<Self>, amount: usize) -> Permit {
        self.used.fetch_add(amount, Ordering::Relaxed);
        Permit { limiter: Arc::clone(self), amount }
    }

    /// Returns the maximum amount in use.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the amount in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

impl Permit {
    /// Acquires `amount` more. Returns `false` if less is available.
    pub fn grow(&mut self, amount: usize) -> bool {
        let Some(mut more) = self.limiter.try_acquire(amount) else {
            return false;
        };
        self.amount += std::mem::take(&mut more.amount);
        true
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.limiter.used.fetch_sub(self.amount, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permits_never_exceed_the_limit_and_are_released_on_drop() {
        let limiter = Limiter::new(10);
        let mut permit = limiter.try_acquire(4).unwrap();
        assert!(limiter.try_acquire(7).is_none());
        assert!(limiter.try_acquire(usize::MAX).is_none());
        assert!(permit.grow(6));
        assert!(!permit.grow(1));
        assert_eq!(limiter.used(), 10);
        drop(permit);
        assert_eq!(limiter.used(), 0);
    }
}
