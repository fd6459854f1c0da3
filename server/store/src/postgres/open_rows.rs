//! Rows of the matches in play, without their journals.

use sqlx::{PgConnection, PgExecutor};

use super::{failure::Fault, node_number::NodeNumber};
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

/// A match in play with its header, which is empty where it cannot be read.
pub(super) struct WithHeader {
    pub(super) row: OpenRow,
    pub(super) header: Vec<u8>,
}

/// The matches of a node that are in play, in the order in which they were opened, each checked.
pub(super) async fn with_headers(
    connection: &mut PgConnection,
    store: StoreId,
    node: NodeNumber,
) -> Result<Vec<WithHeader>, Fault> {
    let rows = sqlx::query(
        "SELECT match_key, match_id, opened_at_unix_ms, header, checksum FROM open_match
         WHERE match_key > $1 AND match_key <= $2 ORDER BY match_key",
    )
    .bind(node.base())
    .bind(node.last())
    .fetch_all(connection)
    .await?;
    let rows = rows.iter().map(|row| {
        let open = OpenRow::of(store, row);
        let header = read(store, open.match_key, row).unwrap_or_default();
        WithHeader { row: open, header }
    });
    Ok(rows.collect())
}

/// Gives a match in play another key.
pub(super) async fn change_key(
    connection: &mut PgConnection,
    store: StoreId,
    row: &OpenRow,
    match_key: i64,
    header: &[u8],
) -> Result<(), Fault> {
    let (id, at) = (row.match_id.as_str(), row.opened_at_unix_ms);
    sqlx::query("UPDATE open_match SET match_key = $2, checksum = $3 WHERE match_key = $1")
        .bind(row.match_key)
        .bind(match_key)
        .bind(checksum_of(store, match_key, id, at, header))
        .execute(connection)
        .await?;
    Ok(())
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
