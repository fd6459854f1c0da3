//! Converts a validated batch of writes to the rows that a database stores.

use std::collections::BTreeSet;

use super::in_play::{JournalState, MatchChange, MatchChanges, MatchesInPlay};
use crate::{FinishedMatch, KeyName, MatchId, Write, journal_batch::BatchPart};

/// A change to a whole match.
#[derive(Debug)]
pub(crate) enum Step {
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
    ForgetReplay {
        match_id: MatchId,
    },
}

impl Step {
    /// Returns whether the change must be flushed before other nodes can see it. The flush is
    /// necessary if other nodes act on the change without checking that it is flushed. Other nodes
    /// cannot act on a new match, since they do not know the match's id yet. Readers of finished
    /// matches check for the flush themselves.
    pub(crate) fn requires_flush(&self) -> bool {
        match self {
            Self::Open { .. } | Self::Finish { .. } => false,
            Self::DropOpen { .. } | Self::DropFinished { .. } | Self::ForgetReplay { .. } => true,
        }
    }
}

/// The rows of a batch, and the state of the matches after it.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The changes to whole matches, in the order of the batch.
    pub(crate) steps: Vec<Step>,
    /// Parts of the batch; `None` for a match that is finished or dropped in the same batch.
    parts: Vec<Option<BatchPart>>,
    pub(crate) changes: MatchChanges,
    pub(crate) last_match_key: i64,
}

impl Plan {
    /// Plans a batch that was validated by [`batch::check`](crate::batch::check).
    pub(crate) fn new(batch: Vec<Write>, matches: &MatchesInPlay) -> Self {
        let mut plan = Self {
            steps: Vec::new(),
            parts: Vec::with_capacity(batch.len()),
            changes: MatchChanges::with_capacity(batch.len()),
            last_match_key: matches.last_match_key,
        };
        for write in batch {
            plan.add(write, matches);
        }
        plan
    }

    /// Moves the parts of the journal batch out of the plan.
    pub(crate) fn take_parts(&mut self) -> Vec<BatchPart> {
        std::mem::take(&mut self.parts)
            .into_iter()
            .flatten()
            .collect()
    }

    fn add(&mut self, write: Write, matches: &MatchesInPlay) {
        match write {
            Write::OpenMatch {
                match_id,
                opened_at_unix_ms,
                header,
            } => {
                self.last_match_key += 1;
                let match_key = self.last_match_key;
                let state = JournalState {
                    match_key,
                    opened_at_unix_ms,
                    entries: 0,
                    last_batch: None,
                };
                let change = MatchChange { state, part: None };
                self.changes.insert(match_id.clone(), Some(change));
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
            } => self.append(match_id, number, entry, matches),
            Write::FinishMatch {
                match_id,
                ended_at_unix_ms,
                summary,
                replay,
                parties,
            } => {
                let Some(state) = self.remove(&match_id, matches) else {
                    debug_assert!(false, "a validated batch finishes only matches in play");
                    return;
                };
                let finished = FinishedMatch {
                    match_id,
                    opened_at_unix_ms: state.opened_at_unix_ms,
                    ended_at_unix_ms,
                    summary,
                };
                self.steps.push(Step::Finish {
                    match_key: state.match_key,
                    finished,
                    replay,
                    parties: parties.into_iter().collect(),
                });
            }
            Write::DropMatch { match_id } => {
                let step = match self.remove(&match_id, matches) {
                    Some(JournalState { match_key, .. }) => Step::DropOpen { match_key },
                    None => Step::DropFinished { match_id },
                };
                self.steps.push(step);
            }
            Write::ForgetReplay { match_id } => self.steps.push(Step::ForgetReplay { match_id }),
            // The check of the batch has returned their changes.
            Write::PutRecord { .. } | Write::RemoveRecord { .. } | Write::ChangeLadder { .. } => {}
        }
    }

    fn append(&mut self, match_id: MatchId, number: u64, entry: Vec<u8>, matches: &MatchesInPlay) {
        let state = self.changes.entry(match_id).or_insert_with_key(|id| {
            let state = matches.get(id)?.state.clone();
            Some(MatchChange { state, part: None })
        });
        let Some(MatchChange { state, part }) = state else {
            debug_assert!(false, "a validated batch appends only to matches in play");
            return;
        };
        state.entries += 1;
        if let Some(existing) = part.and_then(|place| self.parts[place].as_mut()) {
            existing.entries.push(entry);
            return;
        }
        *part = Some(self.parts.len());
        self.parts.push(Some(BatchPart {
            match_key: state.match_key,
            first_entry: number,
            previous_batch: state.last_batch,
            entries: vec![entry],
        }));
    }

    /// Removes a match from play, if it is in play.
    fn remove(&mut self, id: &MatchId, matches: &MatchesInPlay) -> Option<JournalState> {
        if let Some(change) = self.changes.get_mut(id) {
            let MatchChange { state, part } = change.take()?;
            if let Some(place) = part {
                self.parts[place] = None;
            }
            return Some(state);
        }
        let state = matches.get(id)?.state.clone();
        self.changes.insert(id.clone(), None);
        Some(state)
    }
}
