//! The writer of a server: it checks and stores batches, and caches the state of the matches in
//! play.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    address::Address,
    commit::{Commit, LookupTransaction, Transaction},
    flushes::Unflushed,
    node_number::{NodeEpoch, NodeNumber},
    nodes::{AcquireLeadership, ReleaseLease},
    opening,
    orphans::{OrphanedMatches, ReleaseMatches},
    read_pool::ReadPool,
    sessions::Sessions,
    takeover::TakeOverOrphans,
    write_connection::{CheckFence, ServerContext, WriteConnection},
};
use crate::{
    CommitCompleteness, Durability, IsLeaderOnly, MatchId, NodeIdentity, OpenMatch, OpenReport,
    StoreError, Write,
    checksum::StoreId,
    db_error::DbError,
    journal::{
        MatchesInPlay,
        plan::{LookupResult, MatchStep, Plan},
    },
    journal_batch,
    named_rows::NamedTable,
    rows::whole_matches::{read_header, read_open_match},
    schema::{Schema, SchemaUse},
};

/// Writes batches for a server, and caches the state of its matches in play.
pub(super) struct Writer {
    write_connection: WriteConnection,
    pub(super) store: StoreId,
    node: NodeNumber,
    /// Commits that are not flushed yet, and the number of all commits.
    pub(super) unflushed: Arc<Unflushed>,
    /// False if commits are not flushed explicitly.
    is_flushed_to_disk: bool,
    matches: MatchesInPlay,
    /// The number of matches in play, updated after each commit. Lease renewals read it without
    /// waiting for commits.
    pub(super) in_play_count: Arc<AtomicU64>,
}

/// Omits the secret state of matches in play.
impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("commits", &self.unflushed.last()).finish_non_exhaustive()
    }
}

impl Writer {
    /// Takes over a node of the store.
    pub(super) async fn start(
        address: &Address,
        sessions: &Sessions,
        identity: &NodeIdentity,
        schema: &Schema,
    ) -> Result<(Self, NodeEpoch, OpenReport), StoreError> {
        let work = async {
            let mut connection = opening::open(address, schema, SchemaUse::Migrate).await?;
            let opened = opening::take_over(&mut connection, address, identity, schema).await?;
            Ok((sessions.adopt(connection).await?, opened))
        };
        let (session, opened) = address.at(work).await?;
        let open_report = OpenReport {
            // A PostgreSQL store has no separate file with the number of commits.
            completeness: CommitCompleteness::Complete,
            damage_reports: opened.loaded.damage_reports,
            indexes_rebuilt: false,
        };
        let unflushed = Arc::new(Unflushed::new(opened.node.number, opened.commits));
        let server = ServerContext { node: opened.node, unflushed: Some(Arc::clone(&unflushed)) };
        let mut writer = Self {
            write_connection: WriteConnection::new(sessions.clone(), Some(session), Some(server)),
            store: opened.store,
            node: opened.node.number,
            unflushed,
            is_flushed_to_disk: address.durability() == Durability::Disk,
            matches: opened.loaded.matches,
            in_play_count: Arc::default(),
        };
        writer.matches.sweep.add_unreferenced_batch(writer.unflushed.last());
        writer.publish_in_play();
        Ok((writer, opened.node, open_report))
    }

    fn publish_in_play(&self) {
        let matches = self.matches.by_id.len() as u64;
        self.in_play_count.store(matches, Ordering::Relaxed);
    }

    /// Repeats the commits that a crash of the database has lost.
    pub(super) async fn restore_lost(&mut self) -> Result<(), DbError> {
        self.write_connection.restore_lost().await
    }

    /// Stores the whole batch or none of it. Returns the number of the commit if it must still be
    /// flushed.
    pub(super) async fn commit(&mut self, batch: Vec<Write>) -> Result<Option<i64>, DbError> {
        if batch.is_empty() {
            return Ok(self.unflushed.has_unflushed().then(|| self.unflushed.last()));
        }
        let lookup = self.matches.lookup(&batch);
        let found = if lookup.ids.is_empty() && lookup.queries.is_empty() {
            LookupResult::default()
        } else {
            let (store, lookup) = (self.store, &lookup);
            let look_up = LookupTransaction { store, lookup };
            self.write_connection.write(&look_up).await?
        };
        let mut plan = match self.matches.plan(batch, lookup, found) {
            Ok(plan) => plan,
            Err(refused) => {
                // Reports a takeover by another server if that has caused the error.
                self.write_connection.write(&CheckFence).await?;
                return Err(refused.into());
            }
        };
        let number = self.unflushed.next()?;
        let parts = plan.take_parts();
        let mut commit = Commit {
            store: self.store,
            node: self.node,
            number,
            is_flush_deferred: self.is_flush_deferred(&plan),
            body: journal_batch::write(self.store, number, plan.last_match_key, parts),
            plan,
        };
        self.write_numbered(&commit).await?;
        self.matches.apply(&mut commit.plan, number);
        self.publish_in_play();
        if commit.is_flush_deferred {
            self.unflushed.push_unflushed(Arc::new(commit));
            return Ok(Some(number));
        }
        self.unflushed.mark_committed();
        Ok(None)
    }

    /// Returns whether a commit with these changes is flushed while the next commit runs. This is
    /// not possible for ladders, whose readers do not check for the flush.
    fn is_flush_deferred(&self, plan: &Plan) -> bool {
        self.is_flushed_to_disk
            && self.unflushed.is_deferring_worthwhile()
            && !plan.steps.iter().any(MatchStep::requires_flush)
            && plan.rows.iter().all(|row| row.table() == NamedTable::Record)
    }

    /// Runs a transaction that adds the next batch of the journal.
    async fn write_numbered<W: Transaction>(&mut self, work: &W) -> Result<W::Output, DbError> {
        let written = self.write_connection.write(work).await;
        if written.as_ref().is_err_and(DbError::is_transient) {
            self.unflushed.mark_lost();
        }
        written
    }

    /// Takes over some orphaned matches. `None` if that is not possible now.
    pub(super) async fn take_over_orphans(
        &mut self,
        orphans: &mut OrphanedMatches,
        is_leader_only: IsLeaderOnly,
    ) -> Result<Option<Vec<OpenMatch>>, DbError> {
        let number = self.unflushed.next()?;
        let takeover = TakeOverOrphans {
            store: self.store,
            node: self.node,
            number,
            last_match_key: self.matches.last_match_key,
            is_leader_only,
            orphans,
            last_outcome: parking_lot::Mutex::default(),
        };
        let Some(taken_over) = self.write_numbered(&takeover).await? else {
            return Ok(None);
        };
        let moved = orphans.remove_taken_over(&taken_over, number);
        if moved.is_empty() {
            return Ok(Some(Vec::new()));
        }
        self.unflushed.mark_committed();
        let mut matches = Vec::with_capacity(moved.len());
        for (state, open) in moved {
            self.matches.add_taken_over(open.match_id.clone(), state);
            matches.push(open);
        }
        self.publish_in_play();
        self.matches.sweep.add_unreferenced_batch(number);
        Ok(Some(matches))
    }

    /// Releases matches. Their batches are kept, since the new node needs them.
    pub(super) async fn release(&mut self, ids: &[MatchId]) -> Result<(), DbError> {
        let matches = ids.iter().filter_map(|id| self.matches.get(id));
        let matches = matches.filter(|in_play| in_play.damage.is_none());
        self.write_connection.write(&ReleaseMatches(matches.collect())).await?;
        for id in ids {
            self.matches.release(id);
        }
        self.publish_in_play();
        Ok(())
    }

    /// Tries to acquire leadership. Returns whether this node leads.
    pub(super) async fn acquire_leadership(&mut self) -> Result<bool, DbError> {
        let (store, node) = (self.store, self.node);
        self.write_connection.write(&AcquireLeadership { store, node }).await
    }

    pub(super) fn open_match_ids(&self) -> Vec<MatchId> {
        self.matches.ids()
    }

    pub(super) async fn open_match(
        &mut self,
        readers: &ReadPool,
        id: &MatchId,
    ) -> Result<Option<OpenMatch>, DbError> {
        let Some(in_play) = self.matches.by_id.get_mut(id) else {
            return Ok(None);
        };
        if let Some(open) = in_play.cached.take() {
            return Ok(Some(*open));
        }
        let reader = &mut *readers.acquire().await?;
        let open = read_open_match(reader, self.store, id, in_play).await?;
        Ok(Some(open))
    }

    pub(super) async fn open_match_header(
        &self,
        readers: &ReadPool,
        id: &MatchId,
    ) -> Result<Option<Vec<u8>>, DbError> {
        let Some(in_play) = self.matches.get(id) else {
            return Ok(None);
        };
        let reader = &mut *readers.acquire().await?;
        let header = read_header(reader, self.store, id, in_play).await?;
        Ok(Some(header))
    }

    /// Releases the lease, and closes the connection.
    pub(super) async fn close(mut self) -> Result<(), DbError> {
        if self.unflushed.has_unflushed() {
            // Flushes first, since callers that wait for a flush would otherwise get the error that
            // the epoch has ended.
            self.write_connection.write(&CheckFence).await?;
        }
        match self.write_connection.write(&ReleaseLease(self.node)).await {
            // The lease was released, or was already lost.
            Ok(()) | Err(DbError::EpochEnded) => self.write_connection.close().await,
            Err(error) => Err(error),
        }
    }
}
