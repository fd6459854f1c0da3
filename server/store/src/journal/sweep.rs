//! Removal of journal batches in which no match is still in play.
//!
//! A batch is kept as long as any of its matches is in play. So the journal is at most as large as
//! the batches of the matches in play: at worst the entries of these, each in a batch of its own
//! with the most matches that one commit had. Matches that go on side by side leave play side by
//! side, and the journal is then about twice what is needed of it.
//!
//! Batches are removed some at a time: neighbours lie in one page, and a commit that removed all
//! that a long match leaves would take too long.

use std::collections::{BTreeMap, BTreeSet};

/// Batches that wait until they are removed: so that a page with many small ones is written once.
const MIN_STEP: usize = 64;

/// Batches that one commit removes at most. A commit adds one, so this catches up.
const MAX_STEP: usize = 256;

/// Which batches are needed, and which are not.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    /// Matches in play of each batch that has any.
    live: BTreeMap<i64, u32>,
    /// Batches that mean nothing any more.
    dead: BTreeSet<i64>,
}

impl Sweep {
    /// A match in play has a part in a batch.
    pub(crate) fn enter(&mut self, number: i64) {
        *self.live.entry(number).or_default() += 1;
    }

    /// A match that had a part in a batch is no longer in play.
    pub(crate) fn leave(&mut self, number: i64) {
        let Some(matches) = self.live.get_mut(&number) else {
            return;
        };
        *matches -= 1;
        if *matches == 0 {
            self.live.remove(&number);
            self.dead.insert(number);
        }
    }

    /// A batch has no match in play, unless one has entered.
    pub(crate) fn has_been(&mut self, number: i64) {
        if !self.live.contains_key(&number) {
            self.dead.insert(number);
        }
    }

    /// Everything that means nothing, to be removed before a server starts, in parts.
    pub(crate) fn take_all(&mut self) -> Vec<Vec<i64>> {
        let dead: Vec<i64> = std::mem::take(&mut self.dead).into_iter().collect();
        dead.chunks(MAX_STEP).map(<[i64]>::to_vec).collect()
    }

    /// Whether a commit now would remove nothing.
    pub(crate) fn is_idle(&self, none_in_play: bool) -> bool {
        let has_batches = !self.live.is_empty() || !self.dead.is_empty();
        !(none_in_play && has_batches) && self.dead.len() < MIN_STEP
    }

    /// What the next commit removes.
    pub(crate) fn step(&self, none_in_play: bool) -> Swept {
        if self.is_idle(none_in_play) {
            return Swept::Nothing;
        }
        if none_in_play {
            return Swept::All;
        }
        Swept::Some(self.dead.iter().copied().take(MAX_STEP).collect())
    }

    /// Takes over what a commit has removed.
    pub(crate) fn done(&mut self, swept: &Swept) {
        match swept {
            Swept::Nothing => {}
            Swept::Some(removed) => {
                for number in removed {
                    self.dead.remove(number);
                }
            }
            Swept::All => *self = Self::default(),
        }
    }
}

/// What a commit removes.
#[derive(Debug)]
pub(crate) enum Swept {
    Nothing,
    Some(Vec<i64>),
    /// Every batch before it.
    All,
}
