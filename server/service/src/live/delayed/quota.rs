//! Limits on the number of delayed matches, in total and per creator.

use std::sync::Arc;

use bridgemaster_store::KeyName;

use crate::{
    limiter::{Limiter, Permit},
    limits::{MAX_DELAYED_MATCHES, MAX_DELAYED_MATCHES_PER_KEY},
    refusal::Refusal,
    transport::{KeyedLimiter, KeyedPermit},
};

/// Limits on delayed matches, in total and per creating key.
pub(super) struct DelayedMatchQuota {
    of_all: Arc<Limiter>,
    of_makers: Arc<KeyedLimiter<KeyName>>,
}

/// Permit for one delayed match, released when dropped.
pub(in super::super) struct DelayedMatchPermit {
    _of_all: Permit,
    _of_maker: Option<KeyedPermit<KeyName>>,
}

impl Default for DelayedMatchQuota {
    fn default() -> Self {
        Self {
            of_all: Limiter::new(MAX_DELAYED_MATCHES),
            of_makers: KeyedLimiter::new("late_matches_per_key", MAX_DELAYED_MATCHES_PER_KEY),
        }
    }
}

impl DelayedMatchQuota {
    /// Acquires a permit for a match that `maker` creates.
    ///
    /// # Errors
    /// If the limit is reached, in total or for the maker.
    pub(super) fn acquire(&self, maker: Option<&KeyName>) -> Result<DelayedMatchPermit, Refusal> {
        let full = || Refusal::server_limit("late_matches", MAX_DELAYED_MATCHES);
        Ok(DelayedMatchPermit {
            _of_all: self.of_all.try_acquire(1).ok_or_else(full)?,
            _of_maker: maker
                .map(|maker| self.of_makers.acquire(maker.clone()))
                .transpose()?,
        })
    }

    /// Acquires a permit for an existing match, even beyond the limits.
    pub(super) fn acquire_unlimited(&self, maker: Option<&KeyName>) -> DelayedMatchPermit {
        DelayedMatchPermit {
            _of_all: self.of_all.acquire_over_limit(1),
            _of_maker: maker.map(|maker| self.of_makers.acquire_over_limit(maker.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the limit that refuses the maker another permit.
    fn limit_of(quota: &DelayedMatchQuota, maker: Option<&KeyName>) -> String {
        let refused = quota.acquire(maker).err().expect("the limit is reached");
        refused.metadata("limit").unwrap().to_owned()
    }

    #[test]
    fn permits_are_limited_per_maker_and_in_total() {
        let quota = DelayedMatchQuota::default();
        let names = (0..).map(|number| KeyName::new(format!("maker {number}")).unwrap());
        let makers: Vec<_> = names
            .take(MAX_DELAYED_MATCHES / MAX_DELAYED_MATCHES_PER_KEY)
            .collect();
        let mut acquired = Vec::new();
        for maker in &makers {
            let permits = (0..MAX_DELAYED_MATCHES_PER_KEY).map(|_| quota.acquire(Some(maker)));
            acquired.push(permits.collect::<Result<Vec<_>, _>>().unwrap());
            if acquired.len() < makers.len() {
                assert_eq!(limit_of(&quota, Some(maker)), "late_matches_per_key");
            }
        }
        let other = KeyName::new("other").unwrap();
        assert_eq!(limit_of(&quota, Some(&other)), "late_matches");
        drop(acquired.pop());
        quota.acquire(Some(&other)).expect("permits are released");
    }

    #[test]
    fn existing_matches_exceed_the_limit_and_count_for_new_ones() {
        let quota = DelayedMatchQuota::default();
        let existing: Vec<_> = (0..=MAX_DELAYED_MATCHES)
            .map(|_| quota.acquire_unlimited(None))
            .collect();
        assert_eq!(limit_of(&quota, None), "late_matches");
        drop(existing);
        quota.acquire(None).expect("permits are released");
    }
}
