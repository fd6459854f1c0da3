//! Converts a validated batch of writes to the rows that a database stores.

use std::collections::{BTreeSet, HashSet};

use super::in_play::{
    JournalState, MatchChange, MatchChanges, MatchInPlay, MatchesInPlay, SweepStep,
};
use crate::{
    FinishedMatch, IndexKey, MatchId, StoreError, Write, batch,
    journal_batch::BatchPart,
    ladder_batch::LadderLookup,
    named_rows::{QueryResults, RowChange, RowQuery},
};

/// A change to a whole match.
#[derive(Debug)]
pub(crate) enum MatchStep {
    Open { match_key: i64, match_id: MatchId, opened_at_unix_ms: i64, header: Vec<u8> },
    Finish { match_key: i64, finished: FinishedMatch, replay: Vec<u8>, keys: BTreeSet<IndexKey> },
    DropOpen { match_key: i64 },
    DropFinished { match_id: MatchId },
    ForgetReplay { match_id: MatchId },
}

impl MatchStep {
    /// Returns whether the change must be flushed before other nodes can see it. This is necessary
    /// if other nodes would act on the change without checking for the flush. Other nodes cannot
    /// act on a new match, since the match's id is not published yet. Readers of finished matches
    /// check for the flush themselves.
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
    pub(crate) steps: Vec<MatchStep>,
    /// The changes to named rows.
    pub(crate) rows: Vec<RowChange>,
    pub(crate) sweep_step: SweepStep,
    /// Parts of the batch; `None` for a match that is finished or dropped in the same batch.
    parts: Vec<Option<BatchPart>>,
    pub(super) changes: MatchChanges,
    pub(crate) last_match_key: i64,
}

impl Plan {
    /// Plans a batch that was validated by [`batch::check`](crate::batch::check), which has
    /// returned the changes to named rows.
    pub(super) fn new(batch: Vec<Write>, rows: Vec<RowChange>, matches: &MatchesInPlay) -> Self {
        let mut plan = Self {
            steps: Vec::new(),
            rows,
            sweep_step: SweepStep::Nothing,
            parts: Vec::with_capacity(batch.len()),
            changes: MatchChanges::with_capacity(batch.len()),
            last_match_key: matches.last_match_key,
        };
        for write in batch {
            plan.add(write, matches);
        }
        let none_in_play = matches.count_after(&plan.changes) == 0;
        plan.sweep_step = matches.sweep.next_step(none_in_play);
        plan
    }

    /// Moves the parts of the journal batch out of the plan.
    pub(crate) fn take_parts(&mut self) -> Vec<BatchPart> {
        std::mem::take(&mut self.parts).into_iter().flatten().collect()
    }

    fn add(&mut self, write: Write, matches: &MatchesInPlay) {
        match write {
            Write::OpenMatch { match_id, opened_at_unix_ms, header } => {
                self.last_match_key += 1;
                let match_key = self.last_match_key;
                let state =
                    JournalState { match_key, opened_at_unix_ms, entries: 0, last_batch: None };
                let change = MatchChange { state, part: None };
                self.changes.insert(match_id.clone(), Some(change));
                self.steps.push(MatchStep::Open { match_key, match_id, opened_at_unix_ms, header });
            }
            Write::Append { match_id, number, entry } => {
                self.append(match_id, number, entry, matches)
            }
            Write::FinishMatch {
                match_id,
                ended_at_unix_ms,
                summary,
                replay,
                parties,
                index_keys,
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
                self.steps.push(MatchStep::Finish {
                    match_key: state.match_key,
                    finished,
                    replay,
                    keys: parties.iter().map(IndexKey::from).chain(index_keys).collect(),
                });
            }
            Write::DropMatch { match_id } => {
                let step = match self.remove(&match_id, matches) {
                    Some(JournalState { match_key, .. }) => MatchStep::DropOpen { match_key },
                    None => MatchStep::DropFinished { match_id },
                };
                self.steps.push(step);
            }
            Write::ForgetReplay { match_id } => {
                self.steps.push(MatchStep::ForgetReplay { match_id })
            }
            // The check of the batch has already returned the changes to these rows.
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

/// The stored state that is needed to plan a batch, besides the matches in play.
pub(crate) struct Lookup {
    /// Ids to look up among the finished matches.
    pub(crate) ids: HashSet<MatchId>,
    /// Queries for the states of ladders.
    pub(crate) queries: Vec<RowQuery>,
    ladders: LadderLookup,
}

/// The result of a [`Lookup`].
#[derive(Default)]
pub(crate) struct LookupResult {
    /// The ids that belong to finished matches.
    pub(crate) finished: HashSet<MatchId>,
    /// The results of the queries.
    pub(crate) rows: QueryResults,
}

impl MatchesInPlay {
    /// Returns the state to be looked up before a batch can be planned.
    pub(crate) fn lookup(&self, batch: &[Write]) -> Lookup {
        let ladders = LadderLookup::new(batch);
        let ids = batch.iter().filter_map(Write::match_id);
        Lookup {
            ids: ids.filter(|id| self.get(id).is_none()).cloned().collect(),
            queries: ladders.queries(),
            ladders,
        }
    }

    /// Checks a batch, and plans its commit.
    ///
    /// # Errors
    /// [`StoreError::WriteRefused`].
    pub(crate) fn plan(
        &self,
        batch: Vec<Write>,
        lookup: Lookup,
        found: LookupResult,
    ) -> Result<Plan, StoreError> {
        let status_of = |id: &MatchId| self.status(id, &found.finished);
        let rows = batch::check(&batch, status_of, lookup.ladders.states(found.rows))?;
        Ok(Plan::new(batch, rows, self))
    }

    /// Applies a plan that was committed as batch `number`. Moves the changes out of the plan.
    pub(crate) fn apply(&mut self, plan: &mut Plan, number: i64) {
        self.sweep.apply(&plan.sweep_step);
        self.last_match_key = plan.last_match_key;
        for (id, change) in std::mem::take(&mut plan.changes) {
            let Some(MatchChange { mut state, part }) = change else {
                self.remove(&id);
                continue;
            };
            if part.is_some() {
                state.last_batch = Some(number);
                self.sweep.add_reference(number);
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
            self.remove(&id);
            self.by_id.insert(id, MatchInPlay::new(state));
        }
        self.sweep.add_unreferenced_batch(number);
    }
}
