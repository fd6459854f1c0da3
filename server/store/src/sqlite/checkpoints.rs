//! Checkpoints, which copy the database's log (WAL) into the database.
//!
//! By default SQLite runs a checkpoint within a commit, as soon as the log has 1,000 pages. During
//! that checkpoint, all matches wait for the disk. So a separate thread runs `PASSIVE` checkpoints,
//! which do not block commits. But `PASSIVE` checkpoints cannot reach the end of the log while
//! commits continue, and SQLite restarts only a log that is copied completely. So once the log has
//! [`LONG_LOG_PAGES`] pages, the writer copies the few pages that were added since the thread's
//! last run. This takes two flushes.

use std::{
    fs::File,
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rusqlite::Connection;

use super::{
    db_error::DbError,
    opening::{self, Durability},
    sql::first,
    worker_thread::{Maintenance, WorkerThread},
};
use crate::rows::StoredRow as _;

/// The number of 4 KiB pages written to the log between two of the thread's checkpoints; SQLite's
/// default for automatic checkpoints.
const CHECKPOINT_INTERVAL_PAGES: usize = 1_000;

/// Length of the log, in pages, at which the writer copies the rest: 16 MiB. With 3,000 commits a
/// second and 3 ms per flush, commits waited for 3 % of the time, and at most 18 ms. With SQLite's
/// default they waited for 14 %, and at most 33 ms. At four times this length, the mean was no
/// better, and the maximum was 58 ms.
const LONG_LOG_PAGES: i64 = 4_000;

/// The writer's checkpoint state.
#[derive(Debug)]
pub(super) struct Checkpoints {
    /// Approximate number of pages written since the thread's last checkpoint.
    pages: usize,
    shared: Arc<SharedState>,
    thread: WorkerThread<CheckpointWorker>,
}

/// State shared by the writer and the thread.
#[derive(Debug, Default)]
struct SharedState {
    /// True while the thread runs a checkpoint.
    is_busy: AtomicBool,
    /// True if the log is long, and all of it except the last pages was copied.
    is_due: AtomicBool,
}

/// State of the checkpoint thread.
#[derive(Debug)]
struct CheckpointWorker {
    path: PathBuf,
    /// The connection. The first checkpoint opens it, since many stores never need a checkpoint.
    connection: Option<Connection>,
    /// The file that records the number of commits. The file is flushed before each checkpoint.
    commits_file: Option<File>,
}

impl Checkpoints {
    /// Starts the thread for a database, with the file that records the number of its commits.
    pub(super) fn start(path: PathBuf, commits_file: Option<File>) -> io::Result<Self> {
        let worker = CheckpointWorker {
            path,
            connection: None,
            commits_file,
        };
        Ok(Self {
            pages: 0,
            shared: Arc::default(),
            thread: WorkerThread::start("checkpoints", worker, Maintenance::NONE)?,
        })
    }

    /// Records that a commit has written about this number of pages.
    pub(super) fn record_commit(&mut self, pages: usize) {
        self.pages += pages;
    }

    /// Returns whether the writer should run maintenance.
    pub(super) fn is_due(&self) -> bool {
        let is_busy = || self.shared.is_busy.load(Ordering::Relaxed);
        self.shared.is_due.load(Ordering::Relaxed)
            || self.pages >= CHECKPOINT_INTERVAL_PAGES && !is_busy()
    }

    /// Runs a due checkpoint, between two commits of this connection.
    pub(super) fn run_maintenance(&mut self, connection: &Connection) {
        if self.shared.is_due.swap(false, Ordering::Relaxed) {
            // If this fails, the log grows until the next attempt.
            let _ = checkpoint(connection);
        }
        if self.pages >= CHECKPOINT_INTERVAL_PAGES
            && !self.shared.is_busy.swap(true, Ordering::Acquire)
        {
            self.pages = 0;
            let shared = Arc::clone(&self.shared);
            self.thread.enqueue(move |worker| {
                let log_is_long = worker.run();
                shared.is_due.store(log_is_long, Ordering::Relaxed);
                // Stored after `is_due`, so that a writer that sees an idle thread also sees its
                // result.
                shared.is_busy.store(false, Ordering::Release);
            });
        }
    }
}

impl CheckpointWorker {
    /// Runs a checkpoint. Returns whether the log is long, and the thread has copied all the pages
    /// that it could.
    fn run(&mut self) -> bool {
        if let Some(file) = &self.commits_file {
            let _ = file.sync_data();
        }
        let connection = match self.connection.take() {
            Some(connection) => Ok(connection),
            None => opening::connect_read_write(&self.path, Durability::Process),
        };
        // Errors are ignored here: the next checkpoint retries, and commits report disk errors.
        let Ok(connection) = connection else {
            return false;
        };
        let log = checkpoint(self.connection.insert(connection));
        log.is_ok_and(|log| log.is_complete && log.pages >= LONG_LOG_PAGES)
    }
}

/// Result of one checkpoint.
struct CheckpointResult {
    pages: i64,
    /// True if all pages were copied into the database.
    is_complete: bool,
}

/// Copies the log into the database, except pages that a reader still needs.
fn checkpoint(connection: &Connection) -> Result<CheckpointResult, DbError> {
    let row = first(connection, "PRAGMA wal_checkpoint(PASSIVE)", ())?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let (pages, checkpointed): (i64, i64) = (row.value(1)?, row.value(2)?);
    Ok(CheckpointResult {
        pages,
        is_complete: checkpointed == pages,
    })
}
