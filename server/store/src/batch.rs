//! Validates a batch against the stored state. Every store validates a batch before it writes
//! anything.

use std::collections::HashMap;

use crate::{
    MatchId, StoreError, Write, WriteRefusal,
    ladder_batch::{self, LadderStates},
    limits::{
        MAX_ENTRY_BYTES, MAX_HEADER_BYTES, MAX_PARTIES, MAX_RECORD_BYTES, MAX_RECORD_NAME_BYTES,
        MAX_REPLAY_BYTES, MAX_SUMMARY_BYTES,
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

/// Checks the writes in order. Each write is checked against the state after the preceding writes.
/// Returns the changes to named rows that follow from the writes.
///
/// # Errors
/// [`StoreError::WriteRefused`] for the first write that does not fit.
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

/// Checks a write that concerns no match, and returns its changes to named rows.
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
        Write::RemoveRecord { name } => Ok(vec![RowChange::Delete {
            table: NamedTable::Record,
            name: name.clone(),
        }]),
        Write::OpenMatch { .. }
        | Write::Append { .. }
        | Write::FinishMatch { .. }
        | Write::ForgetReplay { .. }
        | Write::DropMatch { .. } => Ok(Vec::new()),
    }
}

/// Returns the status of the match after the write.
fn next_status(write: &Write, current: MatchStatus) -> Result<MatchStatus, WriteRefusal> {
    match write {
        Write::OpenMatch {
            match_id, header, ..
        } => {
            check_size(match_id, "header", header, MAX_HEADER_BYTES)?;
            match current {
                MatchStatus::Unknown => Ok(MatchStatus::InPlay { entries: 0 }),
                MatchStatus::InPlay { .. } | MatchStatus::Damaged | MatchStatus::Finished => {
                    Err(WriteRefusal::MatchExists {
                        match_id: match_id.clone(),
                    })
                }
            }
        }
        Write::Append {
            match_id,
            number,
            entry,
        } => {
            check_size(match_id, "entry", entry, MAX_ENTRY_BYTES)?;
            let entries = entries_in_play(match_id, current)?;
            if *number != entries {
                return Err(WriteRefusal::NumberOutOfOrder {
                    match_id: match_id.clone(),
                    number: *number,
                    expected: entries,
                });
            }
            Ok(MatchStatus::InPlay {
                entries: entries + 1,
            })
        }
        Write::FinishMatch {
            match_id,
            summary,
            replay,
            parties,
            ..
        } => {
            check_size(match_id, "summary", summary, MAX_SUMMARY_BYTES)?;
            check_size(match_id, "replay", replay, MAX_REPLAY_BYTES)?;
            if parties.len() > MAX_PARTIES {
                return Err(WriteRefusal::TooManyParties {
                    match_id: match_id.clone(),
                    parties: parties.len(),
                    limit: MAX_PARTIES,
                });
            }
            entries_in_play(match_id, current)?;
            Ok(MatchStatus::Finished)
        }
        Write::ForgetReplay { match_id } => match current {
            MatchStatus::Finished => Ok(MatchStatus::Finished),
            MatchStatus::InPlay { .. } | MatchStatus::Damaged => Err(WriteRefusal::MatchInPlay {
                match_id: match_id.clone(),
            }),
            MatchStatus::Unknown => Err(WriteRefusal::UnknownMatch {
                match_id: match_id.clone(),
            }),
        },
        Write::DropMatch { match_id } => match current {
            MatchStatus::InPlay { .. } | MatchStatus::Damaged | MatchStatus::Finished => {
                Ok(MatchStatus::Unknown)
            }
            MatchStatus::Unknown => Err(WriteRefusal::UnknownMatch {
                match_id: match_id.clone(),
            }),
        },
        Write::PutRecord { .. } | Write::RemoveRecord { .. } | Write::ChangeLadder { .. } => {
            Ok(current)
        }
    }
}

fn entries_in_play(match_id: &MatchId, current: MatchStatus) -> Result<u64, WriteRefusal> {
    match current {
        MatchStatus::InPlay { entries } => Ok(entries),
        MatchStatus::Damaged => Err(WriteRefusal::MatchDamaged {
            match_id: match_id.clone(),
        }),
        MatchStatus::Finished => Err(WriteRefusal::MatchFinished {
            match_id: match_id.clone(),
        }),
        MatchStatus::Unknown => Err(WriteRefusal::UnknownMatch {
            match_id: match_id.clone(),
        }),
    }
}

fn check_size(
    match_id: &MatchId,
    part: &'static str,
    bytes: &[u8],
    limit: usize,
) -> Result<(), WriteRefusal> {
    if bytes.len() <= limit {
        return Ok(());
    }
    Err(WriteRefusal::TooLarge {
        match_id: match_id.clone(),
        part,
        bytes: bytes.len(),
        limit,
    })
}
