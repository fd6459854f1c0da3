//! A server's writer: it checks and stores batches, and owns the only connection that changes
//! matches.

use std::{collections::HashSet, fmt};

use rusqlite::Connection;

use super::{
    after_commit::AfterCommit,
    checkpoints::Checkpoints,
    db_error::DbError,
    opening,
    opening::Durability,
    sql::{Sql, execute, run, values},
    takeover::{read_identity, take_over},
    transaction::{self, JournalRow},
};
use crate::{
    DataDir, MatchId, OpenMatch, OpenReport, StoreError, Write, batch,
    checksum::StoreId,
    commits_file::{CommitsFile, CommitsRecord},
    data_dir::DirLock,
    journal::{
        in_play::MatchesInPlay,
        plan::{Plan, Step},
        sweep::{Sweep, SweepStep},
    },
    journal_batch,
    ladder_batch::LadderLookup,
    named_rows::{Decision, QueryResults, RowChange, RowQuery},
    rows::{
        finished, journal, named, steps,
        whole_matches::{read_header, read_open_match},
    },
};

/// Page size of the database, in bytes.
const PAGE_BYTES: usize = 4 * 1024;

/// Writes batches for a server, and caches the state of its matches in play.
pub(super) struct Writer {
    /// Declared before the connection, and so dropped first. The last connection to be closed
    /// deletes the log.
    checkpoints: Checkpoints,
    connection: Connection,
    store: StoreId,
    /// Id generated when the store was opened. If the database has a different id, another server
    /// has opened the store since.
    server_id: Vec<u8>,
    commits: i64,
    matches: MatchesInPlay,
    sweep: Sweep,
    after_commit: AfterCommit,
    /// Declared last, and so dropped last: the folder stays locked until the connection is closed.
    _lock: DirLock,
}

/// Omits the secret state of matches in play.
impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("commits", &self.commits)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Creates the writer for a verified and migrated database. The connection must flush each
    /// commit.
    pub(super) fn start(
        connection: Connection,
        lock: DirLock,
        dir: &DataDir,
        recorded: &CommitsRecord,
        durability: Durability,
    ) -> Result<(Self, OpenReport), StoreError> {
        let path = dir.database();
        let opened = take_over(&path, &connection, recorded);
        let opened = opened.map_err(|error: DbError| error.at(&path))?;
        let commits_file = CommitsFile::create(dir.path(), opened.store, opened.commits)?;
        let open_report = OpenReport {
            completeness: opened.completeness,
            damage_reports: opened.loaded.damage_reports,
            indexes_rebuilt: opened.party_lists_repaired,
        };
        let checkpoints = Checkpoints::start(path.clone(), commits_file.try_clone_file());
        let checkpoints = checkpoints.map_err(|error| DbError::Io(error).at(&path))?;
        let after_commit =
            AfterCommit::new(durability, &path, &connection, commits_file, opened.commits);
        let after_commit = after_commit.map_err(|error| error.at(&path))?;
        let mut writer = Self {
            checkpoints,
            connection,
            store: opened.store,
            server_id: opened.server_id,
            commits: opened.commits,
            matches: opened.loaded.matches,
            sweep: opened.loaded.sweep,
            after_commit,
            _lock: lock,
        };
        writer.sweep.add_batch(writer.commits);
        Ok((writer, open_report))
    }

    pub(super) fn store(&self) -> StoreId {
        self.store
    }

    /// Returns the handler for completed commits.
    pub(super) fn after_commit(&self) -> &AfterCommit {
        &self.after_commit
    }

    /// Stores the whole batch or none of it.
    pub(super) fn commit(&mut self, batch: Vec<Write>) -> Result<(), DbError> {
        if batch.is_empty() {
            return Ok(());
        }
        let rows = self.check(&batch)?;
        let mut plan = Plan::new(batch, &self.matches);
        let none_in_play = self.matches.count_after(&plan.changes) == 0;
        let mut parts = plan.take_parts();
        if plan.steps.is_empty() && rows.is_empty() && self.sweep.is_idle(none_in_play) {
            let (number, last_match_key) = (self.commits + 1, plan.last_match_key);
            let body = journal_batch::write(self.store, number, last_match_key, parts);
            let row = JournalRow { number, body };
            let (connection, server_id) = (&self.connection, &self.server_id);
            let commit = || {
                let is_made = transaction::commit_row_alone(connection, server_id, &row)?;
                Ok((is_made, is_made.then_some(number)))
            };
            if self.after_commit.commit(commit)? {
                self.matches.apply(plan.changes, number, &mut self.sweep);
                self.record_commit(number, page_count(row.body.len()));
                return Ok(());
            }
            // A command has committed in the meantime, so this batch needs another number.
            parts = journal_batch::read(self.store, number, &row.body).parts;
        }
        let number = self.begin()?;
        let body = journal_batch::write(self.store, number, plan.last_match_key, parts);
        let pages = page_count(body.len())
            + plan.steps.iter().map(estimated_pages).sum::<usize>()
            + rows.iter().map(estimated_row_pages).sum::<usize>();
        let work = || {
            run(steps::apply_all(
                &mut self.sql(),
                self.store,
                &plan.steps,
                &rows,
            ))?;
            let sweep_step = self.sweep.next_step(none_in_play);
            self.delete_swept(&sweep_step)?;
            Ok((sweep_step, JournalRow { number, body }))
        };
        let work = work();
        let commit = || {
            let step = transaction::commit_or_roll_back(&self.connection, work)?;
            Ok((step, Some(number)))
        };
        let sweep_step = self.after_commit.commit(commit)?;
        self.sweep.apply(&sweep_step);
        self.matches.apply(plan.changes, number, &mut self.sweep);
        self.matches.last_match_key = plan.last_match_key;
        self.record_commit(number, pages);
        Ok(())
    }

    /// Checks a batch against the stored state. Returns the changes to named rows that follow from
    /// it.
    fn check(&mut self, batch: &[Write]) -> Result<Vec<RowChange>, DbError> {
        let finished = self.finished_among(batch)?;
        let ladders = LadderLookup::new(batch);
        let found = run(named::read(&mut self.sql(), self.store, &ladders.queries()))?;
        let status_of = |id: &MatchId| self.matches.status(id, &finished);
        Ok(batch::check(batch, status_of, ladders.states(found))?)
    }

    fn sql(&self) -> Sql<'_> {
        Sql(&self.connection)
    }

    /// Deletes unneeded batches.
    fn delete_swept(&self, sweep_step: &SweepStep) -> Result<(), DbError> {
        match sweep_step {
            SweepStep::Nothing => Ok(()),
            SweepStep::Some(numbers) => run(journal::delete(&mut self.sql(), numbers)),
            // Without a `WHERE` clause SQLite frees whole pages without reading them. The row of
            // this commit is added afterwards.
            SweepStep::All => {
                execute(&self.connection, "DELETE FROM journal", ())?;
                Ok(())
            }
        }
    }

    /// Begins a transaction. Returns the commit number.
    fn begin(&mut self) -> Result<i64, DbError> {
        let start = transaction::begin(&self.connection)?;
        let checked = self.check_still_holds_store(&start);
        if let Err(error) = checked {
            transaction::roll_back(&self.connection);
            return Err(error);
        }
        Ok(start.commits + 1)
    }

    /// Checks that no other server has opened the store, and that the database was not replaced.
    /// Commits by commands are allowed. Requires an open transaction.
    fn check_still_holds_store(
        &mut self,
        start: &transaction::TransactionStart,
    ) -> Result<(), DbError> {
        if start.server_id.as_ref() != Some(&self.server_id) {
            // A damaged row is reported as damage.
            read_identity(&self.connection)?;
            return Err(DbError::Superseded);
        }
        if start.commits < self.commits {
            return Err(DbError::Inconsistent(format!(
                "the database has {} commits, but this server has made {}",
                start.commits, self.commits
            )));
        }
        if start.commits > self.commits {
            let others: Vec<i64> = values(
                &self.connection,
                "SELECT batch FROM journal WHERE batch > ?",
                [self.commits],
            )?;
            for number in others {
                self.sweep.add_batch(number);
            }
            self.commits = start.commits;
        }
        Ok(())
    }

    /// Records a commit that has written about this number of pages.
    fn record_commit(&mut self, number: i64, pages: usize) {
        self.commits = number;
        self.sweep.add_batch(number);
        self.checkpoints.record_commit(pages);
    }

    /// Returns whether maintenance is due between commits.
    pub(super) fn needs_maintenance(&self) -> bool {
        self.checkpoints.is_due()
    }

    /// Runs due maintenance, while no caller waits.
    pub(super) fn run_maintenance(&mut self) {
        self.checkpoints.run_maintenance(&self.connection);
    }

    /// Ends a transaction as a commit without entries.
    fn commit_without_entries<T>(
        &mut self,
        number: i64,
        work: Result<T, DbError>,
    ) -> Result<T, DbError> {
        let last_match_key = self.matches.last_match_key;
        let body = journal_batch::write(self.store, number, last_match_key, Vec::new());
        let work = work.map(|value| (value, JournalRow { number, body }));
        let commit = || {
            Ok((
                transaction::commit_or_roll_back(&self.connection, work)?,
                Some(number),
            ))
        };
        let value = self.after_commit.commit(commit)?;
        self.record_commit(number, page_count(0));
        Ok(value)
    }

    /// Returns the matches in the batch that had finished before the batch.
    fn finished_among(&mut self, batch: &[Write]) -> Result<HashSet<MatchId>, DbError> {
        let mut finished = HashSet::new();
        for id in batch.iter().filter_map(Write::match_id) {
            if self.matches.get(id).is_none()
                && !finished.contains(id)
                && run(finished::finish_number(&mut self.sql(), id))?.is_some()
            {
                finished.insert(id.clone());
            }
        }
        Ok(finished)
    }

    pub(super) fn open_match_ids(&self) -> Vec<MatchId> {
        self.matches.ids()
    }

    pub(super) fn open_match(&mut self, id: &MatchId) -> Result<Option<OpenMatch>, DbError> {
        let Some(in_play) = self.matches.by_id.get_mut(id) else {
            return Ok(None);
        };
        let connection = &mut Sql(&self.connection);
        run(read_open_match(connection, self.store, id, in_play)).map(Some)
    }

    pub(super) fn open_match_header(&mut self, id: &MatchId) -> Result<Option<Vec<u8>>, DbError> {
        let Some(in_play) = self.matches.get(id) else {
            return Ok(None);
        };
        run(read_header(&mut self.sql(), self.store, id, in_play)).map(Some)
    }

    /// Reads named rows, and applies the changes that `decide` derives from them.
    pub(super) fn update_rows<T>(
        &mut self,
        queries: &[RowQuery],
        decide: impl FnOnce(QueryResults) -> Decision<T>,
    ) -> Result<T, DbError> {
        let number = self.begin()?;
        let work = run(named::update(&mut self.sql(), self.store, queries, decide));
        self.commit_without_entries(number, work)
    }

    /// Closes the database, then unlocks the folder.
    pub(super) fn close(self) -> Result<(), DbError> {
        drop(self.checkpoints);
        opening::close(self.connection)?;
        self.after_commit.close()
    }
}

/// Returns the number of pages that a row of this size, in bytes, needs.
fn page_count(bytes: usize) -> usize {
    1 + bytes / PAGE_BYTES
}

/// Estimates the number of pages that a step writes: one for each table and index that it changes.
fn estimated_pages(step: &Step) -> usize {
    match step {
        Step::Open { header, .. } => 2 + page_count(header.len()),
        Step::Finish {
            finished,
            replay,
            parties,
            ..
        } => 4 + parties.len() + page_count(finished.summary.len()) + page_count(replay.len()),
        Step::DropOpen { .. } | Step::DropFinished { .. } | Step::ForgetReplay { .. } => 4,
    }
}

/// Estimates the number of pages that a change to a named row writes.
fn estimated_row_pages(change: &RowChange) -> usize {
    match change {
        RowChange::Put { value, .. } => 1 + page_count(value.len()),
        _ => 1,
    }
}
