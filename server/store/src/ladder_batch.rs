//! Validation of ladder changes against the stored state.

use std::collections::{BTreeSet, HashMap};

use crate::{
    LadderChange, LadderId, Write, WriteRefusal,
    limits::{
        MAX_LADDER_BYTES, MAX_LADDER_MATCH_BYTES, MAX_LADDER_NAME_BYTES, MAX_LADDER_VERSION_BYTES,
    },
};

/// The part of a ladder's state that is needed to validate a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LadderState {
    Damaged,
    Sound {
        term: u64,
        /// The number of matches so far.
        matches: u64,
        /// The matches that the batch ends, except matches that have already ended.
        open: BTreeSet<u64>,
    },
}

/// The state of the ladders that a batch changes, before the batch. Unknown ladders have no entry.
pub(crate) type LadderStates = HashMap<LadderId, LadderState>;

/// Returns the numbers of the matches that a batch ends, by ladder. Every ladder that the batch
/// changes has an entry, even if the entry is empty.
pub(crate) fn ended_matches(batch: &[Write]) -> HashMap<LadderId, BTreeSet<u64>> {
    let mut ended_matches: HashMap<LadderId, BTreeSet<u64>> = HashMap::new();
    for write in batch {
        if let Write::ChangeLadder { ladder_id, change } = write {
            let ends = ended_matches.entry(ladder_id.clone()).or_default();
            if let LadderChange::End { number, .. } = change {
                ends.insert(*number);
            }
        }
    }
    ended_matches
}

/// Checks a change against the state of the ladders, and updates the state.
pub(crate) fn check(
    ladder_id: &LadderId,
    change: &LadderChange,
    states: &mut LadderStates,
) -> Result<(), WriteRefusal> {
    check_sizes(ladder_id, change)?;
    if *change == LadderChange::Drop {
        states.remove(ladder_id);
        return Ok(());
    }
    let state = states.get_mut(ladder_id);
    if let LadderChange::Open { .. } = change {
        if state.is_some() {
            let ladder_id = ladder_id.clone();
            return Err(WriteRefusal::LadderExists { ladder_id });
        }
        let state = LadderState::Sound {
            term: 0,
            matches: 0,
            open: BTreeSet::new(),
        };
        states.insert(ladder_id.clone(), state);
        return Ok(());
    }
    match state {
        None => {
            let ladder_id = ladder_id.clone();
            Err(WriteRefusal::UnknownLadder { ladder_id })
        }
        Some(LadderState::Damaged) => {
            let ladder_id = ladder_id.clone();
            Err(WriteRefusal::LadderDamaged { ladder_id })
        }
        Some(LadderState::Sound {
            term,
            matches,
            open,
        }) => apply_change(ladder_id, change, (term, matches, open)),
    }
}

/// Checks a change to an existing ladder against its term, its match count, and the matches that
/// have not ended yet.
fn apply_change(
    ladder_id: &LadderId,
    change: &LadderChange,
    (term, matches, open): (&mut u64, &mut u64, &mut BTreeSet<u64>),
) -> Result<(), WriteRefusal> {
    let in_term = |named: u64, expected: u64| {
        if named == expected {
            Ok(())
        } else {
            Err(WriteRefusal::LadderTermEnded {
                ladder_id: ladder_id.clone(),
                term: named,
                expected,
            })
        }
    };
    match change {
        LadderChange::StartTerm { term: new } => {
            in_term(*new, *term + 1)?;
            *term = *new;
        }
        LadderChange::Update { term: named, .. } | LadderChange::PutVersion { term: named, .. } => {
            in_term(*named, *term)?;
        }
        LadderChange::Pair {
            term: named,
            number,
            ..
        } => {
            in_term(*named, *term)?;
            if number != matches {
                return Err(WriteRefusal::LadderMatchOutOfOrder {
                    ladder_id: ladder_id.clone(),
                    number: *number,
                    expected: *matches,
                });
            }
            open.insert(*number);
            *matches += 1;
        }
        LadderChange::End {
            term: named,
            number,
            ..
        } => {
            in_term(*named, *term)?;
            if !open.remove(number) {
                return Err(WriteRefusal::LadderMatchNotOpen {
                    ladder_id: ladder_id.clone(),
                    number: *number,
                });
            }
        }
        LadderChange::Open { .. } | LadderChange::Drop => {}
    }
    Ok(())
}

fn check_sizes(ladder_id: &LadderId, change: &LadderChange) -> Result<(), WriteRefusal> {
    let check_size = |part, bytes: usize, limit| {
        if bytes <= limit {
            Ok(())
        } else {
            Err(WriteRefusal::LadderPartTooLarge {
                ladder_id: ladder_id.clone(),
                part,
                bytes,
                limit,
            })
        }
    };
    match change {
        LadderChange::Open { value } | LadderChange::Update { value, .. } => {
            check_size("rules", value.len(), MAX_LADDER_BYTES)
        }
        LadderChange::PutVersion {
            bot_name,
            bot_version,
            value,
            ..
        } => {
            check_size("bot name", bot_name.len(), MAX_LADDER_NAME_BYTES)?;
            check_size("bot version", bot_version.len(), MAX_LADDER_NAME_BYTES)?;
            check_size("version", value.len(), MAX_LADDER_VERSION_BYTES)
        }
        LadderChange::Pair { value, .. } | LadderChange::End { value, .. } => {
            check_size("match", value.len(), MAX_LADDER_MATCH_BYTES)
        }
        LadderChange::StartTerm { .. } | LadderChange::Drop => Ok(()),
    }
}
