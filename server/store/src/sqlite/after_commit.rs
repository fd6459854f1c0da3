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

/// What is done of each.
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

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use super::super::tests::store;
    use crate::{
        DataDir, Durability, KeyStore as _, MatchId, SqliteOptions, SqliteStore, Store as _,
        StoreError, Write,
    };

    /// What was committed, read or refused so far is told only after the next flush.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nothing_is_told_of_a_commit_before_it_is_flushed() {
        let (_folder, _, store) = store().await;
        let note = |value: u8| Write::KeepNote {
            name: "test".to_owned(),
            value: vec![value],
        };
        let held = store.writer.call(|writer| {
            let writer = writer.as_ref().unwrap();
            writer.after_commit().hold_flushes()
        });
        let held = held.await.unwrap();
        let begun = store.begin_commit(vec![note(7)]).await.unwrap();
        let unknown = MatchId::new("unknown").unwrap();
        let refused = vec![Write::DropMatch { match_id: unknown }];
        let mut waiting = (
            Box::pin(begun.wait()),
            Box::pin(store.commit(vec![note(8)])),
            store.note("test"),
            store.commit(refused),
            store.open_match_ids(),
        );
        let mut context = Context::from_waker(Waker::noop());
        assert!(waiting.0.as_mut().poll(&mut context).is_pending());
        assert!(waiting.1.as_mut().poll(&mut context).is_pending());
        // Reads of keys do not wait, and while they are done the others would be.
        for _ in 0..100 {
            store.keys_mark().await.unwrap();
            assert!(waiting.2.as_mut().poll(&mut context).is_pending());
            assert!(waiting.3.as_mut().poll(&mut context).is_pending());
            assert!(waiting.4.as_mut().poll(&mut context).is_pending());
        }
        drop(held);
        waiting.0.await.unwrap();
        waiting.1.await.unwrap();
        assert!(waiting.2.await.unwrap().is_some());
        let refused = waiting.3.await.unwrap_err();
        assert!(
            matches!(refused, StoreError::WriteRefused { .. }),
            "{refused}"
        );
        assert!(waiting.4.await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn where_a_loss_of_power_may_take_commits_nobody_waits_for_a_flush() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        let options = SqliteOptions {
            durability: Durability::Process,
            ..SqliteOptions::default()
        };
        let store = SqliteStore::open(&dir, options).await.unwrap();
        assert!(store.flushed.is_none());
        let note = Write::KeepNote {
            name: "test".to_owned(),
            value: vec![7],
        };
        assert!(store.begin_commit(vec![note]).await.unwrap().is_done());
    }
}
