//! Counts what is held at once against a limit: places, or bytes.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// How much of something is held, and how much may be.
#[derive(Debug)]
pub(crate) struct Tally {
    held: AtomicUsize,
    limit: usize,
}

/// A part that is held, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Taken {
    tally: Arc<Tally>,
    amount: usize,
}

impl Tally {
    /// Nothing is held yet.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            held: AtomicUsize::new(0),
            limit,
        })
    }

    /// Acquires this amount, if that much is left.
    pub(crate) fn try_acquire(self: &Arc<Self>, amount: usize) -> Option<Taken> {
        let with = |held: usize| held.checked_add(amount).filter(|sum| *sum <= self.limit);
        // Nothing else is read or written by the order of these counts.
        self.held
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, with)
            .ok()?;
        Some(Taken {
            tally: Arc::clone(self),
            amount,
        })
    }

    /// Acquires this amount even beyond the limit: for what replaces something
    /// that is about to be given back.
    pub(crate) fn acquire_beyond(self: &Arc<Self>, amount: usize) -> Taken {
        self.held.fetch_add(amount, Ordering::Relaxed);
        Taken {
            tally: Arc::clone(self),
            amount,
        }
    }

    /// How much may be held.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }
}

impl Taken {
    /// Acquires this much more, if that much is left.
    pub(crate) fn grow(&mut self, amount: usize) -> bool {
        let Some(mut more) = self.tally.try_acquire(amount) else {
            return false;
        };
        self.amount += std::mem::take(&mut more.amount);
        true
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.tally.held.fetch_sub(self.amount, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_taken_than_the_limit_and_all_of_it_comes_back() {
        let tally = Tally::new(10);
        let mut part = tally.try_acquire(4).unwrap();
        assert!(tally.try_acquire(7).is_none());
        assert!(tally.try_acquire(usize::MAX).is_none());
        assert!(part.grow(6));
        assert!(!part.grow(1));
        assert_eq!(tally.held(), 10);
        drop(part);
        assert_eq!(tally.held(), 0);
    }
}
