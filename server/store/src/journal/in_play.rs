//! In-memory state of the matches in play, used to check and plan commits.

use std::collections::{HashMap, HashSet};

use super::sweep::Sweep;
use crate::{DamageReport, MatchId, OpenMatch, batch::MatchStatus};

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

impl MatchInPlay {
    /// Moves the match out of the caches, if all of it is cached.
    pub(crate) fn take_cached(&mut self, id: &MatchId) -> Option<OpenMatch> {
        let journal = self
            .cached_journal
            .take_if(|_| self.cached_header.is_some())?;
        Some(OpenMatch {
            match_id: id.clone(),
            opened_at_unix_ms: self.state.opened_at_unix_ms,
            header: self.cached_header.take()?,
            journal,
        })
    }
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

    /// Returns the state of a match id, given the ids of finished matches.
    pub(crate) fn status(&self, id: &MatchId, finished: &HashSet<MatchId>) -> MatchStatus {
        match self.get(id) {
            Some(in_play) if in_play.damage.is_some() => MatchStatus::Damaged,
            Some(in_play) => MatchStatus::InPlay {
                entries: in_play.state.entries,
            },
            None if finished.contains(id) => MatchStatus::Finished,
            None => MatchStatus::Unknown,
        }
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

/// Batch numbers in ascending order, at about two bytes each. A match's list has all batches that
/// contain the match's entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BatchNumbers {
    /// The difference between each number and the preceding one, as a little-endian base-128
    /// varint.
    distances: Vec<u8>,
    last: i64,
}

impl BatchNumbers {
    /// Appends a number, which must be larger than the last number.
    pub(crate) fn push(&mut self, number: i64) {
        let mut distance = number.abs_diff(self.last);
        self.last = number;
        while distance >= 0x80 {
            self.distances.push(distance as u8 | 0x80);
            distance >>= 7;
        }
        self.distances.push(distance as u8);
    }

    pub(crate) fn last(&self) -> Option<i64> {
        (!self.distances.is_empty()).then_some(self.last)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = i64> {
        let mut bytes = self.distances.iter();
        let mut number = 0;
        std::iter::from_fn(move || {
            let mut distance = 0;
            for shift in (0..).step_by(7) {
                let byte = bytes.next()?;
                distance |= u64::from(byte & 0x7f) << shift;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            number += distance.cast_signed();
            Some(number)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_order() {
        let numbers = [1, 2, 129, 130, 16_384, 1 << 40, i64::MAX];
        let mut list = BatchNumbers::default();
        assert_eq!((list.last(), list.iter().count()), (None, 0));
        for (place, number) in numbers.iter().enumerate() {
            list.push(*number);
            assert_eq!(list.last(), Some(*number));
            assert_eq!(list.iter().collect::<Vec<_>>(), numbers[..=place]);
        }
    }
}
