//! Takeover of orphaned matches by another node.
//!
//! A match gets a key of its new node, and all its journal entries are written there as one part.
//! So the journal of a node contains everything that its matches need, and each node sweeps only
//! its own journal.

use std::collections::HashSet;

use parking_lot::Mutex;
use sqlx::PgConnection;

use super::{
    db_error::DbError,
    journal,
    node_number::NodeNumber,
    node_rows,
    open_rows::{self, MatchWithNewKey},
    orphans::{LastActivity, OrphanKind, OrphanedMatches, TakenOver},
    released_rows,
    write_connection::Transaction,
};
use crate::{
    IsLeaderOnly,
    checksum::StoreId,
    journal_batch::{self, BatchPart},
    limits::{MAX_TAKEOVER_BYTES, MAX_TAKEOVER_MATCHES},
    rows::whole_matches::WholeMatch,
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
    /// The outcome of the last attempt. The attempt may have been committed although its result was
    /// lost.
    pub(super) last_outcome: Mutex<TakeoverOutcome>,
}

/// The outcome of a takeover.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum TakeoverOutcome {
    /// The takeover is not possible now. The node has renewed its lease or committed, another node
    /// is taking over from it, or the matches changed after they were read.
    #[default]
    Deferred,
    Done(TakenOver),
}

impl Transaction for TakeOverOrphans<'_> {
    type Output = TakeoverOutcome;

    async fn run(
        &self,
        connection: &mut PgConnection,
        is_retry: bool,
    ) -> Result<TakeoverOutcome, DbError> {
        if is_retry && journal::is_batch_stored(connection, self.node, self.number).await? {
            return Ok(self.last_outcome.lock().clone());
        }
        let can_take = match self.orphans.kind {
            OrphanKind::Expired(last) => self.end_epoch(connection, last).await?,
            OrphanKind::Released => self.lock_node(connection).await?,
        };
        let outcome = if can_take {
            TakeoverOutcome::Done(self.take_over(connection).await?)
        } else {
            TakeoverOutcome::Deferred
        };
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
        // `now()` is the start of the transaction, so no valid lease counts as expired.
        let number: Option<i64> = sqlx::query_scalar(
            "SELECT number FROM node WHERE number = $1 AND lease_until < now()
             FOR UPDATE SKIP LOCKED",
        )
        .bind(from.get())
        .fetch_optional(&mut *connection)
        .await?;
        if number.is_none() {
            return Ok(false);
        }
        sqlx::query("UPDATE node SET epoch = epoch + 1 WHERE number = $1")
            .bind(from.get())
            .execute(&mut *connection)
            .await?;
        Ok(LastActivity::read(connection, from).await? == last)
    }

    /// Prevents a takeover of the whole node, released matches included, until the end of this
    /// transaction. Returns `false` if one is in progress. Commits and renewals of the node
    /// continue.
    async fn lock_node(&self, connection: &mut PgConnection) -> Result<bool, DbError> {
        let held: Option<i64> = sqlx::query_scalar(
            "SELECT number FROM node WHERE number = $1 FOR KEY SHARE SKIP LOCKED",
        )
        .bind(self.orphans.node.get())
        .fetch_optional(connection)
        .await?;
        Ok(held.is_some())
    }

    /// Takes over the next orphaned matches, in the order in which they were opened.
    async fn take_over(&self, connection: &mut PgConnection) -> Result<TakenOver, DbError> {
        let is_leader = node_rows::is_leader(&mut *connection, self.node).await?;
        let mut candidates = self.orphans.candidates(is_leader, self.is_leader_only);
        let mut taken_over = TakenOver::default();
        while taken_over.keys.is_empty() {
            let chunk = next_chunk(&mut candidates);
            if chunk.is_empty() {
                break;
            }
            let existing = self.still_orphaned(connection, &chunk).await?;
            let (chunk, missing): (Vec<_>, Vec<_>) = chunk
                .into_iter()
                .partition(|orphan| existing.contains(&orphan.row.match_key));
            taken_over
                .missing
                .extend(missing.iter().map(|orphan| orphan.row.match_key));
            self.move_to_new_node(connection, &chunk, &mut taken_over)
                .await?;
        }
        let is_expired = matches!(self.orphans.kind, OrphanKind::Expired(_));
        if is_expired && !open_rows::has_match_in_play(connection, self.orphans.node).await? {
            journal::delete_all_but_newest(connection, self.orphans.node).await?;
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
        let claimed = released_rows::claim_released(connection, &keys).await?;
        let orphaned = match self.orphans.kind {
            OrphanKind::Expired(_) => keys,
            OrphanKind::Released => claimed.into_iter().collect(),
        };
        open_rows::existing_keys(connection, orphaned).await
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
            moved.push(MatchWithNewKey {
                row: &orphan.row,
                header: &orphan.header,
                match_key,
            });
            parts.extend(whole_journal(match_key, &orphan.journal));
        }
        open_rows::change_keys(connection, self.store, &moved).await?;
        let last_match_key = self.last_match_key + moved.len() as i64;
        let body = journal_batch::write(self.store, self.number, last_match_key, parts);
        journal::add_batch(connection, self.node, self.number, &body).await
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
