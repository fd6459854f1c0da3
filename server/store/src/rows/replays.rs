//! Replays of finished matches. The row of a deleted replay remains,
//! without bytes and with a special checksum. So a missing row, or a row whose bytes were lost by
//! damage, is recognized as damaged.

use std::fmt;

use super::{Param, SqlConnection, StoredRow, Unreadable, first};
use crate::{
    DamageReport, DamagedValue, MatchId,
    checksum::{CHECKSUM_MISMATCH, StoreId},
};

/// Reads a replay from a row with the columns number, bytes and checksum, the first of which has
/// this index. `None` for a deleted replay.
pub(crate) fn read(
    store: StoreId,
    id: &MatchId,
    row: &impl StoredRow,
    column: usize,
) -> Result<Option<Vec<u8>>, DamageReport> {
    let read = || -> Result<_, Unreadable> {
        let replay: Option<Vec<u8>> = row.value(column + 1)?;
        let computed = checksum_of(store, row.value(column)?, id, replay.as_deref());
        Ok((replay, row.value::<i64>(column + 2)? == computed))
    };
    match read() {
        Ok((replay, true)) => Ok(replay),
        Ok((_, false)) => Err(damage(id, CHECKSUM_MISMATCH)),
        Err(error) => Err(damage(id, error)),
    }
}

pub(super) fn damage(id: &MatchId, detail: impl fmt::Display) -> DamageReport {
    DamageReport {
        value: DamagedValue::Replay(id.clone()),
        detail: detail.to_string(),
    }
}

/// Computes the checksum of a replay; `None` stands for a deleted replay.
fn checksum_of(store: StoreId, finish_number: i64, id: &MatchId, replay: Option<&[u8]>) -> i64 {
    let mut row = match replay {
        Some(_) => store.row_checksum("replay"),
        None => store.row_checksum("replay that is kept no more"),
    };
    row.add_number(finish_number)
        .add_text(id.as_str())
        .add_bytes(replay.unwrap_or_default())
        .finish()
}

/// Inserts the replay of a finished match; `None` for a deleted replay. Requires an open
/// transaction.
pub(super) async fn insert<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    finish_number: i64,
    match_id: &MatchId,
    replay: Option<&[u8]>,
) -> Result<(), C::Error> {
    let insert = "INSERT INTO replay (finish_number, replay, checksum) VALUES ($1, $2, $3)";
    let checksum = checksum_of(store, finish_number, match_id, replay);
    let params = [finish_number.into(), Param::Bytes(replay), checksum.into()];
    connection.execute(insert, &params).await?;
    Ok(())
}

/// Deletes a replay's bytes. A damaged replay is kept for inspection. In SQLite, the pages that
/// would be freed might also belong to other rows. Requires an open transaction.
pub(super) async fn delete_bytes<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    finish_number: i64,
    match_id: &MatchId,
) -> Result<(), C::Error> {
    let select = "SELECT finish_number, replay, checksum FROM replay WHERE finish_number = $1";
    let row = first(connection, select, &[finish_number.into()]).await;
    let is_sound = match row {
        Err(error) if C::is_damaged_page(&error) => false,
        row => row?.is_some_and(|row| read(store, match_id, &row, 0).is_ok()),
    };
    if is_sound {
        let update = "UPDATE replay SET replay = NULL, checksum = $1 WHERE finish_number = $2";
        let checksum = checksum_of(store, finish_number, match_id, None);
        let params = [checksum.into(), finish_number.into()];
        connection.execute(update, &params).await?;
    }
    Ok(())
}
