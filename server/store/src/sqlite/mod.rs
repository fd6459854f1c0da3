//! The store in an SQLite database.
//!
//! One connection writes, on a thread of its own or, for quick commits, on that of the caller
//! (`commit_pace.rs`). It is the only one that changes matches, so what it has to know of the matches in
//! play is kept in memory beside it. A few connections read finished matches, and one of its own reads
//! keys, so that who may call is known however much is read of matches. The database is in WAL mode:
//! readers and the writer do not wait for each other. A thread of its own waits for the disk
//! (`log_flusher.rs`).
//!
//! All of it is plain code that blocks, over rusqlite; but for quick commits it is called on threads
//! where it may.

mod after_commit;
mod as_key_store;
mod as_ladder_store;
mod checking;
mod checkpoints;
mod commit_pace;
pub(crate) mod copying;
mod failure;
mod finished_rows;
mod identity;
mod journal;
mod key_rows;
mod key_store;
mod ladder_rows;
mod log_file;
mod log_flusher;
mod match_counts;
mod note_rows;
mod open_rows;
mod opening;
mod options;
mod own_thread;
mod party_lists;
mod readers;
mod replay_rows;
mod row;
mod schema;
mod secret_rows;
mod short_turns;
mod steps;
mod taking;
mod transaction;
pub(crate) mod transfer;
mod writer;

use std::{path::PathBuf, sync::Arc, time::Instant};

use async_trait::async_trait;
use rusqlite::Connection;

use crate::{
    CompiledFuture, Damage, DataDir, FinishedCursor, FinishedMatch, FinishedPage, Flush,
    KeptReplay, KeyName, MatchCounts, MatchId, Notes, OpenMatch, Opening, Store, StoreError, Write,
    checksum::StoreId, commits_file, detached::on_a_thread, limits::MAX_PAGE_MATCHES,
    secrets::check_secret,
};

use commit_pace::CommitPace;
use failure::Fault;
use log_flusher::Flushed;
use own_thread::{Between, OwnThread};
use readers::Readers;
use writer::Writer;

pub use checking::{CheckReport, check, check_with};
pub use copying::{backup, replace, restore};
pub use key_store::SqliteKeys;
pub use options::{Durability, IntegrityCheck, SqliteOptions};

/// A [`Store`] in a data folder, which it holds alone.
///
/// ```
/// use bridgemaster_store::{DataDir, MatchId, SqliteOptions, SqliteStore, Store, Write};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let dir = DataDir::prepare(folder)?;
/// let store = SqliteStore::open(&dir, SqliteOptions::default()).await?;
/// let match_id = MatchId::new("3f9a01")?;
/// let header = b"rules and tickets".to_vec();
/// let opened_at_unix_ms = 1_790_000_000_000;
/// let open = Write::OpenMatch { match_id: match_id.clone(), opened_at_unix_ms, header };
/// store.commit(vec![open]).await?;
/// store.close().await?;
///
/// let store = SqliteStore::open(&dir, SqliteOptions::default()).await?;
/// assert_eq!(store.open_match_ids().await?, [match_id]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    store: StoreId,
    opening: Opening,
    /// `None` once closed.
    writer: OwnThread<Option<Writer>>,
    commit_pace: Arc<CommitPace>,
    /// `None` where commits do not wait for the disk.
    flushed: Option<Flushed>,
    readers: Readers,
    /// Of keys alone.
    key_reader: Readers,
}

/// Connections that read while the writer writes. Reads are short.
const READERS: u32 = 4;

impl SqliteStore {
    /// Holds the folder, checks the database in it or makes one, brings its schema up to date,
    /// and reads which matches are in play.
    ///
    /// # Errors
    /// [`StoreError::FolderInUse`] while another server holds the folder;
    /// [`StoreError::NotADatabase`], [`StoreError::ForeignDatabase`],
    /// [`StoreError::NewerSchema`], [`StoreError::DifferentSchema`], [`StoreError::Corrupt`],
    /// [`StoreError::DatabaseMissing`] and [`StoreError::NotTogether`] for files that are not
    /// believed, which are left as they are; or a failure of the storage. Where single values are
    /// damaged or the newest commits are gone, [`Store::opening`] says so.
    pub fn open(
        dir: &DataDir,
        options: SqliteOptions,
    ) -> CompiledFuture<'_, Result<Self, StoreError>> {
        let dir = dir.clone();
        Box::pin(on_a_thread(move || Self::opened(&dir, &options)))
    }

    fn opened(dir: &DataDir, options: &SqliteOptions) -> Result<Self, StoreError> {
        let lock = dir.lock()?;
        let path = dir.database();
        let told = commits_file::read(dir.path())?;
        let believed = opening::serving(dir, options, &told)?;
        let durability = options.durability;
        let started = Writer::start(believed.connection, lock, dir, &told, durability)?;
        let (writer, opening) = started;
        let (store, flushed) = (writer.store(), writer.after_commit().flushed());
        let between = Between {
            is_due: |writer: &Option<Writer>| writer.as_ref().is_some_and(Writer::is_to_be_tended),
            tend: |writer| {
                if let Some(writer) = writer {
                    writer.tend();
                }
            },
        };
        let writer = OwnThread::start("writer", Some(writer), between);
        Ok(Self {
            store,
            opening: Opening {
                indexes_rebuilt: believed.indexes_rebuilt || opening.indexes_rebuilt,
                ..opening
            },
            writer: writer.map_err(|error| Fault::System(error).at(&path))?,
            commit_pace: Arc::default(),
            flushed,
            readers: Readers::new(path.clone(), READERS),
            key_reader: Readers::new(path.clone(), 1),
            path,
        })
    }

    /// A failure, told of this database.
    fn told(&self, fault: Fault) -> StoreError {
        fault.at(&self.path)
    }

    /// Has the writer do something, whether or not somebody goes on waiting for it.
    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Writer) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let work = |writer: &mut Option<Writer>| work(opened(writer)?);
        let done = self.writer.call(work).await?;
        self.once_flushed(done).await
    }

    /// What was written or read, or why that is refused, once a loss of power leaves what it is of.
    async fn once_flushed<T>(&self, done: Result<T, Fault>) -> Result<T, StoreError> {
        let flushed = match self.flushed.clone() {
            Some(flushed) => flushed.all().await,
            None => Ok(()),
        };
        let done = done.and_then(|value| flushed.map(|()| value));
        done.map_err(|fault| self.told(fault))
    }

    /// Reads something of matches.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, StoreId) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = self.store;
        let read = self.readers.read(move |connection| work(connection, store));
        self.once_flushed(read.await).await
    }

    /// Reads something of keys. It does not wait until commits are flushed: keys are made and revoked by
    /// commands beside the server, which have waited, and a slow disk must not keep anybody out.
    async fn read_keys<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, StoreId) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = self.store;
        let read = self
            .key_reader
            .read(move |connection| work(connection, store));
        read.await.map_err(|fault| self.told(fault))
    }
}

fn opened(writer: &mut Option<Writer>) -> Result<&mut Writer, Fault> {
    Ok(writer.as_mut().ok_or(StoreError::Closed)?)
}

#[async_trait]
impl Store for SqliteStore {
    async fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        self.begin_commit(batch).await?.wait().await
    }

    async fn begin_commit(&self, batch: Vec<Write>) -> Result<Flush, StoreError> {
        let is_made_here = self.commit_pace.is_made_by_caller(&batch);
        let pace = Arc::clone(&self.commit_pace);
        let commit = move |writer: &mut Option<Writer>| {
            let begun = Instant::now();
            let done = opened(writer)?.commit(batch);
            pace.took(begun.elapsed());
            done
        };
        let done = match is_made_here {
            true => self.writer.call_here(commit).await?,
            false => self.writer.call(commit).await?,
        };
        let Some(flushed) = self.flushed.clone().filter(|_| done.is_ok()) else {
            return self.once_flushed(done.map(|()| Flush::done())).await;
        };
        let (flushed, path) = (flushed.all(), self.path.clone());
        Ok(Flush::until(async move {
            flushed.await.map_err(|fault| fault.at(&path))
        }))
    }

    fn opening(&self) -> Opening {
        self.opening.clone()
    }

    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError> {
        self.write(|writer| Ok(writer.open_match_ids())).await
    }

    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError> {
        let id = id.clone();
        self.write(move |writer| writer.open_match(&id)).await
    }

    async fn open_match_header(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        let id = id.clone();
        self.write(move |writer| writer.open_match_header(&id))
            .await
    }

    async fn finished(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        of: Option<&KeyName>,
    ) -> Result<FinishedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        let of = of.cloned();
        self.read(move |connection, store| {
            finished_rows::page(connection, store, after, limit, of.as_ref())
        })
        .await
    }

    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError> {
        let id = id.clone();
        self.read(move |connection, store| finished_rows::one(connection, store, &id))
            .await
    }

    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError> {
        let (id, name) = (id.clone(), name.clone());
        self.read(move |connection, _| finished_rows::is_party(connection, &id, &name))
            .await
    }

    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        let id = id.clone();
        self.read(move |connection, store| replay_rows::get(connection, store, &id))
            .await
    }

    async fn kept_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        spared: u64,
    ) -> Result<Vec<KeptReplay>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        self.read(move |connection, store| {
            finished_rows::kept_replays(connection, store, after, limit, spared)
        })
        .await
    }

    async fn match_counts(&self) -> Result<MatchCounts, StoreError> {
        self.read(|connection, _| match_counts::counts(connection))
            .await
    }

    async fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let name = name.to_owned();
        self.read(move |connection, store| note_rows::get(connection, store, &name))
            .await
    }

    async fn notes(&self, prefix: &str) -> Result<Notes, StoreError> {
        let prefix = prefix.to_owned();
        self.read(move |connection, store| note_rows::all(connection, store, &prefix))
            .await
    }

    async fn secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let name = name.to_owned();
        self.read(move |connection, store| secret_rows::get(connection, store, &name))
            .await
    }

    async fn keep_secret(&self, name: &str, value: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        check_secret(name, &value)?;
        let name = name.to_owned();
        self.write(move |writer| writer.keep_secret(&name, value))
            .await
    }

    async fn remove_damaged_secrets(&self) -> Result<Vec<Damage>, StoreError> {
        self.write(Writer::remove_damaged_secrets).await
    }

    async fn close(&self) -> Result<(), StoreError> {
        // The writer last: the last connection cleans up, and a reader could not.
        self.readers.close().await;
        self.key_reader.close().await;
        let close = |writer: &mut Option<Writer>| match writer.take() {
            Some(writer) => writer.close(),
            None => Ok(()),
        };
        let closed = self.writer.call(close).await?;
        closed.map_err(|fault| self.told(fault))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use tempfile::TempDir;

    use super::*;

    /// A store in a folder of its own.
    pub(super) async fn store() -> (TempDir, DataDir, SqliteStore) {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        let store = SqliteStore::open(&dir, SqliteOptions::default());
        let store = store.await.unwrap();
        (folder, dir, store)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_quick_commit_is_made_without_waiting_for_another_thread() {
        let (_folder, _, store) = store().await;
        let note = Write::KeepNote {
            name: "test".to_owned(),
            value: vec![7],
        };
        let mut commit = pin!(store.begin_commit(vec![note]));
        let done = commit
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(Ok(flush)) = done else {
            panic!("{done:?}");
        };
        flush.wait().await.unwrap();
        assert_eq!(store.note("test").await.unwrap(), Some(vec![7]));
    }
}
