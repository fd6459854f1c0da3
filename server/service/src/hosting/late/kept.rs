//! The matches that some see late.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_match::MatchId;
use parking_lot::Mutex;

use super::LateMatch;

/// The matches that some see late, until nothing of them is late any more.
#[derive(Default)]
pub(in super::super) struct LateMatches(Mutex<HashMap<MatchId, Arc<LateMatch>>>);

impl LateMatches {
    pub(super) fn get(&self, id: &MatchId) -> Option<Arc<LateMatch>> {
        self.0.lock().get(id).cloned()
    }

    /// Takes in a match, unless it is there: then the one that is there is given as an error.
    pub(super) fn add(&self, id: &MatchId, late: &Arc<LateMatch>) -> Result<(), Arc<LateMatch>> {
        let mut all = self.0.lock();
        if let Some(there) = all.get(id) {
            return Err(Arc::clone(there));
        }
        all.insert(id.clone(), Arc::clone(late));
        Ok(())
    }

    /// How many they are.
    pub(in super::super) fn count(&self) -> usize {
        self.0.lock().len()
    }

    pub(super) fn forget(&self, id: &MatchId) {
        let forgotten = self.0.lock().remove(id);
        // Dropped here, outside the lock.
        drop(forgotten);
    }
}
