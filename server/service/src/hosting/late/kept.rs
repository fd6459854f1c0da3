//! The matches that some see late.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_match::MatchId;
use bridgemaster_store::KeyName;
use parking_lot::Mutex;

use super::{
    LateMatch,
    places::{LatePlace, LatePlaces},
};
use crate::refusal::Refusal;

/// The matches that some see late, until nothing of them is late any more.
#[derive(Default)]
pub(in super::super) struct LateMatches {
    all: Mutex<HashMap<MatchId, Arc<LateMatch>>>,
    places: LatePlaces,
}

impl LateMatches {
    /// Takes a place among them for a match that `maker` makes.
    ///
    /// # Errors
    /// When there is none.
    pub(in super::super) fn place(&self, maker: Option<&KeyName>) -> Result<LatePlace, Refusal> {
        self.places.take(maker)
    }

    /// Takes a place among them for a match that was made before, which has one in any case.
    pub(super) fn place_beyond(&self, maker: Option<&KeyName>) -> LatePlace {
        self.places.take_beyond(maker)
    }

    pub(in super::super) fn get(&self, id: &MatchId) -> Option<Arc<LateMatch>> {
        self.all.lock().get(id).cloned()
    }

    /// Takes in a match, unless it is there: then the one that is there is given as an error.
    pub(super) fn add(&self, id: &MatchId, late: &Arc<LateMatch>) -> Result<(), Arc<LateMatch>> {
        let mut all = self.all.lock();
        if let Some(there) = all.get(id) {
            return Err(Arc::clone(there));
        }
        all.insert(id.clone(), Arc::clone(late));
        Ok(())
    }

    pub(in super::super) fn forget(&self, id: &MatchId) {
        let forgotten = self.all.lock().remove(id);
        // Dropped here, outside the lock.
        drop(forgotten);
    }
}
