//! The set of a server's delayed views, and the limits on their number.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_match::MatchId;
use bridgemaster_store::KeyName;
use parking_lot::Mutex;

use super::{
    DelayedMatch,
    quota::{DelayedMatchPermit, DelayedMatchQuota},
};
use crate::refusal::Refusal;

/// The delayed views, each until its delay has ended.
#[derive(Default)]
pub(in super::super) struct DelayedMatches {
    all: Mutex<HashMap<MatchId, Arc<DelayedMatch>>>,
    quota: DelayedMatchQuota,
}

impl DelayedMatches {
    /// Acquires a permit for a match that `maker` creates.
    ///
    /// # Errors
    /// If the limit is reached.
    pub(in super::super) fn acquire(
        &self,
        maker: Option<&KeyName>,
    ) -> Result<DelayedMatchPermit, Refusal> {
        self.quota.acquire(maker)
    }

    /// Acquires a permit for an existing match, even beyond the limits.
    pub(super) fn acquire_unlimited(&self, maker: Option<&KeyName>) -> DelayedMatchPermit {
        self.quota.acquire_unlimited(maker)
    }

    pub(in super::super) fn get(&self, id: &MatchId) -> Option<Arc<DelayedMatch>> {
        self.all.lock().get(id).cloned()
    }

    /// Adds a delayed view. If the match already has one, returns the existing view as the error.
    pub(super) fn add(
        &self,
        id: &MatchId,
        delayed: &Arc<DelayedMatch>,
    ) -> Result<(), Arc<DelayedMatch>> {
        let mut all = self.all.lock();
        if let Some(existing) = all.get(id) {
            return Err(Arc::clone(existing));
        }
        all.insert(id.clone(), Arc::clone(delayed));
        Ok(())
    }

    pub(in super::super) fn remove(&self, id: &MatchId) {
        let forgotten = self.all.lock().remove(id);
        // The view is dropped outside the lock.
        drop(forgotten);
    }
}
