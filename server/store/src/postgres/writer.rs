//! The writer of a server: it checks and stores batches, and caches the state of the matches in
//! play.

use std::{
    collections::HashSet,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    address::Address,
    commit::{Commit, Lookup, LookupResult},
    db_error::DbError,
    node_number::{NodeEpoch, NodeNumber},
    node_rows::{AcquireLeadership, ReleaseLease},
    opening,
    orphans::OrphanedMatches,
    read_pool::ReadPool,
    released_rows::{self, ReleasedMatch},
    sessions::Sessions,
    takeover::{TakeOverOrphans, TakeoverOutcome},
    unflushed::Unflushed,
    write_connection,
    write_connection::{ServerContext, WriteConnection},
};
use crate::{
    CommitCompleteness, Durability, IsLeaderOnly, MatchId, NodeIdentity, OpenMatch, OpenReport,
    StoreError, Write, batch,
    checksum::StoreId,
    journal::{
        in_play::MatchesInPlay,
        plan::{Plan, Step},
        sweep::Sweep,
    },
    journal_batch,
    ladder_batch::LadderLookup,
    named_rows::{NamedTable, RowChange, RowQuery},
    rows::whole_matches::{read_header, read_open_match},
};

/// Writes batches for a server, and caches the state of its matches in play.
pub(super) struct Writer {
    write_connection: WriteConnection,
    store: StoreId,
    node: NodeNumber,
    /// Commits that are not flushed yet, and the number of all commits.
    unflushed: Arc<Unflushed>,
    /// False if commits are never flushed explicitly.
    is_flushed_to_disk: bool,
    matches: MatchesInPlay,
    /// The number of matches in play. Lease renewals read it without waiting for commits.
    in_play_count: Arc<AtomicU64>,
    sweep: Sweep,
}

/// Omits the secret state of matches in play.
impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("commits", &self.unflushed.last())
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Takes over a node of the store.
    pub(super) async fn start(
        address: &Address,
        sessions: &Sessions,
        identity: &NodeIdentity,
    ) -> Result<(Self, NodeEpoch, OpenReport), StoreError> {
        let work = async {
            let mut connection = opening::open(address).await?;
            let opened = opening::take_over(&mut connection, identity).await?;
            Ok((sessions.adopt(connection).await?, opened))
        };
        let (session, opened) = work
            .await
            .map_err(|error: DbError| error.at(address.redacted()))?;
        let open_report = OpenReport {
            // A PostgreSQL database has no separate file with the number of commits.
            completeness: CommitCompleteness::Complete,
            damage_reports: opened.loaded.damage_reports,
            indexes_rebuilt: false,
        };
        let unflushed = Arc::new(Unflushed::new(opened.node.number, opened.commits));
        let server = ServerContext {
            node: opened.node,
            unflushed: Some(Arc::clone(&unflushed)),
        };
        let mut writer = Self {
            write_connection: WriteConnection::new(sessions.clone(), Some(session), Some(server)),
            store: opened.store,
            node: opened.node.number,
            unflushed,
            is_flushed_to_disk: address.durability() == Durability::Disk,
            matches: opened.loaded.matches,
            in_play_count: Arc::default(),
            sweep: opened.loaded.sweep,
        };
        writer.sweep.add_batch(writer.unflushed.last());
        writer.publish_in_play();
        Ok((writer, opened.node, open_report))
    }

    pub(super) fn store(&self) -> StoreId {
        self.store
    }

    /// Returns the commits that are not flushed yet.
    pub(super) fn unflushed(&self) -> &Arc<Unflushed> {
        &self.unflushed
    }

    /// Returns the number of matches in play, which is updated after each commit.
    pub(super) fn in_play_count(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.in_play_count)
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
            return Ok(self
                .unflushed
                .has_unflushed()
                .then(|| self.unflushed.last()));
        }
        let ladders = LadderLookup::new(&batch);
        let lookup = self.look_up(&batch, ladders.queries()).await?;
        let ladders = ladders.states(lookup.rows);
        let status_of = |id: &MatchId| self.matches.status(id, &lookup.finished);
        let rows = match batch::check(&batch, status_of, ladders) {
            Ok(rows) => rows,
            Err(refused) => {
                // A takeover by another server may be the cause of the error. It is then reported
                // instead.
                self.write_connection
                    .write(&write_connection::CheckFence)
                    .await?;
                return Err(refused.into());
            }
        };
        let mut plan = Plan::new(batch, &self.matches);
        let none_in_play = self.matches.count_after(&plan.changes) == 0;
        let number = self.unflushed.next()?;
        let parts = plan.take_parts();
        let commit = Arc::new(Commit {
            store: self.store,
            node: self.node,
            number,
            is_flush_deferred: self.is_flush_deferred(&plan.steps, &rows),
            steps: plan.steps,
            rows,
            sweep_step: self.sweep.next_step(none_in_play),
            body: journal_batch::write(self.store, number, plan.last_match_key, parts),
        });
        self.add_batch(&commit).await?;
        self.sweep.apply(&commit.sweep_step);
        self.matches.apply(plan.changes, number, &mut self.sweep);
        self.publish_in_play();
        self.matches.last_match_key = plan.last_match_key;
        self.sweep.add_batch(number);
        if commit.is_flush_deferred {
            self.unflushed.push_unflushed(commit);
            return Ok(Some(number));
        }
        self.unflushed.mark_committed();
        Ok(None)
    }

    /// Returns whether a commit with these changes is flushed in parallel to the next commit.
    /// Readers of records check for the flush themselves, but readers of ladders do not.
    fn is_flush_deferred(&self, steps: &[Step], rows: &[RowChange]) -> bool {
        self.is_flushed_to_disk
            && self.unflushed.is_deferring_worthwhile()
            && !steps.iter().any(Step::requires_flush)
            && rows.iter().all(|row| row.table() == NamedTable::Record)
    }

    /// Looks up the state of ladders, and of matches that are not in play.
    async fn look_up(
        &mut self,
        batch: &[Write],
        queries: Vec<RowQuery>,
    ) -> Result<LookupResult, DbError> {
        let ids = batch.iter().filter_map(Write::match_id);
        let ids: HashSet<MatchId> = ids
            .filter(|id| self.matches.get(id).is_none())
            .cloned()
            .collect();
        if ids.is_empty() && queries.is_empty() {
            return Ok(LookupResult::default());
        }
        let lookup = Lookup {
            store: self.store,
            ids,
            queries,
        };
        self.write_connection.write(&lookup).await
    }

    /// Adds the batch of a commit.
    async fn add_batch(&mut self, commit: &Commit) -> Result<(), DbError> {
        let added = self.write_connection.write(commit).await;
        if added.as_ref().is_err_and(DbError::is_transient) {
            self.unflushed.mark_lost();
        }
        added
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
        let outcome = self.write_connection.write(&takeover).await;
        if outcome.as_ref().is_err_and(DbError::is_transient) {
            self.unflushed.mark_lost();
        }
        let TakeoverOutcome::Done(taken_over) = outcome? else {
            return Ok(None);
        };
        let moved = orphans.remove_taken_over(&taken_over, number);
        if moved.is_empty() {
            return Ok(Some(Vec::new()));
        }
        self.unflushed.mark_committed();
        let mut matches = Vec::with_capacity(moved.len());
        for (state, open) in moved {
            self.matches.last_match_key = state.match_key;
            self.matches
                .add_taken_over(open.match_id.clone(), state, &mut self.sweep);
            matches.push(open);
        }
        self.publish_in_play();
        self.sweep.add_batch(number);
        Ok(Some(matches))
    }

    /// Releases matches. Their batches are kept, since the new node needs them.
    pub(super) async fn release(&mut self, ids: &[MatchId]) -> Result<(), DbError> {
        let matches = ids.iter().filter_map(|id| self.matches.get(id));
        let matches = matches.filter(|in_play| in_play.damage.is_none());
        let released: Vec<ReleasedMatch> = matches.map(ReleasedMatch::new).collect();
        self.write_connection
            .write(&released_rows::ReleaseMatches(&released))
            .await?;
        for id in ids {
            self.matches.release(id);
        }
        self.publish_in_play();
        Ok(())
    }

    /// Tries to acquire leadership. Returns whether this node leads.
    pub(super) async fn acquire_leadership(&mut self) -> Result<bool, DbError> {
        let (store, node) = (self.store, self.node);
        self.write_connection
            .write(&AcquireLeadership { store, node })
            .await
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
        if let Some(open) = in_play.take_cached(id) {
            return Ok(Some(open));
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
            // Without this flush, callers that await a flush would get the error that the epoch has
            // ended.
            self.write_connection
                .write(&write_connection::CheckFence)
                .await?;
        }
        match self.write_connection.write(&ReleaseLease(self.node)).await {
            // The lease has already been released or lost.
            Ok(()) | Err(DbError::Superseded) => self.write_connection.close().await,
            Err(error) => Err(error),
        }
    }
}
