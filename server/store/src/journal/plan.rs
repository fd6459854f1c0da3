//! Checks a batch of writes against the stored state, and converts it to the rows that a database
//! stores. Nothing is written before the whole batch is checked.

use std::collections::HashSet;

use super::{JournalState, MatchChange, MatchChanges, MatchInPlay, MatchesInPlay, SweepStep};
use crate::{
    FinishedMatch, IndexKey, MatchId, StoreError, Write, WriteRefusal,
    journal_batch::BatchPart,
    ladder_batch::{self, LadderLookup, LadderStates},
    limits::{
        MAX_ENTRY_BYTES, MAX_HEADER_BYTES, MAX_INDEX_KEYS, MAX_PARTIES, MAX_RECORD_BYTES,
        MAX_RECORD_NAME_BYTES, MAX_REPLAY_BYTES, MAX_SUMMARY_BYTES,
    },
    named_rows::{NamedTable, QueryResults, RowChange, RowQuery},
    rows::finished::{FinishedEntry, join_keys},
};

/// Maximum number of characters that an error message quotes from a name.
const MAX_QUOTED_CHARS: usize = 64;

/// A change to a whole match.
#[derive(Debug)]
pub(crate) enum MatchStep {
    Open { match_key: i64, match_id: MatchId, opened_at_unix_ms: i64, header: Vec<u8> },
    Finish { match_key: i64, entry: FinishedEntry },
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
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The changes to whole matches, in the order of the batch.
    pub(crate) steps: Vec<MatchStep>,
    /// The changes to named rows.
    pub(crate) rows: Vec<RowChange>,
    pub(crate) sweep_step: SweepStep,
    /// Parts of the batch; `None` for a match that is finished or dropped in the same batch.
    parts: Vec<Option<BatchPart>>,
    changes: MatchChanges,
    pub(crate) last_match_key: i64,
}

impl Plan {
    /// Moves the parts of the journal batch out of the plan.
    pub(crate) fn take_parts(&mut self) -> Vec<BatchPart> {
        std::mem::take(&mut self.parts).into_iter().flatten().collect()
    }
}

/// State of a match id after the preceding writes of a batch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MatchStatus {
    InPlay,
    /// In play, but unreadable. The match can only be dropped.
    Damaged,
    Finished,
    /// No match has this id.
    Unknown,
}

/// Plans a batch, each write against the state after the preceding ones.
struct Planner<'a> {
    plan: Plan,
    matches: &'a MatchesInPlay,
    finished: HashSet<MatchId>,
    ladders: LadderStates,
}

impl Planner<'_> {
    fn add(&mut self, write: Write) -> Result<(), WriteRefusal> {
        check_sizes(&write)?;
        match write {
            Write::OpenMatch { match_id, opened_at_unix_ms, header } => {
                if self.status(&match_id) != MatchStatus::Unknown {
                    return Err(WriteRefusal::MatchExists(match_id));
                }
                self.plan.last_match_key += 1;
                let match_key = self.plan.last_match_key;
                let state =
                    JournalState { match_key, opened_at_unix_ms, entries: 0, last_batch: None };
                let change = MatchChange { state, part: None };
                self.plan.changes.insert(match_id.clone(), Some(change));
                let open = MatchStep::Open { match_key, match_id, opened_at_unix_ms, header };
                self.plan.steps.push(open);
            }
            Write::Append { match_id, number, entry } => self.append(match_id, number, entry)?,
            Write::FinishMatch {
                match_id,
                ended_at_unix_ms,
                summary,
                replay,
                parties,
                index_keys,
            } => {
                let state = self.in_play(&match_id)?.state.clone();
                self.remove(&match_id);
                self.finished.insert(match_id.clone());
                let finished = FinishedMatch {
                    match_id,
                    opened_at_unix_ms: state.opened_at_unix_ms,
                    ended_at_unix_ms,
                    summary,
                };
                let keys = parties.iter().map(IndexKey::from).chain(index_keys).collect();
                let (keys, replay) = (join_keys(&keys), Some(replay));
                let entry = FinishedEntry { finished, keys, replay };
                self.plan.steps.push(MatchStep::Finish { match_key: state.match_key, entry });
            }
            Write::DropMatch { match_id } => {
                let step = match self.remove(&match_id) {
                    Some(match_key) => MatchStep::DropOpen { match_key },
                    None if self.finished.remove(&match_id) => MatchStep::DropFinished { match_id },
                    None => return Err(WriteRefusal::UnknownMatch(match_id)),
                };
                self.plan.steps.push(step);
            }
            Write::ForgetReplay { match_id } => match self.status(&match_id) {
                MatchStatus::Finished => {
                    self.plan.steps.push(MatchStep::ForgetReplay { match_id });
                }
                MatchStatus::Unknown => return Err(WriteRefusal::UnknownMatch(match_id)),
                _ => return Err(WriteRefusal::MatchInPlay(match_id)),
            },
            Write::PutRecord { name, value } => {
                self.plan.rows.push(NamedTable::Record.put(name, value));
            }
            Write::RemoveRecord { name } => {
                self.plan.rows.push(RowChange::Delete { table: NamedTable::Record, name });
            }
            Write::ChangeLadder { ladder_id, change } => {
                let rows = ladder_batch::apply_change(&ladder_id, &change, &mut self.ladders)?;
                self.plan.rows.extend(rows);
            }
        }
        Ok(())
    }

    fn status(&self, id: &MatchId) -> MatchStatus {
        let is_damaged = |in_play: &MatchInPlay| in_play.damage.is_some();
        match (self.plan.changes.get(id), self.matches.get(id)) {
            (Some(Some(_)), _) => MatchStatus::InPlay,
            (None, Some(in_play)) if is_damaged(in_play) => MatchStatus::Damaged,
            (None, Some(_)) => MatchStatus::InPlay,
            _ if self.finished.contains(id) => MatchStatus::Finished,
            _ => MatchStatus::Unknown,
        }
    }

    /// Returns the change of a match that is in play and intact.
    fn in_play(&mut self, id: &MatchId) -> Result<&mut MatchChange, WriteRefusal> {
        let match_id = id.clone();
        match self.status(id) {
            MatchStatus::InPlay => {}
            MatchStatus::Damaged => return Err(WriteRefusal::MatchDamaged(match_id)),
            MatchStatus::Finished => return Err(WriteRefusal::MatchFinished(match_id)),
            MatchStatus::Unknown => return Err(WriteRefusal::UnknownMatch(match_id)),
        }
        let change = self.plan.changes.entry(match_id).or_insert_with_key(|id| {
            let state = self.matches.get(id)?.state.clone();
            Some(MatchChange { state, part: None })
        });
        change.as_mut().ok_or_else(|| WriteRefusal::UnknownMatch(id.clone()))
    }

    fn append(
        &mut self,
        match_id: MatchId,
        number: u64,
        entry: Vec<u8>,
    ) -> Result<(), WriteRefusal> {
        let parts = self.plan.parts.len();
        let MatchChange { state, part } = self.in_play(&match_id)?;
        if number != state.entries {
            let expected = state.entries;
            return Err(WriteRefusal::NumberOutOfOrder { match_id, number, expected });
        }
        state.entries += 1;
        let new = BatchPart {
            match_key: state.match_key,
            first_entry: number,
            previous_batch: state.last_batch,
            entries: Vec::new(),
        };
        let place = *part.get_or_insert(parts);
        if place == parts {
            self.plan.parts.push(Some(new));
        }
        if let Some(part) = &mut self.plan.parts[place] {
            part.entries.push(entry);
        }
        Ok(())
    }

    /// Removes a match from play, and returns its key, if it is in play.
    fn remove(&mut self, id: &MatchId) -> Option<i64> {
        if let Some(change) = self.plan.changes.get_mut(id) {
            let MatchChange { state, part } = change.take()?;
            if let Some(place) = part {
                self.plan.parts[place] = None;
            }
            return Some(state.match_key);
        }
        let match_key = self.matches.get(id)?.state.match_key;
        self.plan.changes.insert(id.clone(), None);
        Some(match_key)
    }
}

/// Checks the sizes of the parts of a match or record.
fn check_sizes(write: &Write) -> Result<(), WriteRefusal> {
    let check = |match_id: &MatchId, part, bytes: &[u8], limit| {
        if bytes.len() <= limit {
            return Ok(());
        }
        Err(WriteRefusal::TooLarge { match_id: match_id.clone(), part, bytes: bytes.len(), limit })
    };
    match write {
        Write::OpenMatch { match_id, header, .. } => {
            check(match_id, "header", header, MAX_HEADER_BYTES)
        }
        Write::Append { match_id, entry, .. } => check(match_id, "entry", entry, MAX_ENTRY_BYTES),
        Write::FinishMatch { match_id, summary, replay, parties, index_keys, .. } => {
            check(match_id, "summary", summary, MAX_SUMMARY_BYTES)?;
            check(match_id, "replay", replay, MAX_REPLAY_BYTES)?;
            let counts = [(parties.len(), MAX_PARTIES), (index_keys.len(), MAX_INDEX_KEYS)];
            match counts.into_iter().find(|(count, limit)| count > limit) {
                Some((parties, limit)) => {
                    let match_id = match_id.clone();
                    Err(WriteRefusal::TooManyParties { match_id, parties, limit })
                }
                None => Ok(()),
            }
        }
        Write::PutRecord { name, value }
            if !(1..=MAX_RECORD_NAME_BYTES).contains(&name.len())
                || value.len() > MAX_RECORD_BYTES =>
        {
            Err(WriteRefusal::RecordTooLarge {
                name: name.chars().take(MAX_QUOTED_CHARS).collect(),
                name_bytes: name.len(),
                bytes: value.len(),
            })
        }
        _ => Ok(()),
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
    /// Returns [`StoreError::WriteRefused`] for the first write that contradicts the stored state.
    pub(crate) fn plan(
        &self,
        batch: Vec<Write>,
        lookup: Lookup,
        found: LookupResult,
    ) -> Result<Plan, StoreError> {
        let plan = Plan { last_match_key: self.last_match_key, ..Plan::default() };
        let ladders = lookup.ladders.states(found.rows);
        let mut planner = Planner { plan, matches: self, finished: found.finished, ladders };
        for (index, write) in batch.into_iter().enumerate() {
            let added = planner.add(write);
            added.map_err(|refusal| StoreError::WriteRefused { index, refusal })?;
        }
        let mut plan = planner.plan;
        let none_in_play = self.count_after(&plan.changes) == 0;
        plan.sweep_step = self.sweep.next_step(none_in_play);
        Ok(plan)
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
                in_play.cached = None;
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
