//! What a checked batch comes to in rows.

use std::collections::{BTreeSet, HashSet};

use super::{
    in_play::{Changes, InPlay, MatchesInPlay},
    journal::Row,
};
use crate::{FinishedMatch, KeyName, MatchId, Write};

/// A change of one match as a whole.
#[derive(Debug)]
pub(super) enum Step {
    Open {
        match_key: i64,
        match_id: MatchId,
        opened_at_unix_ms: i64,
        header: Vec<u8>,
    },
    Finish {
        match_key: i64,
        finished: FinishedMatch,
        replay: Vec<u8>,
        parties: BTreeSet<KeyName>,
    },
    DropOpen {
        match_key: i64,
    },
    DropFinished {
        match_id: MatchId,
    },
}

/// The rows of a batch, and how the matches stand once they are stored.
#[derive(Debug)]
pub(super) struct Plan {
    /// In the order of the batch.
    pub(super) steps: Vec<Step>,
    /// Journal rows, but for those of matches that leave play within the batch.
    pub(super) rows: Vec<Row>,
    /// Rows that stay in the journal of matches that leave play.
    pub(super) left_rows: u64,
    pub(super) changes: Changes,
    pub(super) next_key: i64,
    pub(super) next_row: i64,
}

impl Plan {
    /// Plans a batch that has passed [`batch::check`](crate::batch::check).
    pub(super) fn of(batch: Vec<Write>, matches: &MatchesInPlay) -> Self {
        let mut plan = Self {
            steps: Vec::new(),
            rows: Vec::with_capacity(batch.len()),
            left_rows: 0,
            changes: Changes::with_capacity(batch.len()),
            next_key: matches.next_key,
            next_row: matches.next_row,
        };
        for write in batch {
            plan.add(write, matches);
        }
        let mut ended = HashSet::new();
        for step in &plan.steps {
            if let Step::Finish { match_key, .. } | Step::DropOpen { match_key } = step {
                ended.insert(*match_key);
            }
        }
        if !ended.is_empty() {
            let planned = plan.rows.len();
            plan.rows.retain(|row| !ended.contains(&row.match_key));
            plan.left_rows -= (planned - plan.rows.len()) as u64;
        }
        plan
    }

    fn add(&mut self, write: Write, matches: &MatchesInPlay) {
        match write {
            Write::OpenMatch {
                match_id,
                opened_at_unix_ms,
                header,
            } => {
                let match_key = self.next_key;
                self.next_key += 1;
                let in_play = InPlay {
                    match_key,
                    opened_at_unix_ms,
                    entries: 0,
                    last_row: None,
                };
                self.changes.insert(match_id.clone(), Some(in_play));
                self.steps.push(Step::Open {
                    match_key,
                    match_id,
                    opened_at_unix_ms,
                    header,
                });
            }
            Write::Append {
                match_id,
                number,
                entry,
            } => {
                let standing = self
                    .changes
                    .entry(match_id)
                    .or_insert_with_key(|id| matches.get(id).cloned());
                let Some(in_play) = standing else {
                    debug_assert!(false, "a checked batch appends to matches in play only");
                    return;
                };
                let seq = self.next_row;
                self.next_row += 1;
                in_play.entries += 1;
                let previous = in_play.last_row.replace(seq);
                let match_key = in_play.match_key;
                self.rows.push(Row {
                    seq,
                    previous,
                    match_key,
                    number,
                    entry,
                });
            }
            Write::FinishMatch {
                match_id,
                ended_at_unix_ms,
                summary,
                replay,
                parties,
            } => {
                let Some(in_play) = self.take(&match_id, matches) else {
                    debug_assert!(false, "a checked batch finishes matches in play only");
                    return;
                };
                let finished = FinishedMatch {
                    match_id,
                    opened_at_unix_ms: in_play.opened_at_unix_ms,
                    ended_at_unix_ms,
                    summary,
                };
                let match_key = in_play.match_key;
                self.steps.push(Step::Finish {
                    match_key,
                    finished,
                    replay,
                    parties: parties.into_iter().collect(),
                });
            }
            Write::DropMatch { match_id } => {
                let step = match self.take(&match_id, matches) {
                    Some(in_play) => Step::DropOpen {
                        match_key: in_play.match_key,
                    },
                    None => Step::DropFinished { match_id },
                };
                self.steps.push(step);
            }
        }
    }

    /// Takes a match out of play, if it is in play.
    fn take(&mut self, id: &MatchId, matches: &MatchesInPlay) -> Option<InPlay> {
        let standing = match self.changes.get_mut(id) {
            Some(standing) => standing.take(),
            None => {
                let standing = matches.get(id).cloned();
                if standing.is_some() {
                    self.changes.insert(id.clone(), None);
                }
                standing
            }
        };
        self.left_rows += standing.as_ref().map_or(0, |in_play| in_play.entries);
        standing
    }
}
