//! Reads rows of replays, and computes their checksums. The row of a deleted replay remains,
//! without bytes and with a special checksum. So a missing row, or a row whose bytes were lost by
//! damage, is recognized as damaged.

use std::fmt;

use super::{StoredRow, Unreadable};
use crate::{
    DamageReport, DamagedValue, MatchId,
    checksum::{CHECKSUM_MISMATCH, StoreId},
};

/// Content of a row in the `replay` table.
pub(crate) enum ReplayRow {
    Stored(Vec<u8>),
    /// The replay was deleted.
    Forgotten,
}

/// Reads a replay from a row with the columns number, bytes and checksum, the first of which has
/// this index.
pub(crate) fn replay_from_row(
    store: StoreId,
    id: &MatchId,
    row: &impl StoredRow,
    first: usize,
) -> Result<ReplayRow, DamageReport> {
    let read = || -> Result<_, Unreadable> {
        let replay: Option<Vec<u8>> = row.value(first + 1)?;
        let computed = checksum_of(store, row.value(first)?, id, replay.as_deref());
        Ok((replay, row.value::<i64>(first + 2)? == computed))
    };
    match read() {
        Ok((Some(replay), true)) => Ok(ReplayRow::Stored(replay)),
        Ok((None, true)) => Ok(ReplayRow::Forgotten),
        Ok((_, false)) => Err(replay_damage(id, CHECKSUM_MISMATCH)),
        Err(error) => Err(replay_damage(id, error)),
    }
}

pub(crate) fn replay_damage(id: &MatchId, detail: impl fmt::Display) -> DamageReport {
    DamageReport {
        value: DamagedValue::Replay(id.clone()),
        detail: detail.to_string(),
    }
}

/// Computes the checksum of a replay; `None` stands for a deleted replay.
pub(crate) fn checksum_of(
    store: StoreId,
    finish_number: i64,
    id: &MatchId,
    replay: Option<&[u8]>,
) -> i64 {
    let mut row = match replay {
        Some(_) => store.row_checksum("replay"),
        None => store.row_checksum("replay that is kept no more"),
    };
    row.add_number(finish_number)
        .add_text(id.as_str())
        .add_bytes(replay.unwrap_or_default())
        .finish()
}
