//! The work after each commit: flushes the commit if the durability requires it, and records its
//! number.

use std::path::Path;

use rusqlite::Connection;

use super::{
    db_error::DbError,
    log_flusher::{FlushWatch, LogFlusher},
    opening::{self, Durability},
};
use crate::commits_file::CommitsFile;

pub(super) enum AfterCommit {
    /// Only record the commit. A loss of power can lose it.
    Record(CommitsFile),
    /// Flush the commit, then record it.
    Flush(LogFlusher),
}

impl AfterCommit {
    /// Creates the handler for a database whose commits up to this number are on the disk.
    pub(super) fn new(
        durability: Durability,
        database: &Path,
        connection: &Connection,
        commits_file: CommitsFile,
        number: i64,
    ) -> Result<Self, DbError> {
        if durability == Durability::Process {
            return Ok(Self::Record(commits_file));
        }
        let log = opening::take_over_flushing(connection, database)?;
        let flusher = LogFlusher::start(log, commits_file, number);
        Ok(Self::Flush(flusher.map_err(DbError::Io)?))
    }

    /// Runs `commit`, and then flushes and records the commit. `commit` returns its result, and the
    /// commit number if a commit was made.
    pub(super) fn commit<T>(
        &mut self,
        commit: impl FnOnce() -> Result<(T, Option<i64>), DbError>,
    ) -> Result<T, DbError> {
        match self {
            Self::Flush(flusher) => flusher.commit(commit),
            Self::Record(commits_file) => {
                let (value, number) = commit()?;
                if let Some(number) = number {
                    commits_file.record(number);
                }
                Ok(value)
            }
        }
    }

    /// Returns a handle to await flushes; `None` if commits are not flushed.
    pub(super) fn flush_watch(&self) -> Option<FlushWatch> {
        match self {
            Self::Record(_) => None,
            Self::Flush(flusher) => Some(flusher.flush_watch()),
        }
    }

    /// Waits for the work after the last commit.
    pub(super) fn close(self) -> Result<(), DbError> {
        match self {
            Self::Record(commits_file) => {
                commits_file.sync();
                Ok(())
            }
            Self::Flush(flusher) => flusher.close().map_err(DbError::Io),
        }
    }

    /// Blocks all flushes until the returned sender is dropped.
    #[cfg(test)]
    pub(super) fn hold_flushes(&self) -> std::sync::mpsc::Sender<()> {
        match self {
            Self::Record(_) => panic!("nothing is flushed"),
            Self::Flush(flusher) => flusher.hold_flushes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use super::super::tests::store;
    use crate::{
        DataDir, Durability, KeyStore as _, MatchId, RecordStore as _, SqliteOptions, SqliteStore,
        Store as _, StoreError, Write,
    };

    /// Results of commits, reads and refusals are withheld until the next flush.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn results_of_a_commit_are_withheld_until_it_is_flushed() {
        let (_folder, _, store) = store().await;
        let record = |value: u8| Write::PutRecord {
            name: "test".to_owned(),
            value: vec![value],
        };
        let held = store.writer.call(|writer| {
            let writer = writer.as_ref().unwrap();
            writer.after_commit().hold_flushes()
        });
        let held = held.await.unwrap();
        let flush = store.begin_commit(vec![record(7)]).await.unwrap();
        let unknown = MatchId::new("unknown").unwrap();
        let refused = vec![Write::DropMatch { match_id: unknown }];
        let mut waiting = (
            Box::pin(flush.wait()),
            Box::pin(store.commit(vec![record(8)])),
            store.record("test"),
            store.commit(refused),
            store.open_match_ids(),
        );
        let mut context = Context::from_waker(Waker::noop());
        assert!(waiting.0.as_mut().poll(&mut context).is_pending());
        assert!(waiting.1.as_mut().poll(&mut context).is_pending());
        // Reads of keys do not wait. While they complete, the others would too if they did not
        // wait.
        for _ in 0..100 {
            store.keys_version().await.unwrap();
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
    async fn commits_are_not_flushed_with_durability_process() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        let options = SqliteOptions {
            durability: Durability::Process,
            ..SqliteOptions::default()
        };
        let store = SqliteStore::open(&dir, options).await.unwrap();
        assert!(store.flushed.is_none());
        let record = Write::PutRecord {
            name: "test".to_owned(),
            value: vec![7],
        };
        assert!(store.begin_commit(vec![record]).await.unwrap().is_durable());
    }
}
