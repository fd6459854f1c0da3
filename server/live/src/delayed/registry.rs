//! The cursors of a server's delayed matches, and the limits on their number.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use bridgemaster_edge::{
    limiter::{Limiter, Permit},
    limits::{MAX_DELAYED_MATCHES, MAX_DELAYED_MATCHES_PER_KEY},
    refusal::Refusal,
    transport::{KeyedLimiter, KeyedPermit},
};
use bridgemaster_match::MatchId;
use bridgemaster_store::KeyName;
use parking_lot::Mutex;

use super::VisibilityCursor;

/// The cursors of matches with a delay, each until its delay has ended.
pub(crate) struct DelayedMatches {
    cursors: Mutex<HashMap<MatchId, Arc<VisibilityCursor>>>,
    of_all: Arc<Limiter>,
    of_makers: Arc<KeyedLimiter<KeyName>>,
}

/// Permit for one delayed match, released when dropped.
pub(crate) struct DelayedMatchPermit {
    _of_all: Permit,
    _of_maker: Option<KeyedPermit<KeyName>>,
}

impl Default for DelayedMatches {
    fn default() -> Self {
        Self {
            cursors: Mutex::default(),
            of_all: Limiter::new(MAX_DELAYED_MATCHES),
            of_makers: KeyedLimiter::new("late_matches_per_key", MAX_DELAYED_MATCHES_PER_KEY),
        }
    }
}

impl DelayedMatches {
    /// Acquires a permit for a match that `maker` creates.
    ///
    /// # Errors
    /// Returns an error if the limit is reached, in total or for the maker.
    pub(crate) fn acquire(&self, maker: Option<&KeyName>) -> Result<DelayedMatchPermit, Refusal> {
        let full = || Refusal::server_limit("late_matches", MAX_DELAYED_MATCHES);
        Ok(DelayedMatchPermit {
            _of_all: self.of_all.try_acquire(1).ok_or_else(full)?,
            _of_maker: maker.map(|maker| self.of_makers.acquire(maker.clone())).transpose()?,
        })
    }

    /// Acquires a permit for an existing match, even beyond the limits.
    pub(crate) fn acquire_unlimited(&self, maker: Option<&KeyName>) -> DelayedMatchPermit {
        DelayedMatchPermit {
            _of_all: self.of_all.acquire_over_limit(1),
            _of_maker: maker.map(|maker| self.of_makers.acquire_over_limit(maker.clone())),
        }
    }

    pub(crate) fn get(&self, id: &MatchId) -> Option<Arc<VisibilityCursor>> {
        self.cursors.lock().get(id).cloned()
    }

    /// Adds a cursor. If the match already has a cursor, returns that cursor as the error.
    pub(crate) fn add(
        &self,
        id: &MatchId,
        cursor: &Arc<VisibilityCursor>,
    ) -> Result<(), Arc<VisibilityCursor>> {
        match self.cursors.lock().entry(id.clone()) {
            Entry::Occupied(existing) => Err(Arc::clone(existing.get())),
            Entry::Vacant(free) => {
                free.insert(Arc::clone(cursor));
                Ok(())
            }
        }
    }

    pub(crate) fn remove(&self, id: &MatchId) {
        let removed = self.cursors.lock().remove(id);
        // The cursor is dropped outside the lock.
        drop(removed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the limit that refuses another permit for this maker. Panics if there is none.
    fn limit_of(matches: &DelayedMatches, maker: Option<&KeyName>) -> String {
        let refused = matches.acquire(maker).err().expect("the limit is reached");
        refused.metadata_value("limit").unwrap().to_owned()
    }

    #[test]
    fn permits_are_limited_per_maker_and_in_total() {
        let matches = DelayedMatches::default();
        let names = (0..).map(|number| KeyName::new(format!("maker {number}")).unwrap());
        let makers: Vec<_> =
            names.take(MAX_DELAYED_MATCHES / MAX_DELAYED_MATCHES_PER_KEY).collect();
        let mut acquired = Vec::new();
        for maker in &makers {
            let permits = (0..MAX_DELAYED_MATCHES_PER_KEY).map(|_| matches.acquire(Some(maker)));
            acquired.push(permits.collect::<Result<Vec<_>, _>>().unwrap());
            if acquired.len() < makers.len() {
                assert_eq!(limit_of(&matches, Some(maker)), "late_matches_per_key");
            }
        }
        let other = KeyName::new("other").unwrap();
        assert_eq!(limit_of(&matches, Some(&other)), "late_matches");
        drop(acquired.pop());
        matches.acquire(Some(&other)).expect("permits are released");
    }

    #[test]
    fn existing_matches_exceed_the_limit_and_count_for_new_ones() {
        let matches = DelayedMatches::default();
        let existing: Vec<_> =
            (0..=MAX_DELAYED_MATCHES).map(|_| matches.acquire_unlimited(None)).collect();
        assert_eq!(limit_of(&matches, None), "late_matches");
        drop(existing);
        matches.acquire(None).expect("permits are released");
    }
}
