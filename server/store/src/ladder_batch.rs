//! Whether changes of ladders fit what is stored.

use std::collections::{BTreeSet, HashMap};

use crate::{
    LadderChange, LadderId, Write, WriteRefusal,
    limits::{
        MAX_LADDER_BYTES, MAX_LADDER_MATCH_BYTES, MAX_LADDER_NAME_BYTES, MAX_LADDER_VERSION_BYTES,
    },
};

/// What the store knows of a ladder, as far as a batch asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LadderStanding {
    /// It cannot be read.
    Damaged,
    Sound {
        term: u64,
        /// Matches so far.
        matches: u64,
        /// Those that the batch ends and that are not over.
        open: BTreeSet<u64>,
    },
}

/// The ladders that a batch changes, as they stand before it; one that is not there is unknown.
pub(crate) type LadderStandings = HashMap<LadderId, LadderStanding>;

/// The numbers of the matches that a batch ends, by their ladders. Ladders of which it ends none
/// have an entry too.
pub(crate) fn asked(batch: &[Write]) -> HashMap<LadderId, BTreeSet<u64>> {
    let mut asked: HashMap<LadderId, BTreeSet<u64>> = HashMap::new();
    for write in batch {
        if let Write::ChangeLadder { ladder_id, change } = write {
            let ends = asked.entry(ladder_id.clone()).or_default();
            if let LadderChange::End { number, .. } = change {
                ends.insert(*number);
            }
        }
    }
    asked
}

/// Checks a change against how the ladders stand, and leaves how they stand then.
pub(crate) fn check(
    ladder_id: &LadderId,
    change: &LadderChange,
    standings: &mut LadderStandings,
) -> Result<(), WriteRefusal> {
    check_sizes(ladder_id, change)?;
    if *change == LadderChange::Drop {
        standings.remove(ladder_id);
        return Ok(());
    }
    let standing = standings.get_mut(ladder_id);
    if let LadderChange::Open { .. } = change {
        if standing.is_some() {
            let ladder_id = ladder_id.clone();
            return Err(WriteRefusal::LadderExists { ladder_id });
        }
        let standing = LadderStanding::Sound {
            term: 0,
            matches: 0,
            open: BTreeSet::new(),
        };
        standings.insert(ladder_id.clone(), standing);
        return Ok(());
    }
    match standing {
        None => {
            let ladder_id = ladder_id.clone();
            Err(WriteRefusal::UnknownLadder { ladder_id })
        }
        Some(LadderStanding::Damaged) => {
            let ladder_id = ladder_id.clone();
            Err(WriteRefusal::LadderDamaged { ladder_id })
        }
        Some(LadderStanding::Sound {
            term,
            matches,
            open,
        }) => check_led(ladder_id, change, (term, matches, open)),
    }
}

/// Checks a change of a ladder that is there, against its term, its matches so far, and those that
/// the batch ends.
fn check_led(
    ladder_id: &LadderId,
    change: &LadderChange,
    (term, matches, open): (&mut u64, &mut u64, &mut BTreeSet<u64>),
) -> Result<(), WriteRefusal> {
    let in_term = |named: u64, expected: u64| match named == expected {
        true => Ok(()),
        false => Err(WriteRefusal::LadderTermOver {
            ladder_id: ladder_id.clone(),
            term: named,
            expected,
        }),
    };
    match change {
        LadderChange::Lead { term: new } => {
            in_term(*new, *term + 1)?;
            *term = *new;
        }
        LadderChange::Keep { term: named, .. } | LadderChange::KeepVersion { term: named, .. } => {
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
    let bounded = |part, bytes: usize, limit| match bytes <= limit {
        true => Ok(()),
        false => Err(WriteRefusal::LadderPartTooLarge {
            ladder_id: ladder_id.clone(),
            part,
            bytes,
            limit,
        }),
    };
    match change {
        LadderChange::Open { value } | LadderChange::Keep { value, .. } => {
            bounded("rules", value.len(), MAX_LADDER_BYTES)
        }
        LadderChange::KeepVersion {
            bot_name,
            bot_version,
            value,
            ..
        } => {
            bounded("bot name", bot_name.len(), MAX_LADDER_NAME_BYTES)?;
            bounded("bot version", bot_version.len(), MAX_LADDER_NAME_BYTES)?;
            bounded("version", value.len(), MAX_LADDER_VERSION_BYTES)
        }
        LadderChange::Pair { value, .. } | LadderChange::End { value, .. } => {
            bounded("match", value.len(), MAX_LADDER_MATCH_BYTES)
        }
        LadderChange::Lead { .. } | LadderChange::Drop => Ok(()),
    }
}
