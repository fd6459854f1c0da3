//! Rows of replays in PostgreSQL.

use sqlx::{PgConnection, PgExecutor};

use super::{db_error::DbError, maybe_unflushed::MaybeUnflushed};
use crate::{
    MatchId, StoreError,
    checksum::StoreId,
    rows::{
        StoredRow as _,
        replay_rows::{ReplayRow, checksum_of, replay_from_row},
    },
};

/// Inserts the replay of a finished match; `None` for a deleted replay. Requires an open transaction.
pub(super) async fn insert(
    connection: &mut PgConnection,
    store: StoreId,
    finish_number: i64,
    match_id: &MatchId,
    replay: Option<&[u8]>,
) -> Result<(), DbError> {
    sqlx::query("INSERT INTO replay (finish_number, replay, checksum) VALUES ($1, $2, $3)")
        .bind(finish_number)
        .bind(replay)
        .bind(checksum_of(store, finish_number, match_id, replay))
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes the bytes of a replay. A damaged replay is kept for inspection. Requires an open
/// transaction.
pub(super) async fn delete_bytes(
    connection: &mut PgConnection,
    store: StoreId,
    finish_number: i64,
    match_id: &MatchId,
) -> Result<(), DbError> {
    let row =
        sqlx::query("SELECT finish_number, replay, checksum FROM replay WHERE finish_number = $1")
            .bind(finish_number)
            .fetch_optional(&mut *connection)
            .await?;
    if row.is_none_or(|row| replay_from_row(store, match_id, &row, 0).is_err()) {
        return Ok(());
    }
    sqlx::query("UPDATE replay SET replay = NULL, checksum = $1 WHERE finish_number = $2")
        .bind(checksum_of(store, finish_number, match_id, None))
        .bind(finish_number)
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn get(
    database: impl PgExecutor<'_>,
    store: StoreId,
    id: &MatchId,
) -> Result<MaybeUnflushed<Option<Vec<u8>>>, DbError> {
    let row = sqlx::query(
        "SELECT finish_number, replay, replay.checksum
         FROM finished_match LEFT JOIN replay USING (finish_number) WHERE match_id = $1",
    )
    .bind(id.as_str())
    .fetch_optional(database)
    .await?;
    let Some(row) = row else {
        let (value, newest) = (None, None);
        return Ok(MaybeUnflushed { value, newest });
    };
    let newest = Some(row.value(0)?);
    match replay_from_row(store, id, &row, 0).map_err(DbError::Damaged)? {
        ReplayRow::Stored(bytes) => Ok(MaybeUnflushed {
            value: Some(bytes),
            newest,
        }),
        ReplayRow::Forgotten => {
            let match_id = id.clone();
            Err(StoreError::ReplayForgotten { match_id }.into())
        }
    }
}
