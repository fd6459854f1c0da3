//! Checkpoints, which copy the log (WAL) into the database.
//!
//! By default SQLite copies a long log during a commit, and without a limit: after a long read,
//! such as a backup, a single commit would copy hundreds of MiB. So a separate thread copies the
//! log, in the mode `PASSIVE`, which does not block commits. While commits continue, this thread
//! cannot reach the end of the log, and SQLite restarts a log only after it was copied completely.
//! So, after a commit, the writer copies the last few pages that were added in the meantime.

use std::{
    io, mem,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::Mutex;
use rusqlite::Connection;
use tracing::warn;

use super::{connections::WorkerThread, opening, options::Durability, sql::first};
use crate::{db_error::DbError, rows::StoredRow as _};

/// Length of the log, in pages of 4 KiB, at which it is copied into the database: 16 MiB. A longer
/// log costs less per commit, because it contains most pages several times.
const CHECKPOINT_PAGES: i64 = 4_000;

/// Maximum number of pages that the writer copies after a commit, which is SQLite's default. If a
/// checkpoint could not restart the log, the next one begins after the log has grown by this number
/// of pages.
const MAX_COMMIT_PAGES: i64 = 1_000;

/// The number of successive checkpoints of the thread after which the writer copies the rest,
/// whatever its length. This slows down commits that write faster than the thread copies, and so
/// limits the size of the log.
const MAX_ROUNDS: u32 = 8;

/// Copies the log into the database.
const COPY: &str = "PRAGMA wal_checkpoint(PASSIVE)";

/// Reads the state of the log without copying anything.
const READ_STATE: &str = "PRAGMA wal_checkpoint(NOOP)";

/// The checkpoints of a writer.
#[derive(Debug)]
pub(super) struct Checkpoints {
    path: PathBuf,
    schedule: Arc<Mutex<CheckpointSchedule>>,
    thread: WorkerThread<CheckpointWorker>,
}

/// State shared by the writer and the thread.
#[derive(Debug, Default)]
struct CheckpointSchedule {
    /// A checkpoint of the thread is queued or running.
    is_running: bool,
    /// The number of successive checkpoints of the thread that have copied pages.
    rounds: u32,
    /// Length of the log, in pages, at which the next checkpoint begins.
    due_at: i64,
    /// Whether an error was logged since the last checkpoint that copied pages.
    has_failed: bool,
}

/// State of the thread.
#[derive(Debug)]
struct CheckpointWorker {
    path: PathBuf,
    /// The connection. It is opened for the first checkpoint, which many stores never need.
    connection: Option<Connection>,
}

/// Length of the log, and of its part that is copied into the database, in pages.
#[derive(Clone, Copy, Debug)]
struct LogState {
    pages: i64,
    copied: i64,
}

impl Checkpoints {
    /// Starts the thread for a database.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub(super) fn start(path: PathBuf) -> io::Result<Self> {
        let worker = CheckpointWorker { path: path.clone(), connection: None };
        Ok(Self {
            path,
            schedule: Arc::default(),
            thread: WorkerThread::start("checkpoints", worker)?,
        })
    }

    /// Begins a checkpoint if one is due. Called after a commit on this connection.
    pub(super) fn after_commit(&self, connection: &Connection) {
        let mut schedule = self.schedule.lock();
        if schedule.is_running {
            return;
        }
        // Errors are ignored, since the next commit will report them.
        let Ok(log) = checkpoint(connection, READ_STATE) else {
            return;
        };
        if log.pages < CHECKPOINT_PAGES {
            schedule.postpone_to(CHECKPOINT_PAGES);
            return;
        }
        let rest = log.pages - log.copied;
        // Once everything is copied, the next commit restarts the log as soon as readers permit it.
        if rest == 0 || log.pages < schedule.due_at {
            return;
        }
        if rest <= MAX_COMMIT_PAGES || schedule.rounds >= MAX_ROUNDS {
            let copied = checkpoint(connection, COPY);
            schedule.record(log, copied, &self.path);
            schedule.postpone_to(log.pages + MAX_COMMIT_PAGES);
        } else {
            schedule.is_running = true;
            let schedule = Arc::clone(&self.schedule);
            self.thread.enqueue(move |worker| {
                let copied = worker.copy_log();
                let mut schedule = schedule.lock();
                schedule.is_running = false;
                schedule.record(log, copied, &worker.path);
            });
        }
    }
}

impl CheckpointSchedule {
    /// Begins the next checkpoint at this length of the log.
    fn postpone_to(&mut self, pages: i64) {
        self.due_at = pages;
        self.rounds = 0;
    }

    /// Records a checkpoint that began at this state of the log. If it failed, or a reader
    /// prevented it from copying, it is not retried at once.
    fn record(&mut self, before: LogState, after: Result<LogState, DbError>, path: &Path) {
        match after {
            Ok(after) if after.copied > before.copied => {
                self.rounds += 1;
                self.has_failed = false;
                return;
            }
            Ok(_) => {}
            Err(error) => {
                if !mem::replace(&mut self.has_failed, true) {
                    let error = error.at(path);
                    warn!(%error, "cannot copy SQLite's log into the database");
                }
            }
        }
        self.postpone_to(before.pages + MAX_COMMIT_PAGES);
    }
}

impl CheckpointWorker {
    fn copy_log(&mut self) -> Result<LogState, DbError> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => opening::connect_read_write(&self.path, Durability::Process)?,
        };
        checkpoint(self.connection.insert(connection), COPY)
    }
}

/// Copies the whole log into a database that no other connection uses, and empties the log.
pub(super) fn copy_whole_log(connection: &Connection) -> Result<(), DbError> {
    let row = first(connection, "PRAGMA wal_checkpoint(TRUNCATE)", ())?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    match row.value::<i64>(0)? {
        0 => Ok(()),
        _ => Err(DbError::Inconsistent("the log is in use, and was not copied".to_owned())),
    }
}

/// Runs a checkpoint with this statement. Pages that a reader still needs are not copied.
fn checkpoint(connection: &Connection, statement: &str) -> Result<LogState, DbError> {
    let row = first(connection, statement, ())?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    Ok(LogState { pages: row.value(1)?, copied: row.value(2)? })
}

#[cfg(test)]
mod tests {
    use std::{fs::File, sync::mpsc, thread::sleep, time::Duration};

    use super::{super::sql::value, *};

    /// Makes a commit of this number of pages.
    fn commit(connection: &Connection, checkpoints: &Checkpoints, pages: i64) -> LogState {
        let insert = "INSERT INTO filler (bytes) VALUES (zeroblob(?))";
        connection.execute(insert, [pages * 4_096]).unwrap();
        checkpoints.after_commit(connection);
        checkpoint(connection, READ_STATE).unwrap()
    }

    #[test]
    fn commits_after_a_long_reader_do_not_copy_the_long_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("matches.db");
        File::create(&path).unwrap();
        let connection = opening::create(&path).unwrap();
        let create = "CREATE TABLE filler (bytes BLOB)";
        connection.execute_batch(create).unwrap();
        let checkpoints = Checkpoints::start(path.clone()).unwrap();
        let reader = opening::connect_read_only(&path).unwrap();
        reader.execute_batch("BEGIN").unwrap();
        let rows: i64 = value(&reader, "SELECT count(*) FROM filler", ()).unwrap();
        assert_eq!(rows, 0);
        while commit(&connection, &checkpoints, 250).pages < 3 * CHECKPOINT_PAGES {}
        while checkpoints.schedule.lock().is_running {
            sleep(Duration::from_millis(1));
        }
        let (resume, resumed) = mpsc::channel::<()>();
        checkpoints.thread.enqueue(move |_| _ = resumed.recv());
        drop(reader);
        let before = checkpoint(&connection, READ_STATE).unwrap();
        for _ in 0..8 {
            let after = commit(&connection, &checkpoints, 250);
            assert_eq!(after.copied, before.copied, "{before:?} {after:?}");
        }
        assert!(checkpoints.schedule.lock().is_running);
        drop(resume);
        let is_restarted = (0..3_000).any(|_| {
            sleep(Duration::from_millis(10));
            commit(&connection, &checkpoints, 1).pages < CHECKPOINT_PAGES
        });
        assert!(is_restarted, "the log is restarted once it is copied");
    }

    #[test]
    fn the_whole_log_is_copied_unless_a_reader_needs_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("matches.db");
        File::create(&path).unwrap();
        let connection = opening::create(&path).unwrap();
        let log = folder.path().join("matches.db-wal");
        assert!(log.metadata().unwrap().len() > 0);
        copy_whole_log(&connection).unwrap();
        assert_eq!(log.metadata().unwrap().len(), 0);
        connection.busy_timeout(Duration::ZERO).unwrap();
        let reader = opening::connect_read_only(&path).unwrap();
        connection.execute_batch("CREATE TABLE filler (bytes BLOB)").unwrap();
        reader.execute_batch("BEGIN").unwrap();
        let _: i64 = value(&reader, "SELECT count(*) FROM filler", ()).unwrap();
        copy_whole_log(&connection).unwrap_err();
    }

    #[test]
    fn a_failed_checkpoint_is_retried_only_when_the_log_has_grown() {
        let log = LogState { pages: 9_000, copied: 5_000 };
        let mut schedule = CheckpointSchedule { rounds: 3, ..CheckpointSchedule::default() };
        schedule.record(log, Err(DbError::Timeout), Path::new("matches.db"));
        assert_eq!(schedule.due_at, log.pages + MAX_COMMIT_PAGES);
        assert!(schedule.has_failed && schedule.rounds == 0);
        let copied = LogState { copied: log.pages, ..log };
        schedule.record(log, Ok(copied), Path::new("matches.db"));
        assert!(!schedule.has_failed && schedule.rounds == 1);
    }
}
