//! Validates a batch against the stored state. Every store validates a batch before it writes
//! anything.

use std::collections::HashMap;

use crate::{
    MatchId, StoreError, Write, WriteRefusal,
    ladder_batch::{self, LadderStates},
    limits::{
        MAX_ENTRY_BYTES, MAX_HEADER_BYTES, MAX_INDEX_KEYS, MAX_PARTIES, MAX_RECORD_BYTES,
        MAX_RECORD_NAME_BYTES, MAX_REPLAY_BYTES, MAX_SUMMARY_BYTES,
    },
    named_rows::{NamedTable, RowChange},
};

/// Maximum number of characters that an error message quotes from a name.
const MAX_QUOTED_CHARS: usize = 64;

/// State of a match id in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchStatus {
    /// In play, with this number of journal entries.
    InPlay {
        entries: u64,
    },
    /// In play, but unreadable. The match can only be dropped.
    Damaged,
    Finished,
    /// No match has this id.
    Unknown,
}

/// Checks the writes in order, each against the state after the preceding ones. Returns the
/// resulting changes to named rows.
///
/// # Errors
/// [`StoreError::WriteRefused`] for the first write that contradicts this state.
pub(crate) fn check(
    batch: &[Write],
    status_of: impl Fn(&MatchId) -> MatchStatus,
    mut ladders: LadderStates,
) -> Result<Vec<RowChange>, StoreError> {
    let mut current = HashMap::with_capacity(batch.len());
    let mut rows = Vec::new();
    for (index, write) in batch.iter().enumerate() {
        let refused = |refusal| StoreError::WriteRefused { index, refusal };
        if let Some(id) = write.match_id() {
            let current = current.entry(id).or_insert_with(|| status_of(id));
            *current = next_status(write, *current).map_err(refused)?;
        } else {
            rows.extend(row_changes(write, &mut ladders).map_err(refused)?);
        }
    }
    Ok(rows)
}

/// Checks a write that concerns no match, and returns the resulting changes to named rows.
fn row_changes(write: &Write, ladders: &mut LadderStates) -> Result<Vec<RowChange>, WriteRefusal> {
    match write {
        Write::ChangeLadder { ladder_id, change } => {
            ladder_batch::check(ladder_id, change, ladders)
        }
        Write::PutRecord { name, value } => {
            let is_name = (1..=MAX_RECORD_NAME_BYTES).contains(&name.len());
            if is_name && value.len() <= MAX_RECORD_BYTES {
                return Ok(vec![NamedTable::Record.put(&**name, value.clone())]);
            }
            Err(WriteRefusal::RecordTooLarge {
                name: name.chars().take(MAX_QUOTED_CHARS).collect(),
                name_bytes: name.len(),
                bytes: value.len(),
            })
        }
        Write::RemoveRecord { name } => {
            Ok(vec![RowChange::Delete { table: NamedTable::Record, name: name.clone() }])
        }
        _ => Ok(Vec::new()),
    }
}

/// Returns the status of the match after the write.
fn next_status(write: &Write, current: MatchStatus) -> Result<MatchStatus, WriteRefusal> {
    use MatchStatus::{Damaged, Finished, InPlay, Unknown};

    let Some(id) = write.match_id() else {
        return Ok(current);
    };
    check_sizes(write, id)?;
    let match_id = id.clone();
    match (write, current) {
        (Write::OpenMatch { .. }, Unknown) => Ok(InPlay { entries: 0 }),
        (Write::OpenMatch { .. }, _) => Err(WriteRefusal::MatchExists { match_id }),
        (_, Unknown) => Err(WriteRefusal::UnknownMatch { match_id }),
        (Write::Append { number, .. }, InPlay { entries }) if *number != entries => {
            Err(WriteRefusal::NumberOutOfOrder { match_id, number: *number, expected: entries })
        }
        (Write::Append { number, .. }, InPlay { .. }) => Ok(InPlay { entries: number + 1 }),
        (Write::DropMatch { .. }, _) => Ok(Unknown),
        (Write::FinishMatch { .. }, InPlay { .. }) | (Write::ForgetReplay { .. }, Finished) => {
            Ok(Finished)
        }
        (Write::ForgetReplay { .. }, _) => Err(WriteRefusal::MatchInPlay { match_id }),
        (_, Damaged) => Err(WriteRefusal::MatchDamaged { match_id }),
        (_, Finished) => Err(WriteRefusal::MatchFinished { match_id }),
        (_, InPlay { .. }) => Ok(current),
    }
}

/// Checks the sizes of the parts of a match.
fn check_sizes(write: &Write, match_id: &MatchId) -> Result<(), WriteRefusal> {
    let check = |part, bytes: &[u8], limit| {
        if bytes.len() <= limit {
            return Ok(());
        }
        Err(WriteRefusal::TooLarge { match_id: match_id.clone(), part, bytes: bytes.len(), limit })
    };
    match write {
        Write::OpenMatch { header, .. } => check("header", header, MAX_HEADER_BYTES),
        Write::Append { entry, .. } => check("entry", entry, MAX_ENTRY_BYTES),
        Write::FinishMatch { summary, replay, parties, index_keys, .. } => {
            check("summary", summary, MAX_SUMMARY_BYTES)?;
            check("replay", replay, MAX_REPLAY_BYTES)?;
            for (count, limit) in [(parties.len(), MAX_PARTIES), (index_keys.len(), MAX_INDEX_KEYS)]
            {
                if count > limit {
                    return Err(WriteRefusal::TooManyParties {
                        match_id: match_id.clone(),
                        parties: count,
                        limit,
                    });
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
