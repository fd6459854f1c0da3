//! Rows of replays, as they are read, and their checksums. One that is kept no more leaves its row
//! without bytes and with a checksum that says so: a row that is missing, or was emptied by damage,
//! is none of these.

use std::fmt;

use super::{StoredRow, Unreadable};
use crate::{
    Damage, DamagedValue, MatchId,
    checksum::{CHECKSUM_DIFFERS, StoreId},
};

/// What a row of a replay says.
pub(crate) enum ReplayRow {
    /// Its bytes.
    Kept(Vec<u8>),
    /// It is kept no more.
    Forgotten,
}

/// A replay, from a row with its number, its bytes and its checksum.
pub(crate) fn replay_of(
    store: StoreId,
    id: &MatchId,
    row: &impl StoredRow,
) -> Result<ReplayRow, Damage> {
    let read = || -> Result<_, Unreadable> {
        let replay: Option<Vec<u8>> = row.value(1)?;
        let computed = checksum_of(store, row.value(0)?, id, replay.as_deref());
        Ok((replay, row.value::<i64>(2)? == computed))
    };
    match read() {
        Ok((Some(replay), true)) => Ok(ReplayRow::Kept(replay)),
        Ok((None, true)) => Ok(ReplayRow::Forgotten),
        Ok((_, false)) => Err(damage(id, CHECKSUM_DIFFERS)),
        Err(error) => Err(damage(id, error)),
    }
}

/// What is wrong with a replay.
pub(crate) fn damage(id: &MatchId, detail: impl fmt::Display) -> Damage {
    Damage {
        value: DamagedValue::Replay(id.clone()),
        detail: detail.to_string(),
    }
}

/// The checksum of a replay; `None` for one that is kept no more.
pub(crate) fn checksum_of(
    store: StoreId,
    finish_number: i64,
    id: &MatchId,
    replay: Option<&[u8]>,
) -> i64 {
    let row = match replay {
        Some(_) => store.row("replay"),
        None => store.row("replay that is kept no more"),
    };
    row.number(finish_number)
        .text(id.as_str())
        .bytes(replay.unwrap_or_default())
        .finish()
}
