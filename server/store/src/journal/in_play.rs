//! In-memory state of the matches in play, used to check and plan commits.

use std::collections::HashMap;

use super::{batch_numbers::BatchNumbers, sweep::Sweep};
use crate::{DamageReport, MatchId};

/// The journal state of a match in play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JournalState {
    /// Internal key of the match in the journal.
    pub(crate) match_key: i64,
    pub(crate) opened_at_unix_ms: i64,
    /// The number of entries in the match's journal.
    pub(crate) entries: u64,
    /// Number of the batch with the last entry.
    pub(crate) last_batch: Option<i64>,
}

pub(crate) struct MatchInPlay {
    pub(crate) state: JournalState,
    /// The batches that contain the match's entries.
    pub(crate) batches: BatchNumbers,
    /// The damage, if the match cannot be read. Such a match can only be dropped.
    pub(crate) damage: Option<Box<DamageReport>>,
    /// The journal, as read when the store was opened. All journals are read in one pass, since a
    /// batch has entries of many matches. The value is removed when the match is first read or
    /// changed.
    pub(crate) cached_journal: Option<Vec<Vec<u8>>>,
    /// The match header, cached by stores that read single headers slowly.
    pub(crate) cached_header: Option<Vec<u8>>,
}

/// All matches in play, exactly as stored. The matches are updated after each commit, and no other
/// process changes them.
#[derive(Default)]
pub(crate) struct MatchesInPlay {
    pub(crate) by_id: HashMap<MatchId, MatchInPlay>,
    /// The largest match key assigned so far; keys start at 1.
    pub(crate) last_match_key: i64,
    /// The number of released matches. The batches of released matches are needed until other nodes
    /// have taken over the matches.
    pub(crate) released: usize,
}

/// The effect of a commit on a match in play.
#[derive(Debug)]
pub(crate) struct MatchChange {
    pub(crate) state: JournalState,
    /// Index of the part with the match's entries in the batch, if there is one.
    pub(crate) part: Option<usize>,
}

/// The changes of a commit: `None` for a match that is no longer in play.
pub(crate) type MatchChanges = HashMap<MatchId, Option<MatchChange>>;

impl MatchesInPlay {
    pub(crate) fn get(&self, id: &MatchId) -> Option<&MatchInPlay> {
        self.by_id.get(id)
    }

    /// Returns the ids, in the order in which the matches were opened.
    pub(crate) fn ids(&self) -> Vec<MatchId> {
        let mut matches: Vec<_> = self.by_id.iter().collect();
        matches.sort_unstable_by_key(|(_, in_play)| in_play.state.match_key);
        matches.into_iter().map(|(id, _)| id.clone()).collect()
    }

    /// Returns the number of matches after the changes, including released matches.
    pub(crate) fn count_after(&self, changes: &MatchChanges) -> usize {
        let was = changes
            .keys()
            .filter(|id| self.by_id.contains_key(*id))
            .count();
        let is = changes.values().flatten().count();
        self.released + self.by_id.len() - was + is
    }

    /// Removes a readable match from play without removing its batches.
    pub(crate) fn release(&mut self, id: &MatchId) {
        let released = self.by_id.remove_entry(id);
        match released {
            Some((id, damaged)) if damaged.damage.is_some() => {
                self.by_id.insert(id, damaged);
            }
            Some(_) => self.released += 1,
            None => {}
        }
    }

    /// Applies the changes that were committed as batch `number`.
    pub(crate) fn apply(&mut self, changes: MatchChanges, number: i64, sweep: &mut Sweep) {
        for (id, change) in changes {
            let Some(MatchChange { mut state, part }) = change else {
                self.remove(&id, sweep);
                continue;
            };
            if part.is_some() {
                state.last_batch = Some(number);
                sweep.add_reference(number);
            }
            let is_same = |in_play: &&mut MatchInPlay| in_play.state.match_key == state.match_key;
            if let Some(in_play) = self.by_id.get_mut(&id).filter(is_same) {
                in_play.state = state;
                in_play.cached_journal = None;
                in_play.cached_header = None;
                if part.is_some() {
                    in_play.batches.push(number);
                }
                continue;
            }
            self.remove(&id, sweep);
            let mut batches = BatchNumbers::default();
            if part.is_some() {
                batches.push(number);
            }
            let in_play = MatchInPlay {
                state,
                batches,
                damage: None,
                cached_journal: None,
                cached_header: None,
            };
            self.by_id.insert(id, in_play);
        }
    }

    /// Adds a match that was taken over from another node. The match's whole journal is in the last
    /// batch.
    pub(crate) fn add_taken_over(&mut self, id: MatchId, state: JournalState, sweep: &mut Sweep) {
        let mut batches = BatchNumbers::default();
        if let Some(number) = state.last_batch {
            batches.push(number);
            sweep.add_reference(number);
        }
        let in_play = MatchInPlay {
            state,
            batches,
            damage: None,
            cached_journal: None,
            cached_header: None,
        };
        self.by_id.insert(id, in_play);
    }

    fn remove(&mut self, id: &MatchId, sweep: &mut Sweep) {
        if let Some(left) = self.by_id.remove(id) {
            for number in left.batches.iter() {
                sweep.remove_reference(number);
            }
        }
    }
}
