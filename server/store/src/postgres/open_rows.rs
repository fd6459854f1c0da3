//! Rows of matches in play that move between nodes.

use std::collections::HashSet;

use sqlx::PgConnection;

use super::{db_error::DbError, node_number::NodeNumber};
use crate::{
    checksum::StoreId,
    rows::open_matches::{OpenRow, checksum_of},
};

/// Returns the match keys among `keys` that belong to matches in play.
pub(super) async fn existing_keys(
    connection: &mut PgConnection,
    keys: Vec<i64>,
) -> Result<HashSet<i64>, DbError> {
    let existing =
        sqlx::query_scalar("SELECT match_key FROM open_match WHERE match_key = ANY ($1)");
    let existing: Vec<i64> = existing.bind(keys).fetch_all(connection).await?;
    Ok(existing.into_iter().collect())
}

/// Returns whether a node has a match in play.
pub(super) async fn has_match_in_play(
    connection: &mut PgConnection,
    node: NodeNumber,
) -> Result<bool, DbError> {
    let has_any = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM open_match WHERE match_key > $1 AND match_key <= $2)",
    );
    let has_any = has_any.bind(node.base()).bind(node.last());
    Ok(has_any.fetch_one(connection).await?)
}

/// A match in play that gets a new match key.
pub(super) struct MatchWithNewKey<'a> {
    pub(super) row: &'a OpenRow,
    pub(super) header: &'a [u8],
    pub(super) match_key: i64,
}

/// Changes the match keys of matches in play.
pub(super) async fn change_keys(
    connection: &mut PgConnection,
    store: StoreId,
    matches: &[MatchWithNewKey<'_>],
) -> Result<(), DbError> {
    let old: Vec<i64> = matches
        .iter()
        .map(|rekeyed| rekeyed.row.match_key)
        .collect();
    let new: Vec<i64> = matches.iter().map(|rekeyed| rekeyed.match_key).collect();
    let checksums = matches.iter().map(|rekeyed| {
        let (id, at) = (rekeyed.row.match_id.as_str(), rekeyed.row.opened_at_unix_ms);
        checksum_of(store, rekeyed.match_key, id, at, rekeyed.header)
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
