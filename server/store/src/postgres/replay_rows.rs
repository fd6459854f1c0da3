//! Rows of replays.

use sqlx::{PgConnection, PgExecutor};

use super::{failure::Fault, found::Found};
use crate::{
    MatchId, StoreError,
    checksum::StoreId,
    rows::{
        StoredRow as _,
        replay_rows::{ReplayRow, checksum_of, replay_of},
    },
};

/// Within a transaction: writes the replay of a match that has just finished.
pub(super) async fn keep(
    connection: &mut PgConnection,
    store: StoreId,
    finish_number: i64,
    match_id: &MatchId,
    replay: &[u8],
) -> Result<(), Fault> {
    sqlx::query("INSERT INTO replay (finish_number, replay, checksum) VALUES ($1, $2, $3)")
        .bind(finish_number)
        .bind(replay)
        .bind(checksum_of(store, finish_number, match_id, Some(replay)))
        .execute(connection)
        .await?;
    Ok(())
}

/// Within a transaction: keeps the replay of a finished match no more. One that is damaged stays,
/// for whoever looks into it.
pub(super) async fn forget(
    connection: &mut PgConnection,
    store: StoreId,
    finish_number: i64,
    match_id: &MatchId,
) -> Result<(), Fault> {
    let row =
        sqlx::query("SELECT finish_number, replay, checksum FROM replay WHERE finish_number = $1")
            .bind(finish_number)
            .fetch_optional(&mut *connection)
            .await?;
    if row.is_none_or(|row| replay_of(store, match_id, &row).is_err()) {
        return Ok(());
    }
    sqlx::query("UPDATE replay SET replay = NULL, checksum = $1 WHERE finish_number = $2")
        .bind(checksum_of(store, finish_number, match_id, None))
        .bind(finish_number)
        .execute(connection)
        .await?;
    Ok(())
}

/// The replay of a finished match.
pub(super) async fn get(
    database: impl PgExecutor<'_>,
    store: StoreId,
    id: &MatchId,
) -> Result<Found<Option<Vec<u8>>>, Fault> {
    let row = sqlx::query(
        "SELECT finish_number, replay, replay.checksum
         FROM finished_match LEFT JOIN replay USING (finish_number) WHERE match_id = $1",
    )
    .bind(id.as_str())
    .fetch_optional(database)
    .await?;
    let Some(row) = row else {
        let (value, newest) = (None, None);
        return Ok(Found { value, newest });
    };
    let newest = Some(row.value(0)?);
    match replay_of(store, id, &row).map_err(Fault::Damage)? {
        ReplayRow::Kept(bytes) => Ok(Found {
            value: Some(bytes),
            newest,
        }),
        ReplayRow::Forgotten => {
            let match_id = id.clone();
            Err(StoreError::ReplayForgotten { match_id }.into())
        }
    }
}
