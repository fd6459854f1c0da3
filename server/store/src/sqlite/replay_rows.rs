//! Rows of replays in SQLite.

use rusqlite::{Connection, params};

use super::{
    db_error::{DbError, is_corrupt},
    row::{execute, first},
};
use crate::{
    MatchId, StoreError,
    checksum::StoreId,
    rows::replay_rows::{ReplayRow, checksum_of, replay_damage, replay_from_row},
};

/// Inserts the replay of a finished match; `None` for a deleted replay. Requires an open transaction.
pub(super) fn insert(
    connection: &Connection,
    store: StoreId,
    finish_number: i64,
    match_id: &MatchId,
    replay: Option<&[u8]>,
) -> Result<(), DbError> {
    let checksum = checksum_of(store, finish_number, match_id, replay);
    execute(
        connection,
        "INSERT INTO replay (finish_number, replay, checksum) VALUES (?, ?, ?)",
        params![finish_number, replay, checksum],
    )?;
    Ok(())
}

/// Deletes a replay's bytes. A damaged replay is kept, since the pages that would be freed might
/// belong to other rows. Requires an open transaction.
pub(super) fn delete_bytes(
    connection: &Connection,
    store: StoreId,
    finish_number: i64,
    match_id: &MatchId,
) -> Result<(), DbError> {
    let row = first(
        connection,
        "SELECT finish_number, replay, checksum FROM replay WHERE finish_number = ?",
        [finish_number],
    );
    let is_sound = match row {
        Err(error) if is_corrupt(&error) => false,
        row => row?.is_some_and(|row| replay_from_row(store, match_id, &row, 0).is_ok()),
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

pub(super) fn get(
    connection: &Connection,
    store: StoreId,
    id: &MatchId,
) -> Result<Option<Vec<u8>>, DbError> {
    let row = first(
        connection,
        "SELECT finish_number, replay, replay.checksum
         FROM finished_match LEFT JOIN replay USING (finish_number) WHERE match_id = ?",
        [id.as_str()],
    );
    let row = match row {
        // Opening the store does not check replays.
        Err(error) if is_corrupt(&error) => {
            return Err(DbError::Damaged(replay_damage(id, &error)));
        }
        row => row?,
    };
    let Some(row) = row else {
        return Ok(None);
    };
    match replay_from_row(store, id, &row, 0).map_err(DbError::Damaged)? {
        ReplayRow::Stored(bytes) => Ok(Some(bytes)),
        ReplayRow::Forgotten => {
            let match_id = id.clone();
            Err(StoreError::ReplayForgotten { match_id }.into())
        }
    }
}
