//! A server's writer: it checks and stores batches, and owns the only connection that changes
//! matches.

use std::{fmt, path::Path};

use rusqlite::Connection;

use super::{
    checkpoints::Checkpoints,
    log_flusher::AfterCommit,
    opening,
    options::Durability,
    sql::{self, JournalRow, StatementConnection, execute, run, values},
    takeover::{OpenedStore, read_identity, take_over},
};
use crate::{
    DamageReport, DataDir, MatchId, OpenMatch, OpenReport, StoreError, Write,
    checksum::StoreId,
    commit_count_file::{CommitCountFile, CommitsRecord},
    db_error::DbError,
    dir_lock::DirLock,
    journal::{MatchesInPlay, SweepStep},
    journal_batch::{self, BatchPart},
    named_rows::{QueryResults, RowDecision, RowQuery},
    row_sums::RowSums,
    rows::{
        journal, named, row_sums, steps,
        whole_matches::{read_header, read_open_match},
    },
};

/// Writes batches for a server, and caches the state of its matches in play.
pub(super) struct Writer {
    connection: Connection,
    pub(super) store: StoreId,
    /// Id generated when the store was opened. If the database has a different id, another server
    /// has opened the store since.
    server_id: Vec<u8>,
    commits: i64,
    matches: MatchesInPlay,
    /// `None` for a database in memory. Declared last and therefore dropped last, so that the
    /// folder stays locked until the connection is closed.
    folder: Option<FolderUpkeep>,
}

/// The upkeep of a data folder, apart from commits.
struct FolderUpkeep {
    after_commit: AfterCommit,
    checkpoints: Checkpoints,
    _lock: DirLock,
}

/// The path at which SQLite creates a database in memory.
pub(super) const IN_MEMORY: &str = ":memory:";

/// Omits the secret state of matches in play.
impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("commits", &self.commits).finish_non_exhaustive()
    }
}

impl Writer {
    /// Creates the writer for a verified database. The connection must flush each commit.
    pub(super) fn start(
        connection: Connection,
        lock: DirLock,
        dir: &DataDir,
        recorded: &CommitsRecord,
        durability: Durability,
    ) -> Result<(Self, OpenReport), StoreError> {
        let path = dir.database();
        let opened = take_over(Some(&path), &connection, recorded);
        let opened = opened.map_err(|error: DbError| error.at(&path))?;
        let commit_count_file =
            CommitCountFile::open_or_create(dir.path(), opened.store, opened.commits)?;
        let after_commit =
            AfterCommit::new(durability, &path, &connection, commit_count_file, opened.commits);
        let after_commit = after_commit.map_err(|error| error.at(&path))?;
        let checkpoints = Checkpoints::start(path.clone());
        let checkpoints = checkpoints.map_err(|error| DbError::Io(error).at(&path))?;
        let folder = FolderUpkeep { after_commit, checkpoints, _lock: lock };
        Ok(Self::new(connection, opened, Some(folder)))
    }

    /// Creates the writer for a new database in memory.
    pub(super) fn start_in_memory() -> Result<(Self, OpenReport), StoreError> {
        let path = Path::new(IN_MEMORY);
        let connection = opening::create(path)?;
        let opened = take_over(None, &connection, &CommitsRecord::Missing);
        let opened = opened.map_err(|error| error.at(path))?;
        Ok(Self::new(connection, opened, None))
    }

    fn new(
        connection: Connection,
        opened: OpenedStore,
        folder: Option<FolderUpkeep>,
    ) -> (Self, OpenReport) {
        let open_report = OpenReport {
            completeness: opened.completeness,
            damage_reports: opened.loaded.damage_reports,
            indexes_rebuilt: opened.party_lists_repaired,
        };
        let mut writer = Self {
            connection,
            store: opened.store,
            server_id: opened.server_id,
            commits: opened.commits,
            matches: opened.loaded.matches,
            folder,
        };
        writer.matches.sweep.add_unreferenced_batch(writer.commits);
        (writer, open_report)
    }

    /// Returns the handler for completed commits; `None` for a database in memory.
    pub(super) fn after_commit(&self) -> Option<&AfterCommit> {
        self.folder.as_ref().map(|folder| &folder.after_commit)
    }

    /// Stores the whole batch or none of it.
    pub(super) fn commit(&mut self, batch: Vec<Write>) -> Result<(), DbError> {
        if batch.is_empty() {
            return Ok(());
        }
        let lookup = self.matches.lookup(&batch);
        let found = run(steps::look_up(&mut self.sql(), self.store, &lookup))?;
        let mut plan = self.matches.plan(batch, lookup, found)?;
        let (parts, last_match_key) = (plan.take_parts(), plan.last_match_key);
        let number = self.transaction(last_match_key, parts, |writer, sums| {
            let change = run(steps::apply_plan(&mut writer.sql(), writer.store, &plan))?;
            sums.add_all(&change);
            writer.delete_swept(&plan.sweep_step)
        });
        let ((), number) = number?;
        self.matches.apply(&mut plan, number);
        Ok(())
    }

    pub(super) fn sql(&self) -> StatementConnection<'_> {
        StatementConnection(&self.connection)
    }

    /// Deletes the batches that are no longer needed.
    fn delete_swept(&self, sweep_step: &SweepStep) -> Result<(), DbError> {
        match sweep_step {
            SweepStep::Nothing => Ok(()),
            SweepStep::Some(numbers) => run(journal::delete(&mut self.sql(), numbers)),
            // Without a `WHERE` clause, SQLite frees whole pages without reading them. The row of
            // this commit is added later.
            SweepStep::All => {
                execute(&self.connection, "DELETE FROM journal", ())?;
                Ok(())
            }
        }
    }

    /// Begins a transaction. Returns the commit number, and the sums of the rows.
    fn begin(&mut self) -> Result<(i64, RowSums), DbError> {
        let start = sql::begin(&self.connection)?;
        let checked = self.check_still_holds_store(&start);
        if let Err(error) = checked {
            sql::roll_back(&self.connection);
            return Err(error);
        }
        Ok((start.commits + 1, start.sums))
    }

    /// Checks that no other server has opened the store, and that the database was not replaced.
    /// Commits of commands are allowed. Requires an open transaction.
    fn check_still_holds_store(&mut self, start: &sql::TransactionStart) -> Result<(), DbError> {
        if start.server_id.as_ref() != Some(&self.server_id) {
            // If the row is damaged, this returns the damage as the error.
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
                self.matches.sweep.add_unreferenced_batch(number);
            }
            self.commits = start.commits;
        }
        Ok(())
    }

    /// Runs a transaction with these parts of the journal, which changes the sums of the rows.
    /// Returns its result, and its number.
    fn transaction<T>(
        &mut self,
        last_match_key: i64,
        parts: Vec<BatchPart>,
        work: impl FnOnce(&Self, &mut RowSums) -> Result<T, DbError>,
    ) -> Result<(T, i64), DbError> {
        let (number, mut sums) = self.begin()?;
        let work = work(self, &mut sums).map(|value| {
            let body = journal_batch::write(self.store, number, last_match_key, parts);
            (value, JournalRow { number, sums, body })
        });
        let commit = || sql::commit_or_roll_back(&self.connection, work);
        let value = match &mut self.folder {
            Some(folder) => folder.after_commit.commit(number, commit)?,
            None => commit()?,
        };
        self.commits = number;
        if let Some(folder) = &self.folder {
            folder.checkpoints.after_commit(&self.connection);
        }
        Ok((value, number))
    }

    pub(super) fn open_match_ids(&self) -> Vec<MatchId> {
        self.matches.ids()
    }

    pub(super) fn open_match(&mut self, id: &MatchId) -> Result<Option<OpenMatch>, DbError> {
        let Some(in_play) = self.matches.by_id.get_mut(id) else {
            return Ok(None);
        };
        let connection = &mut StatementConnection(&self.connection);
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
        decide: impl FnOnce(QueryResults) -> RowDecision<T>,
    ) -> Result<T, DbError> {
        self.transaction_without_entries(|writer, _| {
            run(named::update(&mut writer.sql(), writer.store, queries, decide))
        })
    }

    fn transaction_without_entries<T>(
        &mut self,
        work: impl FnOnce(&Self, &mut RowSums) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        let (value, number) = self.transaction(self.matches.last_match_key, Vec::new(), work)?;
        self.matches.sweep.add_unreferenced_batch(number);
        Ok(value)
    }

    /// Stores the sums of the rows as they are now.
    pub(super) fn accept_missing_rows(&mut self) -> Result<Vec<DamageReport>, DbError> {
        self.transaction_without_entries(|writer, sums| {
            let accepted = run(row_sums::compare(&mut writer.sql()))?;
            *sums = run(row_sums::accept(&mut writer.sql()))?;
            Ok(accepted.into_iter().map(|(damage, _)| damage).collect())
        })
    }

    /// Closes the database, then unlocks the folder.
    pub(super) fn close(self) -> Result<(), DbError> {
        let Some(FolderUpkeep { after_commit, checkpoints, _lock }) = self.folder else {
            return opening::close(self.connection);
        };
        // The last connection to close deletes the log.
        drop(checkpoints);
        opening::close(self.connection)?;
        after_commit.close()
    }
}
