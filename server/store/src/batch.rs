//! Whether a batch fits what is stored. Every store asks this before it writes anything.

use std::collections::HashMap;

use crate::{
    MatchId, StoreError, Write, WriteRefusal,
    ladder_batch::{self, LadderStandings},
    limits::{
        MAX_ENTRY_BYTES, MAX_HEADER_BYTES, MAX_NOTE_BYTES, MAX_NOTE_NAME_BYTES, MAX_PARTIES,
        MAX_REPLAY_BYTES, MAX_SUMMARY_BYTES,
    },
};

/// Characters of a name that a refusal repeats.
const MAX_REPEATED_CHARS: usize = 64;

/// What the store knows of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// In play, with so many entries.
    InPlay { entries: u64 },
    /// In play, and it cannot be read.
    Damaged,
    /// Finished.
    Finished,
    /// No match has it.
    Unknown,
}

/// Checks the writes in their order, each against what the ones before it leave.
///
/// # Errors
/// [`StoreError::WriteRefused`] for the first that does not fit.
pub(crate) fn check(
    batch: &[Write],
    standing: impl Fn(&MatchId) -> Standing,
    mut ladders: LadderStandings,
) -> Result<(), StoreError> {
    let mut left = HashMap::with_capacity(batch.len());
    for (index, write) in batch.iter().enumerate() {
        let refused = |refusal| StoreError::WriteRefused { index, refusal };
        if let Write::ChangeLadder { ladder_id, change } = write {
            ladder_batch::check(ladder_id, change, &mut ladders).map_err(refused)?;
            continue;
        }
        let Some(id) = write.match_id() else {
            check_note(write).map_err(refused)?;
            continue;
        };
        let left = left.entry(id).or_insert_with(|| standing(id));
        *left = after(write, *left).map_err(refused)?;
    }
    Ok(())
}

fn check_note(write: &Write) -> Result<(), WriteRefusal> {
    match write {
        Write::KeepNote { name, value } => {
            let is_name = (1..=MAX_NOTE_NAME_BYTES).contains(&name.len());
            if is_name && value.len() <= MAX_NOTE_BYTES {
                return Ok(());
            }
            Err(WriteRefusal::NoteTooLarge {
                name: name.chars().take(MAX_REPEATED_CHARS).collect(),
                name_bytes: name.len(),
                bytes: value.len(),
            })
        }
        _ => Ok(()),
    }
}

/// How the match stands after the write.
fn after(write: &Write, now: Standing) -> Result<Standing, WriteRefusal> {
    match write {
        Write::OpenMatch {
            match_id, header, ..
        } => {
            bounded(match_id, "header", header, MAX_HEADER_BYTES)?;
            match now {
                Standing::Unknown => Ok(Standing::InPlay { entries: 0 }),
                Standing::InPlay { .. } | Standing::Damaged | Standing::Finished => {
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
            bounded(match_id, "entry", entry, MAX_ENTRY_BYTES)?;
            let entries = entries_in_play(match_id, now)?;
            if *number != entries {
                return Err(WriteRefusal::NumberOutOfOrder {
                    match_id: match_id.clone(),
                    number: *number,
                    expected: entries,
                });
            }
            Ok(Standing::InPlay {
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
            bounded(match_id, "summary", summary, MAX_SUMMARY_BYTES)?;
            bounded(match_id, "replay", replay, MAX_REPLAY_BYTES)?;
            if parties.len() > MAX_PARTIES {
                return Err(WriteRefusal::TooManyParties {
                    match_id: match_id.clone(),
                    parties: parties.len(),
                    limit: MAX_PARTIES,
                });
            }
            entries_in_play(match_id, now)?;
            Ok(Standing::Finished)
        }
        Write::ForgetReplay { match_id } => match now {
            Standing::Finished => Ok(Standing::Finished),
            Standing::InPlay { .. } | Standing::Damaged => Err(WriteRefusal::MatchInPlay {
                match_id: match_id.clone(),
            }),
            Standing::Unknown => Err(WriteRefusal::UnknownMatch {
                match_id: match_id.clone(),
            }),
        },
        Write::DropMatch { match_id } => match now {
            Standing::InPlay { .. } | Standing::Damaged | Standing::Finished => {
                Ok(Standing::Unknown)
            }
            Standing::Unknown => Err(WriteRefusal::UnknownMatch {
                match_id: match_id.clone(),
            }),
        },
        Write::KeepNote { .. } | Write::DropNote { .. } | Write::ChangeLadder { .. } => Ok(now),
    }
}

fn entries_in_play(match_id: &MatchId, now: Standing) -> Result<u64, WriteRefusal> {
    match now {
        Standing::InPlay { entries } => Ok(entries),
        Standing::Damaged => Err(WriteRefusal::MatchDamaged {
            match_id: match_id.clone(),
        }),
        Standing::Finished => Err(WriteRefusal::MatchFinished {
            match_id: match_id.clone(),
        }),
        Standing::Unknown => Err(WriteRefusal::UnknownMatch {
            match_id: match_id.clone(),
        }),
    }
}

fn bounded(
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
