//! The matches of a ladder that are made and not over, apart from what else is known of it: whoever
//! ends a match must not wait until ratings are fitted.

use std::collections::{HashMap, HashSet};

use bridgemaster_match::MatchId;
use tokio::sync::oneshot;

use crate::refusal::Refusal;

/// Tells whoever asked for a match that it is made.
type Asker = oneshot::Sender<Result<MatchId, Refusal>>;

/// The matches of a ladder that are made and not taken in as over.
#[derive(Default)]
pub(super) struct InPlay {
    numbers: HashMap<MatchId, u64>,
    /// Those that have ended.
    ended: HashSet<MatchId>,
    /// Who waits for matches that are not made yet.
    asked: HashMap<u64, Asker>,
}

impl InPlay {
    /// Somebody asks for a match, and is told when it is made.
    pub(super) fn is_asked_for(&mut self, number: u64, asker: Asker) {
        self.asked.insert(number, asker);
    }

    pub(super) fn is_made(&mut self, number: u64, id: &MatchId) {
        self.numbers.insert(id.clone(), number);
        if let Some(asker) = self.asked.remove(&number) {
            // Whoever asked may be gone.
            let _ = asker.send(Ok(id.clone()));
        }
    }

    /// A match cannot be made.
    pub(super) fn is_not_made(&mut self, number: u64, why: Refusal) {
        if let Some(asker) = self.asked.remove(&number) {
            let _ = asker.send(Err(why));
        }
    }

    /// A match has ended; whether it is one of these.
    pub(super) fn over(&mut self, id: &MatchId) -> bool {
        let is_own = self.numbers.contains_key(id);
        if is_own {
            self.ended.insert(id.clone());
        }
        is_own
    }

    /// The matches that have ended since this was asked last, with their numbers.
    pub(super) fn take_ended(&mut self) -> Vec<(u64, MatchId)> {
        let ended = std::mem::take(&mut self.ended).into_iter();
        let numbered = ended.filter_map(|id| Some((*self.numbers.get(&id)?, id)));
        let mut numbered: Vec<_> = numbered.collect();
        numbered.sort_unstable_by_key(|(number, _)| *number);
        numbered
    }

    /// A match is taken in as over.
    pub(super) fn forget(&mut self, number: u64, id: Option<&MatchId>) {
        self.asked.remove(&number);
        if let Some(id) = id {
            self.numbers.remove(id);
            self.ended.remove(id);
        }
    }
}
