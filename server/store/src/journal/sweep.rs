//! Deletes journal batches that no match in play needs.
//!
//! A batch is kept while any of its matches is in play. In the worst case each entry of a match in
//! play is in a separate batch of maximum size. Usually matches that start together also end
//! together, and the journal is then about twice as large as needed.
//!
//! Batches are deleted in groups, because neighbouring batches share a page. The size of a group is
//! limited, because deleting all batches of a long match at once would delay the commit.

use std::collections::{BTreeMap, BTreeSet};

/// Minimum number of unneeded batches for a deletion, so that a page with many small batches is
/// written only once.
const MIN_BATCHES_PER_STEP: usize = 64;

/// Maximum number of batches that one commit deletes. Since a commit adds only one batch, the
/// number of unneeded batches stays bounded.
const MAX_BATCHES_PER_STEP: usize = 256;

/// Reference counts of the journal's batches, which determine the batches to delete.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    /// The number of matches in play that need each batch.
    live: BTreeMap<i64, u32>,
    /// Batches without a match in play.
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

    /// Adds a batch, which counts as unneeded unless a match in play refers to it.
    pub(crate) fn add_batch(&mut self, number: i64) {
        if !self.live.contains_key(&number) {
            self.dead.insert(number);
        }
    }

    /// Removes and returns all unneeded batches, in groups of limited size. Used when a server
    /// starts.
    pub(crate) fn take_all(&mut self) -> Vec<Vec<i64>> {
        let dead: Vec<i64> = std::mem::take(&mut self.dead).into_iter().collect();
        dead.chunks(MAX_BATCHES_PER_STEP)
            .map(<[i64]>::to_vec)
            .collect()
    }

    /// Returns whether the next commit would delete no batch.
    pub(crate) fn is_idle(&self, none_in_play: bool) -> bool {
        let has_batches = !self.live.is_empty() || !self.dead.is_empty();
        !(none_in_play && has_batches) && self.dead.len() < MIN_BATCHES_PER_STEP
    }

    /// Returns the batches that the next commit deletes.
    pub(crate) fn next_step(&self, none_in_play: bool) -> SweepStep {
        if self.is_idle(none_in_play) {
            return SweepStep::Nothing;
        }
        if none_in_play {
            return SweepStep::All;
        }
        SweepStep::Some(
            self.dead
                .iter()
                .copied()
                .take(MAX_BATCHES_PER_STEP)
                .collect(),
        )
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
#[derive(Debug)]
pub(crate) enum SweepStep {
    Nothing,
    Some(Vec<i64>),
    /// Every batch that precedes the commit's own batch.
    All,
}
