//! The journal of the matches in play, independent of the database: their state in memory, by which
//! commits are checked and planned, and the batches that they need. `plan` plans the rows of a
//! commit, and `reader` restores matches. The encoding of a batch is in
//! [`journal_batch`](crate::journal_batch).
//!
//! A batch is kept as long as it contains entries of a match in play. In the worst case, each entry
//! of such a match is in a separate batch of maximum size. Usually, matches that start together
//! also end together, and the journal is about twice as large as necessary.
//!
//! Batches are deleted in groups, because adjacent batches share a page. The size of a group is
//! limited, because deleting all batches of a long match at once would delay the commit.

pub(crate) mod plan;
pub(crate) mod reader;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use prost::encoding::{decode_varint, encode_varint};

use crate::{DamageReport, MatchId, OpenMatch};

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
    /// The match as it was read when the store was opened. All journals are read in one pass,
    /// because a batch contains entries of many matches. The value is removed at the first read of
    /// or change to the match.
    pub(crate) cached: Option<Box<OpenMatch>>,
}

impl MatchInPlay {
    /// Creates a match with nothing cached. All of its entries are in the last batch.
    pub(super) fn new(state: JournalState) -> Self {
        let mut batches = BatchNumbers::default();
        if let Some(number) = state.last_batch {
            batches.push(number);
        }
        Self { state, batches, damage: None, cached: None }
    }
}

/// All matches in play, exactly as stored. They are updated after each commit, and no other process
/// changes them.
#[derive(Default)]
pub(crate) struct MatchesInPlay {
    pub(crate) by_id: HashMap<MatchId, MatchInPlay>,
    /// The largest match key assigned so far; keys start at 1.
    pub(crate) last_match_key: i64,
    /// Reference counts of the journal's batches.
    pub(crate) sweep: Sweep,
    /// The number of released matches. Their batches are kept until other nodes have taken them
    /// over.
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
    pub(super) fn count_after(&self, changes: &MatchChanges) -> usize {
        let was = changes.keys().filter(|id| self.by_id.contains_key(*id)).count();
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

    /// Adds a match that was taken over from another node. The match's whole journal is in the last
    /// batch.
    pub(crate) fn add_taken_over(&mut self, id: MatchId, state: JournalState) {
        self.last_match_key = state.match_key;
        if let Some(number) = state.last_batch {
            self.sweep.add_reference(number);
        }
        self.by_id.insert(id, MatchInPlay::new(state));
    }

    pub(super) fn remove(&mut self, id: &MatchId) {
        if let Some(left) = self.by_id.remove(id) {
            for number in left.batches.iter() {
                self.sweep.remove_reference(number);
            }
        }
    }
}

/// Batch numbers in ascending order, about two bytes each: the batches that contain entries of one
/// match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BatchNumbers {
    /// The difference between each number and the preceding one, as a varint.
    distances: Vec<u8>,
    last: i64,
}

impl BatchNumbers {
    /// Appends a number, which must be larger than the last number.
    pub(crate) fn push(&mut self, number: i64) {
        encode_varint(number.abs_diff(self.last), &mut self.distances);
        self.last = number;
    }

    pub(crate) fn last(&self) -> Option<i64> {
        (!self.distances.is_empty()).then_some(self.last)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = i64> {
        let (mut rest, mut number) = (&*self.distances, 0);
        std::iter::from_fn(move || {
            number += decode_varint(&mut rest).ok()?.cast_signed();
            Some(number)
        })
    }
}

/// Minimum number of unneeded batches for a deletion. Adjacent small batches share a page, and
/// deleting many at once writes that page only once.
const MIN_BATCHES_PER_STEP: usize = 64;

/// Maximum number of batches that one commit deletes. A commit adds only one batch, so unneeded
/// batches do not accumulate.
const MAX_BATCHES_PER_STEP: usize = 256;

/// Reference counts of the journal's batches, which determine the batches to delete.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    /// The number of matches in play that need each batch.
    live: BTreeMap<i64, u32>,
    /// Batches that no match in play needs.
    dead: BTreeSet<i64>,
}

impl Sweep {
    /// Adds a reference from a match in play to a batch.
    pub(crate) fn add_reference(&mut self, number: i64) {
        *self.live.entry(number).or_default() += 1;
    }

    /// Removes the reference from a match that is no longer in play.
    pub(crate) fn remove_reference(&mut self, number: i64) {
        let Some(matches) = self.live.get_mut(&number) else {
            return;
        };
        *matches -= 1;
        if *matches == 0 {
            self.live.remove(&number);
            self.dead.insert(number);
        }
    }

    /// Adds a batch as unreferenced. Does nothing if a match in play refers to the batch.
    pub(crate) fn add_unreferenced_batch(&mut self, number: i64) {
        if !self.live.contains_key(&number) {
            self.dead.insert(number);
        }
    }

    /// Removes and returns all unneeded batches, in groups of limited size. Used when a server
    /// starts.
    pub(crate) fn take_unneeded(&mut self) -> Vec<Vec<i64>> {
        let dead: Vec<i64> = std::mem::take(&mut self.dead).into_iter().collect();
        dead.chunks(MAX_BATCHES_PER_STEP).map(<[i64]>::to_vec).collect()
    }

    /// Returns the batches that the next commit deletes.
    pub(crate) fn next_step(&self, none_in_play: bool) -> SweepStep {
        if none_in_play && !(self.live.is_empty() && self.dead.is_empty()) {
            return SweepStep::All;
        }
        if self.dead.len() < MIN_BATCHES_PER_STEP {
            return SweepStep::Nothing;
        }
        SweepStep::Some(self.dead.iter().copied().take(MAX_BATCHES_PER_STEP).collect())
    }

    /// Removes the batches that a commit has deleted.
    pub(crate) fn apply(&mut self, step: &SweepStep) {
        match step {
            SweepStep::Nothing => {}
            SweepStep::Some(removed) => {
                for number in removed {
                    self.dead.remove(number);
                }
            }
            SweepStep::All => *self = Self::default(),
        }
    }
}

/// Batches that a commit deletes.
#[derive(Debug, Default)]
pub(crate) enum SweepStep {
    #[default]
    Nothing,
    Some(Vec<i64>),
    /// Every batch that precedes the commit's own batch.
    All,
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
