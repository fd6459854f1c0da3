//! A ladder's matches that were created and have not ended. These matches have a separate lock, so
//! that recording the end of a match need not wait for the ladder's lock.

use std::collections::{HashMap, HashSet};

use bridgemaster_match::MatchId;
use tokio::sync::oneshot;

use crate::refusal::Refusal;

/// Notifies the caller that requested a match.
type Requester = oneshot::Sender<Result<MatchId, Refusal>>;

/// A ladder's matches that were created and whose ends are not applied yet.
#[derive(Default)]
pub(super) struct InPlay {
    numbers: HashMap<MatchId, u64>,
    /// Matches that have ended.
    ended: HashSet<MatchId>,
    /// The callers that wait for requested matches to be created, by number.
    requesters: HashMap<u64, Requester>,
}

impl InPlay {
    /// Adds a caller that waits for a match to be created.
    pub(super) fn add_requester(&mut self, number: u64, requester: Requester) {
        self.requesters.insert(number, requester);
    }

    /// Records that a match was created, and notifies its requester.
    pub(super) fn mark_created(&mut self, number: u64, id: &MatchId) {
        self.numbers.insert(id.clone(), number);
        if let Some(requester) = self.requesters.remove(&number) {
            // The requester might have been dropped.
            let _ = requester.send(Ok(id.clone()));
        }
    }

    /// Notifies the requester that its match cannot be created.
    pub(super) fn mark_failed(&mut self, number: u64, why: Refusal) {
        if let Some(requester) = self.requesters.remove(&number) {
            let _ = requester.send(Err(why));
        }
    }

    /// Records that a match has ended. Returns whether the match belongs to the ladder.
    pub(super) fn mark_ended(&mut self, id: &MatchId) -> bool {
        let is_own = self.numbers.contains_key(id);
        if is_own {
            self.ended.insert(id.clone());
        }
        is_own
    }

    /// Removes and returns the matches that have ended since the last call, ordered by match
    /// number.
    pub(super) fn take_ended(&mut self) -> Vec<(u64, MatchId)> {
        let ended = std::mem::take(&mut self.ended).into_iter();
        let numbered = ended.filter_map(|id| Some((*self.numbers.get(&id)?, id)));
        let mut numbered: Vec<_> = numbered.collect();
        numbered.sort_unstable_by_key(|(number, _)| *number);
        numbered
    }

    /// Removes a match whose end is applied.
    pub(super) fn remove(&mut self, number: u64, id: Option<&MatchId>) {
        self.requesters.remove(&number);
        if let Some(id) = id {
            self.numbers.remove(id);
            self.ended.remove(id);
        }
    }
}
