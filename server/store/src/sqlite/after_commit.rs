//! What is done of a commit once the system has it.

use std::path::Path;

use rusqlite::Connection;

use super::{
    failure::Fault,
    log_flusher::{Flushed, LogFlusher},
    opening,
    options::Durability,
};
use crate::commits_file::CommitsFile;

pub(super) enum AfterCommit {
    /// It is noted: a loss of power may take it.
    Note(CommitsFile),
    /// It is flushed, and then noted.
    Flush(LogFlusher),
}

impl AfterCommit {
    /// For a database whose commits have waited for the disk so far, up to that of this number.
    pub(super) fn of(
        durability: Durability,
        database: &Path,
        connection: &Connection,
        commits_file: CommitsFile,
        number: i64,
    ) -> Result<Self, Fault> {
        if durability == Durability::Process {
            return Ok(Self::Note(commits_file));
        }
        let log = opening::log_to_be_flushed(connection, database)?;
        let flusher = LogFlusher::start(log, commits_file, number);
        Ok(Self::Flush(flusher.map_err(Fault::System)?))
    }

    /// Makes a commit, and does with it what is to be done. `commit` gives what came of it, with its
    /// number if it is made.
    pub(super) fn make<T>(
        &mut self,
        commit: impl FnOnce() -> Result<(T, Option<i64>), Fault>,
    ) -> Result<T, Fault> {
        match self {
            Self::Flush(flusher) => flusher.make(commit),
            Self::Note(commits_file) => {
                let (value, number) = commit()?;
                if let Some(number) = number {
                    commits_file.note(number);
                }
                Ok(value)
            }
        }
    }

    /// What tells which commits are flushed; `None` where a loss of power may take them.
    pub(super) fn flushed(&self) -> Option<Flushed> {
        match self {
            Self::Note(_) => None,
            Self::Flush(flusher) => Some(flusher.flushed()),
        }
    }

    /// After the last commit.
    pub(super) fn end(self) -> Result<(), Fault> {
        match self {
            Self::Note(commits_file) => {
                commits_file.sync();
                Ok(())
            }
            Self::Flush(flusher) => flusher.end().map_err(Fault::System),
        }
    }

    /// Holds up all flushes until what this returns is dropped.
    #[cfg(test)]
    pub(super) fn hold_flushes(&self) -> std::sync::mpsc::Sender<()> {
        match self {
            Self::Note(_) => panic!("nothing is flushed"),
            Self::Flush(flusher) => flusher.hold(),
        }
    }
}
