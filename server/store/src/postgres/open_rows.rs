//! Rows of the matches in play, without their journals.

use std::collections::HashSet;

use sqlx::{PgConnection, PgExecutor, postgres::PgRow};

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

impl WithHeader {
    /// From the columns `match_key`, `match_id`, `opened_at_unix_ms`, `header`, `checksum`.
    pub(super) fn of(store: StoreId, row: &PgRow) -> Self {
        let open = OpenRow::of(store, row);
        let header = read(store, open.match_key, row).unwrap_or_default();
        Self { row: open, header }
    }
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
    Ok(rows.iter().map(|row| WithHeader::of(store, row)).collect())
}

/// Which of these keys are those of matches in play.
pub(super) async fn still_there(
    connection: &mut PgConnection,
    keys: Vec<i64>,
) -> Result<HashSet<i64>, Fault> {
    let there = sqlx::query_scalar("SELECT match_key FROM open_match WHERE match_key = ANY ($1)");
    let there: Vec<i64> = there.bind(keys).fetch_all(connection).await?;
    Ok(there.into_iter().collect())
}

/// Whether a node has a match in play.
pub(super) async fn are_any_of(
    connection: &mut PgConnection,
    node: NodeNumber,
) -> Result<bool, Fault> {
    let are_any = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM open_match WHERE match_key > $1 AND match_key <= $2)",
    );
    let are_any = are_any.bind(node.base()).bind(node.last());
    Ok(are_any.fetch_one(connection).await?)
}

/// A match in play that gets another key.
pub(super) struct Moved<'a> {
    pub(super) row: &'a OpenRow,
    pub(super) header: &'a [u8],
    /// The new key.
    pub(super) match_key: i64,
}

/// Gives matches in play other keys.
pub(super) async fn change_keys(
    connection: &mut PgConnection,
    store: StoreId,
    matches: &[Moved<'_>],
) -> Result<(), Fault> {
    let old: Vec<i64> = matches.iter().map(|moved| moved.row.match_key).collect();
    let new: Vec<i64> = matches.iter().map(|moved| moved.match_key).collect();
    let checksums = matches.iter().map(|moved| {
        let (id, at) = (moved.row.match_id.as_str(), moved.row.opened_at_unix_ms);
        checksum_of(store, moved.match_key, id, at, moved.header)
    });
    let checksums: Vec<i64> = checksums.collect();
    sqlx::query(
        "UPDATE open_match SET match_key = moved.key, checksum = moved.sum
         FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS moved (old, key, sum)
         WHERE match_key = old",
    )
    .bind(old)
    .bind(new)
    .bind(checksums)
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
