//! The replays of finished matches.
//!
//! The row of a deleted replay remains, without bytes and with a special checksum. So a row that is
//! missing or has lost its bytes is recognized as damaged.

use std::fmt;

use super::{
    Param, SqlConnection, StoredRow, Unreadable,
    finished::{self, COLUMNS, FinishedEntry, MaybeUnflushed, read},
    first,
};
use crate::{
    DamageReport, DamagedValue, FinishedCursor, MatchId, ReplayMetadata, StoreError,
    checksum::{CHECKSUM_MISMATCH, StoreId},
    db_error::DbError,
    row_sums::RowSums,
};

/// Selects finished matches with their replays, as [`COLUMNS`] followed by the columns that
/// [`read_replay`] expects.
pub(crate) const SELECT_WITH_REPLAY: &str =
    "SELECT finish_number, match_id, opened_at_unix_ms, ended_at_unix_ms, summary, parties,
         finished_match.checksum, replay.finish_number AS replay_number, replay, replay.checksum
     FROM finished_match LEFT JOIN replay USING (finish_number)";

/// The first column of the replay in [`SELECT_WITH_REPLAY`].
pub(crate) const REPLAY_COLUMN: usize = 7;

/// Computes the checksum of a replay; `None` stands for a deleted replay.
fn replay_checksum(store: StoreId, finish_number: i64, id: &MatchId, replay: Option<&[u8]>) -> i64 {
    let mut row = match replay {
        Some(_) => store.start_row_checksum("replay"),
        None => store.start_row_checksum("replay that is kept no more"),
    };
    row.add_number(finish_number)
        .add_text(id.as_str())
        .add_bytes(replay.unwrap_or_default())
        .finish()
}

/// Inserts a finished match and its replay, with this number; `None` for the next number. Requires
/// an open transaction.
pub(crate) async fn insert_with_replay<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    number: Option<i64>,
    entry: &FinishedEntry,
    sums: &mut RowSums,
) -> Result<(), DbError> {
    let number = finished::insert(connection, store, number, entry, sums).await?;
    insert_replay(connection, store, number, &entry.finished.match_id, entry.replay.as_deref())
        .await
}

/// Inserts the replay of a finished match; `None` for a deleted replay.
async fn insert_replay<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    finish_number: i64,
    match_id: &MatchId,
    replay: Option<&[u8]>,
) -> Result<(), DbError> {
    let insert = "INSERT INTO replay (finish_number, replay, checksum) VALUES ($1, $2, $3)";
    let checksum = replay_checksum(store, finish_number, match_id, replay);
    let params = [finish_number.into(), Param::Bytes(replay), checksum.into()];
    connection.execute(insert, &params).await?;
    Ok(())
}

/// Returns the next finished matches with higher numbers, and their numbers. Fails at the first
/// damaged value.
pub(crate) async fn entries_after<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    number: i64,
    limit: u32,
) -> Result<Vec<(i64, FinishedEntry)>, DbError> {
    let select =
        format!("{SELECT_WITH_REPLAY} WHERE finish_number > $1 ORDER BY finish_number LIMIT $2");
    let params = [number.into(), i64::from(limit).into()];
    let rows = connection.query(&select, &params).await?;
    let entry = |row: &C::Row| {
        let (finished, keys) = read(store, row)?;
        let replay = read_replay(store, &finished.match_id, row, REPLAY_COLUMN)?;
        Ok((row.value(0)?, FinishedEntry { finished, keys, replay }))
    };
    rows.iter().map(entry).collect()
}

/// Reads a replay from a row with the columns number, bytes and checksum, the first of which has
/// this index. `None` for a deleted replay.
pub(crate) fn read_replay(
    store: StoreId,
    id: &MatchId,
    row: &impl StoredRow,
    column: usize,
) -> Result<Option<Vec<u8>>, DamageReport> {
    let read = || -> Result<_, Unreadable> {
        let replay: Option<Vec<u8>> = row.value(column + 1)?;
        let computed = replay_checksum(store, row.value(column)?, id, replay.as_deref());
        Ok((replay, row.value::<i64>(column + 2)? == computed))
    };
    match read() {
        Ok((replay, true)) => Ok(replay),
        Ok((_, false)) => Err(replay_damage(id, CHECKSUM_MISMATCH)),
        Err(error) => Err(replay_damage(id, error)),
    }
}

fn replay_damage(id: &MatchId, detail: impl fmt::Display) -> DamageReport {
    DamageReport { value: DamagedValue::Replay(id.clone()), detail: detail.to_string() }
}

/// Deletes the bytes of a replay. A damaged replay is kept: it may be needed for inspection, and in
/// SQLite its pages might also belong to other rows. Requires an open transaction.
pub(super) async fn delete_replay_bytes<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    finish_number: i64,
    match_id: &MatchId,
) -> Result<(), DbError> {
    let select = "SELECT finish_number, replay, checksum FROM replay WHERE finish_number = $1";
    let row = first(connection, select, &[finish_number.into()]).await;
    let is_sound = match row {
        Err(error) if error.is_damaged_page() => false,
        row => row?.is_some_and(|row| read_replay(store, match_id, &row, 0).is_ok()),
    };
    if is_sound {
        let update = "UPDATE replay SET replay = NULL, checksum = $1 WHERE finish_number = $2";
        let checksum = replay_checksum(store, finish_number, match_id, None);
        let params = [checksum.into(), finish_number.into()];
        connection.execute(update, &params).await?;
    }
    Ok(())
}

/// Reads a stored replay from a row with [`COLUMNS`], followed by the replay's length.
fn replay_metadata_from_row(store: StoreId, row: &impl StoredRow) -> Option<ReplayMetadata> {
    let (finished, _) = read(store, row).ok()?;
    let bytes: i64 = row.value(7).ok()?;
    Some(ReplayMetadata {
        match_id: finished.match_id,
        ended_at_unix_ms: finished.ended_at_unix_ms,
        bytes: bytes.unsigned_abs(),
        cursor: FinishedCursor(row.value(0).ok()?),
    })
}

/// Returns stored replays, oldest match first.
pub(crate) async fn stored_replays<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    after: Option<FinishedCursor>,
    limit: u32,
    skip_newest: u64,
) -> Result<MaybeUnflushed<Vec<ReplayMetadata>>, DbError> {
    let mut after = after.map_or(i64::MIN, |cursor| cursor.0);
    let none = (Vec::new(), None);
    let Ok(skip_newest) = i64::try_from(skip_newest) else {
        return Ok(none);
    };
    let (horizon, join) = (C::DIALECT.finish_horizon, C::DIALECT.ordered_join);
    let last = C::DIALECT.last_unskipped_number;
    // For a deleted replay, SQLite reads only the header of the row.
    let select = format!(
        "SELECT {COLUMNS}, CAST(length(replay) AS BIGINT)
         FROM replay {join} finished_match USING (finish_number)
         WHERE finish_number > $1 AND length(replay) > 0 AND finish_number < {horizon}
             AND finish_number <= {last}
         ORDER BY finish_number LIMIT $2"
    );
    loop {
        let params = [after.into(), i64::from(limit).into(), skip_newest.into()];
        let rows = connection.query(&select, &params).await?;
        let Some(last) = rows.last() else {
            return Ok(none);
        };
        after = last.value(0)?;
        let value: Vec<_> =
            rows.iter().filter_map(|row| replay_metadata_from_row(store, row)).collect();
        // Matches that cannot be read are skipped.
        if !value.is_empty() {
            return Ok((value, Some(after)));
        }
    }
}

/// Returns the replay of a finished match.
pub(crate) async fn replay<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    id: &MatchId,
) -> Result<MaybeUnflushed<Option<Vec<u8>>>, DbError> {
    let select = "SELECT finish_number, replay, replay.checksum
         FROM finished_match LEFT JOIN replay USING (finish_number) WHERE match_id = $1";
    let row = match first(connection, select, &[id.as_str().into()]).await {
        // Opening the store does not check the pages with replays, so damage is found here.
        Err(error) if error.is_damaged_page() => {
            return Err(replay_damage(id, "its page is damaged").into());
        }
        row => row?,
    };
    let Some(row) = row else {
        return Ok((None, None));
    };
    let replay = read_replay(store, id, &row, 0)?;
    let replay = replay.ok_or_else(|| StoreError::ReplayForgotten(id.clone()))?;
    Ok((Some(replay), Some(row.value(0)?)))
}
