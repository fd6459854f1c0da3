//! When the log of the database is brought into the database itself.
//!
//! Left alone, SQLite does that within a commit, as soon as its log has 1,000 pages: that commit,
//! and with it every match, then waits until the log and the database are on the disk. So a thread
//! of its own does nearly all of it beside the commits (`PASSIVE`: it waits for nobody and holds
//! nobody up). What it cannot do is to come to an end while commits go on, and only then may the log
//! begin anew. So once the log has [`LONG_LOG_PAGES`], the writer brings in the little that has come
//! since the thread was there last. It takes two waits for the disk, once in as many pages.

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
    failure::Fault,
    opening,
    options::Durability,
    own_thread::{Between, OwnThread},
    row::first,
};
use crate::rows::StoredRow as _;

/// Pages of 4 KiB that are written to the log between two rounds of the thread: as many as SQLite
/// itself has between two checkpoints.
const PAGES_BETWEEN: usize = 1_000;

/// Pages of the log from which on the writer brings in what is left: 16 MiB. With 3,000 commits a
/// second, on a disk that needs 3 ms to be sure of anything, commits then waited for a thirtieth of
/// the time, and for 18 ms at most; for a seventh of it, and up to 33 ms, where SQLite was left alone.
/// With four times as many pages they waited no less, and up to 58 ms at once.
const LONG_LOG_PAGES: i64 = 4_000;

/// What the writer knows of checkpoints.
#[derive(Debug)]
pub(super) struct Checkpoints {
    /// Pages since the last round of the thread, about.
    pages: usize,
    shared: Arc<Shared>,
    thread: OwnThread<Rounds>,
}

/// What the writer and the thread tell each other.
#[derive(Debug, Default)]
struct Shared {
    /// The thread is on its round.
    is_busy: AtomicBool,
    /// The log is long, and all but its end is in the database.
    is_due: AtomicBool,
}

/// What the thread does its rounds with.
#[derive(Debug)]
struct Rounds {
    path: PathBuf,
    /// Made in its first round: most stores are never written to that much.
    connection: Option<Connection>,
    /// The file that counts the commits. Until it is on the disk it is only behind.
    commits_file: Option<File>,
}

impl Checkpoints {
    /// Those of a database, beside which a file counts the commits.
    pub(super) fn start(path: PathBuf, commits_file: Option<File>) -> io::Result<Self> {
        let rounds = Rounds {
            path,
            connection: None,
            commits_file,
        };
        Ok(Self {
            pages: 0,
            shared: Arc::default(),
            thread: OwnThread::start("checkpoints", rounds, Between::NOTHING)?,
        })
    }

    /// A commit has written about so many pages.
    pub(super) fn committed(&mut self, pages: usize) {
        self.pages += pages;
    }

    /// Whether there is something to be done between two commits.
    pub(super) fn is_due(&self) -> bool {
        let is_busy = || self.shared.is_busy.load(Ordering::Relaxed);
        self.shared.is_due.load(Ordering::Relaxed) || self.pages >= PAGES_BETWEEN && !is_busy()
    }

    /// Between two commits of this connection.
    pub(super) fn tend(&mut self, connection: &Connection) {
        if self.shared.is_due.swap(false, Ordering::Relaxed) {
            // Where it fails, the log only goes on growing until the next time.
            let _ = bring_in(connection);
        }
        if self.pages >= PAGES_BETWEEN && !self.shared.is_busy.swap(true, Ordering::Acquire) {
            self.pages = 0;
            let shared = Arc::clone(&self.shared);
            self.thread.begin(move |rounds| {
                let log_is_long = rounds.go();
                shared.is_due.store(log_is_long, Ordering::Relaxed);
                // After the line above: who sees that it is back sees what it has found.
                shared.is_busy.store(false, Ordering::Release);
            });
        }
    }
}

impl Rounds {
    /// Brings in what is in the log. Whether it is long, and no read keeps it from beginning anew.
    fn go(&mut self) -> bool {
        if let Some(file) = &self.commits_file {
            let _ = file.sync_data();
        }
        let connection = match self.connection.take() {
            Some(connection) => Ok(connection),
            None => opening::writing(&self.path, Durability::Process),
        };
        // It is tried again in the next round. A commit tells what is wrong with the disk.
        let Ok(connection) = connection else {
            return false;
        };
        let log = bring_in(self.connection.insert(connection));
        log.is_ok_and(|log| log.is_in && log.pages >= LONG_LOG_PAGES)
    }
}

/// What a checkpoint has found.
struct Log {
    pages: i64,
    /// All of them are in the database.
    is_in: bool,
}

/// Brings into the database what is in the log by now, as far as no read keeps it from that.
fn bring_in(connection: &Connection) -> Result<Log, Fault> {
    let row = first(connection, "PRAGMA wal_checkpoint(PASSIVE)", ())?;
    let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let (pages, brought_in): (i64, i64) = (row.value(1)?, row.value(2)?);
    Ok(Log {
        pages,
        is_in: brought_in == pages,
    })
}
