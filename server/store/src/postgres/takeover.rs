//! Takeover of orphaned matches from another node.
//!
//! A match gets a new key from its new node, and all its journal entries are copied into one batch
//! of that node. So the journal of a node contains everything that its matches need, and each node
//! deletes batches only in its own journal.

use std::collections::HashSet;

use parking_lot::Mutex;
use sqlx::PgConnection;

use super::{
    commit::{self, Transaction},
    node_number::NodeNumber,
    nodes,
    orphans::{LastActivity, OrphanCause, OrphanedMatches, TakenOver, claim_released},
};
use crate::{
    IsLeaderOnly,
    checksum::StoreId,
    db_error::DbError,
    journal_batch::{self, BatchPart},
    limits::{MAX_TAKEOVER_BYTES, MAX_TAKEOVER_MATCHES},
    row_sums::{CountedTable, RowSum, RowSums},
    rows::{
        Param, SqlConnection as _, StoredRow as _, Unreadable,
        open_matches::{OpenRow, checksum_of},
        scalar,
        whole_matches::WholeMatch,
    },
};

/// Takes over some of the orphaned matches of a node.
pub(super) struct TakeOverOrphans<'a> {
    pub(super) store: StoreId,
    /// The node that takes over the matches.
    pub(super) node: NodeNumber,
    /// Number of the batch in which the journals of the matches are stored.
    pub(super) number: i64,
    /// The largest match key that the new node has assigned.
    pub(super) last_match_key: i64,
    /// Selects the matches that only the leader may take over.
    pub(super) is_leader_only: IsLeaderOnly,
    pub(super) orphans: &'a OrphanedMatches,
    /// The outcome of the last attempt, which may have been committed even if its result was lost.
    pub(super) last_outcome: Mutex<Option<TakenOver>>,
}

impl Transaction for TakeOverOrphans<'_> {
    /// `None` if the takeover is not possible now. The node has renewed its lease or committed,
    /// another node is taking over from it, or the matches changed after they were read.
    type Output = Option<TakenOver>;

    async fn run(
        &self,
        connection: &mut PgConnection,
        is_retry: bool,
    ) -> Result<Option<TakenOver>, DbError> {
        if is_retry && commit::is_batch_stored(connection, self.node, self.number).await? {
            return Ok(self.last_outcome.lock().clone());
        }
        let can_take = match self.orphans.kind {
            OrphanCause::Expired(last) => self.end_epoch(connection, last).await?,
            OrphanCause::Released => self.lock_node(connection).await?,
        };
        let outcome = if can_take { Some(self.take_over(connection).await?) } else { None };
        self.last_outcome.lock().clone_from(&outcome);
        Ok(outcome)
    }
}

impl TakeOverOrphans<'_> {
    /// Ends the epoch of the node if its lease has expired, so that the node can no longer commit.
    /// Returns whether the epoch was ended and the matches have not changed since they were read.
    /// Does not wait for locks: a node with a commit or a takeover in progress is skipped until the
    /// next attempt.
    async fn end_epoch(
        &self,
        connection: &mut PgConnection,
        last: LastActivity,
    ) -> Result<bool, DbError> {
        let from = self.orphans.node;
        // `now()` is the start of this transaction, so a lease that was renewed since does not
        // count as expired.
        let lock = "SELECT number FROM node WHERE number = $1 AND lease_until < now()
             FOR UPDATE SKIP LOCKED";
        let number: Option<i64> = scalar(connection, lock, &[from.get().into()]).await?;
        let end = "UPDATE node SET epoch = epoch + 1 WHERE number = $1";
        if connection.execute(end, &[Param::Number(number)]).await? == 0 {
            return Ok(false);
        }
        Ok(LastActivity::read(connection, from).await? == last)
    }

    /// Prevents a takeover of the whole node, including its released matches, until this
    /// transaction ends. Returns `false` if such a takeover is in progress. Commits and renewals of
    /// the node continue.
    async fn lock_node(&self, connection: &mut PgConnection) -> Result<bool, DbError> {
        let lock = "SELECT number FROM node WHERE number = $1 FOR KEY SHARE SKIP LOCKED";
        let params = [self.orphans.node.get().into()];
        let held: Option<i64> = scalar(connection, lock, &params).await?;
        Ok(held.is_some())
    }

    /// Takes over the next orphaned matches, in the order in which they were opened.
    async fn take_over(&self, connection: &mut PgConnection) -> Result<TakenOver, DbError> {
        let is_leader = nodes::is_leader(&mut *connection, self.node).await?;
        let mut candidates = self.orphans.candidates(is_leader, self.is_leader_only);
        let mut taken_over = TakenOver::default();
        while taken_over.keys.is_empty() {
            let chunk = next_chunk(&mut candidates);
            if chunk.is_empty() {
                break;
            }
            let existing = self.still_orphaned(connection, &chunk).await?;
            let (chunk, missing): (Vec<_>, Vec<_>) =
                chunk.into_iter().partition(|orphan| existing.contains(&orphan.row.match_key));
            taken_over.missing.extend(missing.iter().map(|orphan| orphan.row.match_key));
            self.move_to_new_node(connection, &chunk, &mut taken_over).await?;
        }
        let is_expired = matches!(self.orphans.kind, OrphanCause::Expired(_));
        if is_expired && !has_match_in_play(connection, self.orphans.node).await? {
            commit::delete_all_but_newest(connection, self.orphans.node).await?;
        }
        Ok(taken_over)
    }

    /// Claims the matches that are still orphaned, and returns their keys.
    async fn still_orphaned(
        &self,
        connection: &mut PgConnection,
        matches: &[&WholeMatch],
    ) -> Result<HashSet<i64>, DbError> {
        let keys: Vec<i64> = matches.iter().map(|orphan| orphan.row.match_key).collect();
        let claimed = claim_released(connection, &keys).await?;
        let orphaned = match self.orphans.kind {
            OrphanCause::Expired(_) => keys,
            OrphanCause::Released => claimed.into_iter().collect(),
        };
        existing_keys(connection, orphaned).await
    }

    /// Assigns the matches to this node, and writes their journals as one batch.
    async fn move_to_new_node(
        &self,
        connection: &mut PgConnection,
        matches: &[&WholeMatch],
        taken_over: &mut TakenOver,
    ) -> Result<(), DbError> {
        if matches.is_empty() {
            return Ok(());
        }
        let (mut moved, mut parts) = (Vec::new(), Vec::new());
        for (orphan, match_key) in matches.iter().zip(self.last_match_key + 1..) {
            taken_over.keys.insert(orphan.row.match_key, match_key);
            moved.push(MatchWithNewKey { row: &orphan.row, header: &orphan.header, match_key });
            parts.extend(whole_journal(match_key, &orphan.journal));
        }
        let change = change_keys(connection, self.store, &moved).await?;
        let last_match_key = self.last_match_key + moved.len() as i64;
        let body = journal_batch::write(self.store, self.number, last_match_key, parts);
        commit::add_batch(connection, self.node, self.number, &change, &body).await
    }
}

/// Returns the next matches to take over in one transaction.
fn next_chunk<'a>(candidates: &mut impl Iterator<Item = &'a WholeMatch>) -> Vec<&'a WholeMatch> {
    let (mut chunk, mut bytes) = (Vec::new(), 0);
    while chunk.len() < MAX_TAKEOVER_MATCHES && bytes < MAX_TAKEOVER_BYTES {
        let Some(orphan) = candidates.next() else {
            break;
        };
        bytes += orphan.journal.iter().map(Vec::len).sum::<usize>();
        chunk.push(orphan);
    }
    chunk
}

/// Returns all entries of a match as one part, unless there are none.
fn whole_journal(match_key: i64, entries: &[Vec<u8>]) -> Option<BatchPart> {
    (!entries.is_empty()).then(|| BatchPart {
        match_key,
        first_entry: 0,
        previous_batch: None,
        entries: entries.to_vec(),
    })
}

/// Returns the match keys among `keys` that belong to matches in play.
async fn existing_keys(
    connection: &mut PgConnection,
    keys: Vec<i64>,
) -> Result<HashSet<i64>, DbError> {
    let select = "SELECT match_key FROM open_match WHERE match_key = ANY ($1)";
    let rows = connection.query(select, &[Param::Numbers(&keys)]).await?;
    let keys = rows.iter().map(|row| row.value(0));
    Ok(keys.collect::<Result<_, Unreadable>>()?)
}

/// Returns whether a node has a match in play.
pub(super) async fn has_match_in_play(
    connection: &mut PgConnection,
    node: NodeNumber,
) -> Result<bool, DbError> {
    let has_any =
        "SELECT EXISTS (SELECT 1 FROM open_match WHERE match_key > $1 AND match_key <= $2)";
    let params = [node.base().into(), node.last().into()];
    Ok(scalar(connection, has_any, &params).await? == Some(true))
}

/// A match in play that gets a new match key.
struct MatchWithNewKey<'a> {
    row: &'a OpenRow,
    header: &'a [u8],
    match_key: i64,
}

/// Changes the match keys of matches in play. Returns the change of the rows.
async fn change_keys(
    connection: &mut PgConnection,
    store: StoreId,
    matches: &[MatchWithNewKey<'_>],
) -> Result<RowSums, DbError> {
    let old: Vec<i64> = matches.iter().map(|rekeyed| rekeyed.row.match_key).collect();
    let new: Vec<i64> = matches.iter().map(|rekeyed| rekeyed.match_key).collect();
    let (mut checksums, mut change) = (Vec::new(), RowSums::default());
    for MatchWithNewKey { row, header, match_key } in matches {
        let (id, at) = (row.match_id.as_str(), row.opened_at_unix_ms);
        let [before, after] =
            [row.match_key, *match_key].map(|key| checksum_of(store, key, id, at, header));
        change.subtract(CountedTable::OpenMatch, RowSum::of_row(before));
        change.add_row(CountedTable::OpenMatch, after);
        checksums.push(after);
    }
    let update = "UPDATE open_match SET match_key = moved.key, checksum = moved.sum
         FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS moved (old, key, sum)
         WHERE match_key = old";
    let params = [&old, &new, &checksums].map(|numbers| Param::Numbers(numbers));
    connection.execute(update, &params).await?;
    Ok(change)
}
