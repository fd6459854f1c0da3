//! Rows of the matches in play, without their journals.

use sqlx::{PgConnection, PgExecutor};

use super::failure::Fault;
use crate::{
    MatchId,
    checksum::StoreId,
    rows::open_rows::{OpenRow, checksum_of, read},
};

/// Adds a match in play.
pub(super) async fn insert(
    connection: &mut PgConnection,
    store: StoreId,
    match_key: i64,
    match_id: &MatchId,
    opened_at_unix_ms: i64,
    header: &[u8],
) -> Result<(), Fault> {
    let id = match_id.as_str();
    sqlx::query(
        "INSERT INTO open_match (match_key, match_id, opened_at_unix_ms, header, checksum)
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(match_key)
    .bind(id)
    .bind(opened_at_unix_ms)
    .bind(header)
    .bind(checksum_of(store, match_key, id, opened_at_unix_ms, header))
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes a match in play.
pub(super) async fn delete(connection: &mut PgConnection, match_key: i64) -> Result<(), Fault> {
    sqlx::query("DELETE FROM open_match WHERE match_key = $1")
        .bind(match_key)
        .execute(connection)
        .await?;
    Ok(())
}

/// The matches in play, each checked.
pub(super) async fn all(
    connection: &mut PgConnection,
    store: StoreId,
) -> Result<Vec<OpenRow>, Fault> {
    let rows = sqlx::query(
        "SELECT match_key, match_id, opened_at_unix_ms, header, checksum FROM open_match",
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.iter().map(|row| OpenRow::of(store, row)).collect())
}

/// The header of a match in play; or what is wrong with it.
pub(super) async fn header(
    database: impl PgExecutor<'_>,
    store: StoreId,
    match_key: i64,
) -> Result<Result<Vec<u8>, String>, Fault> {
    let row = sqlx::query(
        "SELECT match_key, match_id, opened_at_unix_ms, header, checksum FROM open_match
         WHERE match_key = $1",
    )
    .bind(match_key)
    .fetch_optional(database)
    .await?;
    Ok(match row {
        Some(row) => read(store, match_key, &row),
        None => Err("it is missing".to_owned()),
    })
}
