//! Validation of ladder changes against the stored state.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    LadderChange, LadderId, Write, WriteRefusal,
    ladders::{
        action_name, ladder_deletion, ladder_from_row, ladder_row_change, match_from_row,
        match_number, match_row_change, version_row_change,
    },
    limits::{
        MAX_LADDER_ACTION_BYTES, MAX_LADDER_BYTES, MAX_LADDER_MATCH_BYTES, MAX_LADDER_NAME_BYTES,
        MAX_LADDER_VERSION_BYTES,
    },
    named_rows::{
        NameRange, NamedTable, QueryResults, RowChange, RowQuery, RowResult, RowSelection,
        match_name,
    },
};

/// The part of a ladder's state that is needed to validate a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LadderState {
    term: u64,
    description: Vec<u8>,
    /// The number of matches so far; `None` if the number of the last match is unreadable.
    matches: Option<u64>,
    /// The matches that the batch ends, except matches that have already ended.
    open: BTreeSet<u64>,
    /// The names of the actions that the batch adds and that exist.
    actions: BTreeSet<String>,
}

/// The state of the ladders that a batch changes, before the batch; `None` for a damaged ladder.
/// Unknown ladders have no entry.
pub(crate) type LadderStates = HashMap<LadderId, Option<LadderState>>;

/// The ladders that a batch changes.
#[derive(Debug)]
pub(crate) struct LadderLookup(BTreeMap<LadderId, Changed>);

/// The names of the rows of a ladder that a batch must not change twice.
#[derive(Debug, Default)]
struct Changed {
    /// The matches that the batch ends.
    ended: BTreeSet<String>,
    /// The actions that the batch adds.
    actions: BTreeSet<String>,
}

impl LadderLookup {
    pub(crate) fn new(batch: &[Write]) -> Self {
        let mut ladders: BTreeMap<LadderId, Changed> = BTreeMap::new();
        for write in batch {
            if let Write::ChangeLadder { ladder_id, change } = write {
                let changed = ladders.entry(ladder_id.clone()).or_default();
                match change {
                    LadderChange::End { number, .. } => {
                        changed.ended.insert(match_name(ladder_id, *number));
                    }
                    LadderChange::PutAction { number, .. } => {
                        changed.actions.insert(action_name(ladder_id, *number));
                    }
                    _ => {}
                }
            }
        }
        Self(ladders)
    }

    /// Returns the queries for the rows that determine these states: three for each ladder, and one
    /// more if the batch adds actions to it.
    pub(crate) fn queries(&self) -> Vec<RowQuery> {
        let of_ladder = |(id, changed): (&LadderId, &Changed)| {
            let named = |table: NamedTable, names: &BTreeSet<String>| {
                table.query(RowSelection::Named(names.iter().cloned().collect()))
            };
            let matches = NamedTable::LadderMatch;
            let actions = &changed.actions;
            let actions = (!actions.is_empty()).then(|| named(NamedTable::Record, actions));
            let queries = [
                NamedTable::Ladder.named(id.as_str()),
                matches.query(RowSelection::Last(NameRange::for_ladder(id))),
                named(matches, &changed.ended),
            ];
            queries.into_iter().chain(actions)
        };
        self.0.iter().flat_map(of_ladder).collect()
    }

    /// Returns the states, given the results of the queries.
    pub(crate) fn states(self, results: QueryResults) -> LadderStates {
        let mut results = results.into_iter();
        let mut states = LadderStates::new();
        for (id, changed) in self.0 {
            let mut next = || results.next().unwrap_or_default();
            let (ladder, last, ended) = (next().pop(), next().pop(), next());
            let actions = if changed.actions.is_empty() { Vec::new() } else { next() };
            let Some(ladder) = ladder.map(ladder_from_row) else {
                continue;
            };
            // An unreadable match cannot be ended, so it is not in the set.
            let ended = ended.into_iter().filter_map(|row| match_from_row(row).ok());
            let state = ladder.ok().map(|ladder| LadderState {
                term: ladder.term,
                description: ladder.value,
                matches: last.map_or(Some(0), |last| match_number(&last)?.checked_add(1)),
                open: ended.filter(|ended| !ended.is_over).map(|ended| ended.number).collect(),
                actions: actions.into_iter().map(name_of).collect(),
            });
            states.insert(id, state);
        }
        states
    }
}

/// Checks a change against the state of the ladders, and updates the state. Returns the changes to
/// the rows of the ladder.
pub(crate) fn apply_change(
    ladder_id: &LadderId,
    change: &LadderChange,
    states: &mut LadderStates,
) -> Result<Vec<RowChange>, WriteRefusal> {
    check_sizes(ladder_id, change)?;
    let id = || ladder_id.clone();
    let ladder = match (change, states.get_mut(ladder_id)) {
        (LadderChange::Drop, _) => {
            states.remove(ladder_id);
            return Ok(ladder_deletion(ladder_id).into());
        }
        (LadderChange::Open { value }, None) => {
            let description = value.clone();
            let ladder = LadderState { description, matches: Some(0), ..LadderState::default() };
            states.insert(id(), Some(ladder));
            return Ok(vec![ladder_row_change(ladder_id, 0, value)]);
        }
        (LadderChange::Open { .. }, Some(_)) => return Err(WriteRefusal::LadderExists(id())),
        (_, None) => return Err(WriteRefusal::UnknownLadder(id())),
        (_, Some(None)) => return Err(WriteRefusal::LadderDamaged(id())),
        (_, Some(Some(ladder))) => ladder,
    };
    let (term, expected) = match change {
        LadderChange::StartTerm { term } => (*term, ladder.term + 1),
        LadderChange::Update { term, .. }
        | LadderChange::PutVersion { term, .. }
        | LadderChange::PutAction { term, .. }
        | LadderChange::Pair { term, .. }
        | LadderChange::End { term, .. } => (*term, ladder.term),
        LadderChange::Open { .. } | LadderChange::Drop => return Ok(Vec::new()),
    };
    if term != expected {
        return Err(WriteRefusal::LadderTermEnded { ladder_id: id(), term, expected });
    }
    ladder.apply(ladder_id, change).map(|put| put.into_iter().collect())
}

impl LadderState {
    /// Applies a change of the right term to an existing ladder.
    fn apply(
        &mut self,
        id: &LadderId,
        change: &LadderChange,
    ) -> Result<Option<RowChange>, WriteRefusal> {
        Ok(Some(match change {
            LadderChange::StartTerm { term } => {
                self.term = *term;
                ladder_row_change(id, *term, &self.description)
            }
            LadderChange::Update { term, value } => {
                self.description.clone_from(value);
                ladder_row_change(id, *term, value)
            }
            LadderChange::PutVersion { bot_name, bot_version, value, .. } => {
                version_row_change(id, bot_name, bot_version, value)
            }
            LadderChange::PutAction { number, value, .. } => {
                let name = action_name(id, *number);
                if !self.actions.insert(name.clone()) {
                    let (ladder_id, number) = (id.clone(), *number);
                    return Err(WriteRefusal::LadderActionExists { ladder_id, number });
                }
                NamedTable::Record.put(name, value.clone())
            }
            LadderChange::Pair { number, value, .. } => {
                self.pair(id, *number)?;
                match_row_change(id, *number, false, value)
            }
            LadderChange::End { number, value, .. } => {
                if !self.open.remove(number) {
                    let (ladder_id, number) = (id.clone(), *number);
                    return Err(WriteRefusal::LadderMatchNotOpen { ladder_id, number });
                }
                match_row_change(id, *number, true, value)
            }
            LadderChange::Open { .. } | LadderChange::Drop => return Ok(None),
        }))
    }

    /// Checks the number of a new match, and counts the match.
    fn pair(&mut self, id: &LadderId, number: u64) -> Result<(), WriteRefusal> {
        let ladder_id = id.clone();
        // Without the number of matches, the new match could overwrite another one.
        let Some(expected) = self.matches else {
            return Err(WriteRefusal::LadderDamaged(ladder_id));
        };
        if number != expected {
            return Err(WriteRefusal::LadderMatchOutOfOrder { ladder_id, number, expected });
        }
        self.open.insert(number);
        self.matches = expected.checked_add(1);
        Ok(())
    }
}

/// Returns the name of a row, which was queried by it.
fn name_of(row: RowResult) -> String {
    match row {
        Ok(row) => row.name,
        Err(row) => String::from_utf8_lossy(&row.name).into_owned(),
    }
}

fn check_sizes(ladder_id: &LadderId, change: &LadderChange) -> Result<(), WriteRefusal> {
    let check_size = |part, bytes: usize, limit| {
        if bytes <= limit {
            return Ok(());
        }
        let ladder_id = ladder_id.clone();
        Err(WriteRefusal::LadderPartTooLarge { ladder_id, part, bytes, limit })
    };
    match change {
        LadderChange::Open { value } | LadderChange::Update { value, .. } => {
            check_size("rules", value.len(), MAX_LADDER_BYTES)
        }
        LadderChange::PutVersion { bot_name, bot_version, value, .. } => {
            check_size("bot name", bot_name.len(), MAX_LADDER_NAME_BYTES)?;
            check_size("bot version", bot_version.len(), MAX_LADDER_NAME_BYTES)?;
            check_size("version", value.len(), MAX_LADDER_VERSION_BYTES)
        }
        LadderChange::PutAction { value, .. } => {
            check_size("action", value.len(), MAX_LADDER_ACTION_BYTES)
        }
        LadderChange::Pair { value, .. } | LadderChange::End { value, .. } => {
            check_size("match", value.len(), MAX_LADDER_MATCH_BYTES)
        }
        LadderChange::StartTerm { .. } | LadderChange::Drop => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named_rows::NamedRow;

    #[test]
    fn nothing_is_paired_after_an_unreadable_number() {
        let ladder_id = LadderId::new("spring").unwrap();
        let pair = LadderChange::Pair { term: 0, number: 0, value: Vec::new() };
        let lead = LadderChange::StartTerm { term: 1 };
        let batch = [Write::ChangeLadder { ladder_id: ladder_id.clone(), change: pair.clone() }];
        for last in [match_name(&ladder_id, u64::MAX), "spring/000000000000000g".to_owned()] {
            let row = |name: String, value: Vec<u8>| vec![Ok(NamedRow { name, value })];
            let results = vec![
                row(ladder_id.to_string(), 0_u64.to_le_bytes().to_vec()),
                row(last, vec![0]),
                Vec::new(),
            ];
            let mut states = LadderLookup::new(&batch).states(results);
            let refused = apply_change(&ladder_id, &pair, &mut states).unwrap_err();
            assert!(matches!(refused, WriteRefusal::LadderDamaged { .. }));
            // All other changes still succeed, so that a server can start.
            apply_change(&ladder_id, &lead, &mut states).unwrap();
        }
    }
}
