//! Rows of matches that their nodes have released.

use std::collections::{BTreeSet, HashMap, HashSet};

use sqlx::{PgConnection, PgExecutor, Row as _};

use super::{
    failure::Fault,
    journal,
    link::Work,
    node_number::NodeNumber,
    open_rows::WithHeader,
    whole_matches::{self, WholeMatch},
};
use crate::{checksum::StoreId, journal::in_play::InPlay, limits::TAKEN_AT_ONCE};

/// A match that is to be released.
pub(super) struct Released {
    match_key: i64,
    entries: i64,
    batches: Vec<i64>,
}

impl Released {
    pub(super) fn of(in_play: &InPlay) -> Self {
        Self {
            match_key: in_play.standing.match_key,
            entries: in_play.standing.entries.cast_signed(),
            batches: in_play.batches.iter().collect(),
        }
    }
}

/// Releases matches of a node.
pub(super) struct Release<'a>(pub(super) &'a [Released]);

impl Work for Release<'_> {
    type Done = ();

    async fn carry_out(&self, connection: &mut PgConnection, _: bool) -> Result<(), Fault> {
        for Released {
            match_key,
            entries,
            batches,
        } in self.0
        {
            // By an earlier try whose answer was lost it may be taken over already.
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

/// How many released matches of a node nobody has taken over yet.
pub(super) async fn count(database: impl PgExecutor<'_>, node: NodeNumber) -> Result<u64, Fault> {
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

/// The first node that has released matches, but for those of these keys. A node may take back what it
/// has released itself, if it leads by then.
pub(super) async fn node(
    database: impl PgExecutor<'_>,
    but_for: &[i64],
) -> Result<Option<NodeNumber>, Fault> {
    let number: Option<i64> = sqlx::query_scalar(
        "SELECT number FROM node WHERE EXISTS (
             SELECT 1 FROM released_match JOIN open_match USING (match_key)
             WHERE match_key > number << 40 AND match_key < (number + 1) << 40
                 AND match_key <> ALL ($1))
         ORDER BY number LIMIT 1",
    )
    .bind(but_for)
    .fetch_optional(database)
    .await?;
    number.map(NodeNumber::new).transpose()
}

/// The released matches of a node that come first, as many as are taken over at once, and the keys of
/// those that cannot be read. The connection must show the database as it is at one moment.
pub(super) async fn read_some(
    connection: &mut PgConnection,
    store: StoreId,
    node: NodeNumber,
    but_for: &[i64],
) -> Result<(Vec<WholeMatch>, Vec<i64>), Fault> {
    let rows = sqlx::query(
        "SELECT match_key, match_id, opened_at_unix_ms, header, checksum, entries, batches
         FROM open_match JOIN released_match USING (match_key)
         WHERE match_key > $1 AND match_key <= $2 AND match_key <> ALL ($3)
         ORDER BY match_key LIMIT $4",
    )
    .bind(node.base())
    .bind(node.last())
    .bind(but_for)
    .bind(TAKEN_AT_ONCE as i64)
    .fetch_all(&mut *connection)
    .await?;
    let (mut open, mut entries, mut batches) = (Vec::new(), HashMap::new(), BTreeSet::new());
    for row in &rows {
        let with_header = WithHeader::of(store, row);
        entries.insert(with_header.row.match_key, row.try_get::<i64, _>("entries")?);
        batches.extend(row.try_get::<Vec<i64>, _>("batches")?);
        open.push(with_header);
    }
    let of_rows = open.iter().map(|with_header| with_header.row.clone());
    let batches: Vec<i64> = batches.into_iter().collect();
    let loaded = journal::load_some(connection, store, of_rows.collect(), &batches).await?;
    let (mut matches, mut unreadable) = (Vec::new(), Vec::new());
    for read in whole_matches::whole(open, loaded) {
        match read {
            Ok(whole) if is_whole(&whole, &entries) => matches.push(whole),
            Ok(whole) => unreadable.push(whole.row.match_key),
            Err(left) => unreadable.push(left.match_key),
        }
    }
    Ok((matches, unreadable))
}

/// Whether all entries are there that the node knew of.
fn is_whole(read: &WholeMatch, entries: &HashMap<i64, i64>) -> bool {
    let known = entries.get(&read.row.match_key);
    known.is_some_and(|known| known.unsigned_abs() == read.journal.len() as u64)
}

/// Within the transaction of a node that takes matches over: those of these keys that are still
/// released, and are so no more. Who takes them too waits for this transaction.
pub(super) async fn claim(
    connection: &mut PgConnection,
    keys: &[i64],
) -> Result<HashSet<i64>, Fault> {
    let claimed: Vec<i64> = sqlx::query_scalar(
        "DELETE FROM released_match WHERE match_key = ANY ($1) RETURNING match_key",
    )
    .bind(keys)
    .fetch_all(connection)
    .await?;
    Ok(claimed.into_iter().collect())
}

/// Within the transaction that takes a node over: what it has released and nobody has taken is its
/// own again.
pub(super) async fn forget_all(
    connection: &mut PgConnection,
    node: NodeNumber,
) -> Result<(), Fault> {
    sqlx::query("DELETE FROM released_match WHERE match_key > $1 AND match_key <= $2")
        .bind(node.base())
        .bind(node.last())
        .execute(connection)
        .await?;
    Ok(())
}
