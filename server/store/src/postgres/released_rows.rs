//! Rows of matches that a node has released, so that other nodes can take them over.

use std::collections::{BTreeSet, HashMap, HashSet};

use sqlx::{PgConnection, PgExecutor, Row as _};

use super::{db_error::DbError, node_number::NodeNumber, write_connection::Transaction};
use crate::{
    checksum::StoreId,
    journal::in_play::MatchInPlay,
    limits::MAX_TAKEOVER_MATCHES,
    rows::{
        journal::load_batches,
        whole_matches::{RowWithHeader, WholeMatch, combine},
    },
};

/// A match to be released.
pub(super) struct ReleasedMatch {
    match_key: i64,
    entries: i64,
    batches: Vec<i64>,
}

impl ReleasedMatch {
    pub(super) fn new(in_play: &MatchInPlay) -> Self {
        Self {
            match_key: in_play.state.match_key,
            entries: in_play.state.entries.cast_signed(),
            batches: in_play.batches.iter().collect(),
        }
    }
}

/// Releases matches of a node.
pub(super) struct ReleaseMatches<'a>(pub(super) &'a [ReleasedMatch]);

impl Transaction for ReleaseMatches<'_> {
    type Output = ();

    async fn run(&self, connection: &mut PgConnection, _: bool) -> Result<(), DbError> {
        for ReleasedMatch {
            match_key,
            entries,
            batches,
        } in self.0
        {
            // An earlier attempt may have been committed although its result was lost. Another node
            // may have taken over the match since.
            sqlx::query(
                "INSERT INTO released_match (match_key, entries, batches)
                 SELECT $1, $2, $3 WHERE EXISTS (SELECT 1 FROM open_match WHERE match_key = $1)
                 ON CONFLICT DO NOTHING",
            )
            .bind(match_key)
            .bind(entries)
            .bind(batches)
            .execute(&mut *connection)
            .await?;
        }
        Ok(())
    }
}

/// Counts the released matches of a node that no node has taken over yet.
pub(super) async fn count_released(
    database: impl PgExecutor<'_>,
    node: NodeNumber,
) -> Result<u64, DbError> {
    let count: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM released_match JOIN open_match USING (match_key)
         WHERE match_key > $1 AND match_key <= $2",
    )
    .bind(node.base())
    .bind(node.last())
    .fetch_one(database)
    .await?;
    Ok(count.unsigned_abs())
}

/// Returns the first node with released matches whose match keys are not in `excluding`. This may
/// be the searching node itself, if it has become the leader since the release.
pub(super) async fn find_node(
    database: impl PgExecutor<'_>,
    excluding: &[i64],
) -> Result<Option<NodeNumber>, DbError> {
    let number: Option<i64> = sqlx::query_scalar(
        "SELECT number FROM node WHERE EXISTS (
             SELECT 1 FROM released_match JOIN open_match USING (match_key)
             WHERE match_key > number << 40 AND match_key < (number + 1) << 40
                 AND match_key <> ALL ($1))
         ORDER BY number LIMIT 1",
    )
    .bind(excluding)
    .fetch_optional(database)
    .await?;
    number.map(NodeNumber::new).transpose()
}

/// Reads the first released matches of a node, up to the limit of one takeover. Also returns the
/// match keys of unreadable matches. Requires an open snapshot transaction.
pub(super) async fn read_chunk(
    connection: &mut PgConnection,
    store: StoreId,
    node: NodeNumber,
    excluding: &[i64],
) -> Result<(Vec<WholeMatch>, Vec<i64>), DbError> {
    let rows = sqlx::query(
        "SELECT match_key, match_id, opened_at_unix_ms, header, checksum, entries, batches
         FROM open_match JOIN released_match USING (match_key)
         WHERE match_key > $1 AND match_key <= $2 AND match_key <> ALL ($3)
         ORDER BY match_key LIMIT $4",
    )
    .bind(node.base())
    .bind(node.last())
    .bind(excluding)
    .bind(MAX_TAKEOVER_MATCHES as i64)
    .fetch_all(&mut *connection)
    .await?;
    let (mut open, mut entries, mut batches) = (Vec::new(), HashMap::new(), BTreeSet::new());
    for row in &rows {
        let with_header = RowWithHeader::read(store, row);
        entries.insert(with_header.row.match_key, row.try_get::<i64, _>("entries")?);
        batches.extend(row.try_get::<Vec<i64>, _>("batches")?);
        open.push(with_header);
    }
    let of_rows = open.iter().map(|with_header| with_header.row.clone());
    let batches: Vec<i64> = batches.into_iter().collect();
    let loaded = load_batches(connection, store, of_rows.collect(), &batches).await?;
    let (mut matches, mut unreadable) = (Vec::new(), Vec::new());
    for read in combine(open, loaded) {
        match read {
            Ok(whole) if has_all_entries(&whole, &entries) => matches.push(whole),
            Ok(whole) => unreadable.push(whole.row.match_key),
            Err(orphan) => unreadable.push(orphan.match_key),
        }
    }
    Ok((matches, unreadable))
}

/// Returns whether the journal has all entries that the node had stored at the release.
fn has_all_entries(read: &WholeMatch, entries: &HashMap<i64, i64>) -> bool {
    let expected = entries.get(&read.row.match_key);
    expected.is_some_and(|expected| expected.unsigned_abs() == read.journal.len() as u64)
}

/// Claims the matches that are still released, and returns their keys. Matches that another node is
/// claiming are skipped, since commits of this node would wait for that node.
pub(super) async fn claim_released(
    connection: &mut PgConnection,
    keys: &[i64],
) -> Result<HashSet<i64>, DbError> {
    let claimed: Vec<i64> = sqlx::query_scalar(
        "DELETE FROM released_match WHERE match_key IN (
             SELECT match_key FROM released_match WHERE match_key = ANY ($1)
             FOR UPDATE SKIP LOCKED)
         RETURNING match_key",
    )
    .bind(keys)
    .fetch_all(connection)
    .await?;
    Ok(claimed.into_iter().collect())
}

/// Reclaims the matches that a node has released and no node has taken over. Runs in the
/// transaction that takes over the node.
pub(super) async fn reclaim_all(
    connection: &mut PgConnection,
    node: NodeNumber,
) -> Result<(), DbError> {
    sqlx::query("DELETE FROM released_match WHERE match_key > $1 AND match_key <= $2")
        .bind(node.base())
        .bind(node.last())
        .execute(connection)
        .await?;
    Ok(())
}
