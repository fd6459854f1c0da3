//! Rows of replays.

use rusqlite::{Connection, params};

use super::{
    failure::{Fault, is_corrupt},
    row::{execute, first},
};
use crate::{
    MatchId, StoreError,
    checksum::StoreId,
    rows::replay_rows::{ReplayRow, checksum_of, damage, replay_of},
};

/// Within a transaction: writes the replay of a match that has just finished.
pub(super) fn keep(
    connection: &Connection,
    store: StoreId,
    finish_number: i64,
    match_id: &MatchId,
    replay: &[u8],
) -> Result<(), Fault> {
    let checksum = checksum_of(store, finish_number, match_id, Some(replay));
    execute(
        connection,
        "INSERT INTO replay (finish_number, replay, checksum) VALUES (?, ?, ?)",
        params![finish_number, replay, checksum],
    )?;
    Ok(())
}

/// Within a transaction: keeps the replay of a finished match no more. One that is damaged stays:
/// the pages that would be freed with it may be those of something else.
pub(super) fn forget(
    connection: &Connection,
    store: StoreId,
    finish_number: i64,
    match_id: &MatchId,
) -> Result<(), Fault> {
    let row = first(
        connection,
        "SELECT finish_number, replay, checksum FROM replay WHERE finish_number = ?",
        [finish_number],
    );
    let is_sound = match row {
        Err(error) if is_corrupt(&error) => false,
        row => row?.is_some_and(|row| replay_of(store, match_id, &row).is_ok()),
    };
    if !is_sound {
        return Ok(());
    }
    execute(
        connection,
        "UPDATE replay SET replay = NULL, checksum = ? WHERE finish_number = ?",
        params![
            checksum_of(store, finish_number, match_id, None),
            finish_number
        ],
    )?;
    Ok(())
}

/// The replay of a finished match.
pub(super) fn get(
    connection: &Connection,
    store: StoreId,
    id: &MatchId,
) -> Result<Option<Vec<u8>>, Fault> {
    let row = first(
        connection,
        "SELECT finish_number, replay, replay.checksum
         FROM finished_match LEFT JOIN replay USING (finish_number) WHERE match_id = ?",
        [id.as_str()],
    );
    let row = match row {
        // The start of a server reads no replays.
        Err(error) if is_corrupt(&error) => return Err(Fault::Damage(damage(id, &error))),
        row => row?,
    };
    let Some(row) = row else {
        return Ok(None);
    };
    match replay_of(store, id, &row).map_err(Fault::Damage)? {
        ReplayRow::Kept(bytes) => Ok(Some(bytes)),
        ReplayRow::Forgotten => {
            let match_id = id.clone();
            Err(StoreError::ReplayForgotten { match_id }.into())
        }
    }
}
