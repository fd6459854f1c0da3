//! The matches in play, as the writer knows them.

use std::collections::HashMap;

use super::{batch_numbers::BatchNumbers, sweep::Sweep};
use crate::{Damage, MatchId};

/// How a match in play stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Stands for it in the journal.
    pub(crate) match_key: i64,
    pub(crate) opened_at_unix_ms: i64,
    /// Entries of its journal.
    pub(crate) entries: u64,
    /// The batch of its last entry.
    pub(crate) last_batch: Option<i64>,
}

/// A match in play.
pub(crate) struct InPlay {
    pub(crate) standing: Standing,
    /// The batches with its entries.
    pub(crate) batches: BatchNumbers,
    /// Why it cannot be read, if it cannot: then it can only be dropped.
    pub(crate) damage: Option<Box<Damage>>,
    /// Its journal, as it was read when the store was opened: all journals are read in one pass,
    /// since a batch has entries of many. It is given away once, or dropped when it changes.
    pub(crate) read_at_open: Option<Vec<Vec<u8>>>,
    /// Its header in the same way, where to ask for one at a time takes long.
    pub(crate) header_at_open: Option<Vec<u8>>,
}

/// All matches in play, just as the database has them: it is changed after a commit, and by
/// nobody but this process.
#[derive(Default)]
pub(crate) struct MatchesInPlay {
    pub(crate) by_id: HashMap<MatchId, InPlay>,
    /// Keys that have been given to matches: 1 to this.
    pub(crate) match_keys_given: i64,
    /// Matches that are no more here, and whose batches others need to take them over.
    pub(crate) released: usize,
}

/// How a match stands after a commit.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) standing: Standing,
    /// The place of its part in the batch, if it has one.
    pub(crate) part: Option<usize>,
}

/// What a commit changes: `None` for a match that leaves play.
pub(crate) type Changes = HashMap<MatchId, Option<Change>>;

impl MatchesInPlay {
    pub(crate) fn get(&self, id: &MatchId) -> Option<&InPlay> {
        self.by_id.get(id)
    }

    /// The ids, in the order in which the matches were opened.
    pub(crate) fn ids(&self) -> Vec<MatchId> {
        let mut matches: Vec<_> = self.by_id.iter().collect();
        matches.sort_unstable_by_key(|(_, in_play)| in_play.standing.match_key);
        matches.into_iter().map(|(id, _)| id.clone()).collect()
    }

    /// How many there would be after the changes, with those that were released.
    pub(crate) fn count_after(&self, changes: &Changes) -> usize {
        let was = changes
            .keys()
            .filter(|id| self.by_id.contains_key(*id))
            .count();
        let is = changes.values().flatten().count();
        self.released + self.by_id.len() - was + is
    }

    /// Gives a match up that can be read. Its batches are still needed.
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

    /// Takes over what has been committed as batch `number`.
    pub(crate) fn apply(&mut self, changes: Changes, number: i64, sweep: &mut Sweep) {
        for (id, change) in changes {
            let Some(Change { mut standing, part }) = change else {
                self.leave(&id, sweep);
                continue;
            };
            if part.is_some() {
                standing.last_batch = Some(number);
                sweep.enter(number);
            }
            let is_same = |in_play: &&mut InPlay| in_play.standing.match_key == standing.match_key;
            if let Some(in_play) = self.by_id.get_mut(&id).filter(is_same) {
                in_play.standing = standing;
                in_play.read_at_open = None;
                in_play.header_at_open = None;
                if part.is_some() {
                    in_play.batches.push(number);
                }
                continue;
            }
            self.leave(&id, sweep);
            let mut batches = BatchNumbers::default();
            if part.is_some() {
                batches.push(number);
            }
            let in_play = InPlay {
                standing,
                batches,
                damage: None,
                read_at_open: None,
                header_at_open: None,
            };
            self.by_id.insert(id, in_play);
        }
    }

    /// Takes in a match that another writer had, whose whole journal is in the last batch.
    pub(crate) fn take(&mut self, id: MatchId, standing: Standing, sweep: &mut Sweep) {
        let mut batches = BatchNumbers::default();
        if let Some(number) = standing.last_batch {
            batches.push(number);
            sweep.enter(number);
        }
        let in_play = InPlay {
            standing,
            batches,
            damage: None,
            read_at_open: None,
            header_at_open: None,
        };
        self.by_id.insert(id, in_play);
    }

    fn leave(&mut self, id: &MatchId, sweep: &mut Sweep) {
        if let Some(left) = self.by_id.remove(id) {
            for number in left.batches.iter() {
                sweep.leave(number);
            }
        }
    }
}
