//! The store in an SQLite database.
//!
//! One connection writes, on its own thread. Only this connection changes matches, so the state of
//! the matches in play is cached in memory. A few connections read finished matches, and a separate
//! one reads keys, so that reads of matches do not delay authentication. In WAL mode, readers and
//! the writer do not wait for each other. Two more threads flush commits (`log_flusher.rs`) and
//! copy the log into the database (`checkpoints.rs`).
//!
//! Calls to rusqlite block, so they run on threads that may block.

mod checking;
mod checkpoints;
mod connections;
pub(crate) mod copying;
mod keys;
mod log_file;
mod log_flusher;
mod opening;
mod options;
mod sql;
mod takeover;
mod writer;

use std::path::PathBuf;

use async_trait::async_trait;
use parking_lot::Mutex;

use crate::{
    CompiledFuture, DamageReport, DataDir, FinishedCursor, FinishedMatch, FinishedPage, Flush,
    IndexKey, KeyName, KeysVersion, ListedPage, MatchId, OpenMatch, OpenReport, ReplayMetadata,
    Store, StoreError, Write,
    checksum::StoreId,
    commit_count_file,
    db_error::DbError,
    detached::run_blocking,
    limits::{MAX_PAGE_MATCHES, MAX_SCANNED_ENTRIES},
    named_rows::{QueryResults, RowDecision, RowQuery, RowStore},
    rows::{
        finished::{self, MaybeUnflushed},
        named, replays, row_sums,
    },
    schema,
};

use connections::{Readers, WorkerThread};
use log_flusher::{AfterCommit, FlushWatch};
use sql::{StatementConnection, run};
use writer::{IN_MEMORY, Writer};

pub use checking::{CheckReport, Inspector, check, check_with_inspector};
pub use copying::{backup, replace, restore};
pub use keys::SqliteKeys;
pub use opening::migrate_folder;
pub use options::{Durability, IntegrityCheck, SqliteOptions};

/// A [`Store`] in a data folder, which it locks exclusively, or [in memory](Self::new).
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
    open_report: OpenReport,
    writer: WriterAccess,
    /// `None` if commits are not flushed.
    flushed: Option<FlushWatch>,
    /// `None` in memory, where the writer's connection is the only one.
    readers: Option<Readers>,
    /// A connection for keys only, so that reads of matches never delay authentication.
    key_reader: Option<Readers>,
}

/// A [`Store`] in memory, created by [`MemoryStore::new`](SqliteStore::new).
pub type MemoryStore = SqliteStore;

/// Access to the writer, which is `None` once the store is closed.
#[derive(Debug)]
enum WriterAccess {
    Thread(WorkerThread<Option<Writer>>),
    /// Calls to a database in memory do not block.
    Inline(Mutex<Option<Writer>>),
}

impl WriterAccess {
    async fn call<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Option<Writer>) -> R + Send + 'static,
    ) -> Result<R, StoreError> {
        match self {
            Self::Thread(thread) => thread.call(work).await,
            Self::Inline(writer) => Ok(work(&mut writer.lock())),
        }
    }
}

/// The maximum number of connections for reading. A few suffice, since reads are short.
const MAX_READ_CONNECTIONS: u32 = 4;

impl SqliteStore {
    /// Creates an empty store in memory. Its content is lost when the process ends.
    #[must_use]
    // A default would not show that the store is lost with the process.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let started = Writer::start_in_memory();
        let (writer, open_report) =
            started.expect("a new database in memory has no file that fails");
        Self {
            path: IN_MEMORY.into(),
            store: writer.store,
            open_report,
            writer: WriterAccess::Inline(Mutex::new(Some(writer))),
            flushed: None,
            readers: None,
            key_reader: None,
        }
    }

    /// Locks the folder, checks its database or creates one, and loads the matches in play.
    ///
    /// # Errors
    /// Returns [`StoreError::FolderInUse`] while another server has locked the folder;
    /// [`StoreError::NotADatabase`], [`StoreError::ForeignDatabase`], [`StoreError::NewerSchema`],
    /// [`StoreError::OlderSchema`], [`StoreError::Corrupt`], [`StoreError::DatabaseMissing`]
    /// and [`StoreError::FileMismatch`] for files that are not accepted, which are left unchanged;
    /// or a storage failure. Single damaged values and missing commits are not errors: see
    /// [`Store::open_report`].
    pub fn open(
        dir: &DataDir,
        options: SqliteOptions,
    ) -> CompiledFuture<'_, Result<Self, StoreError>> {
        let dir = dir.clone();
        Box::pin(run_blocking(move || Self::open_blocking(&dir, &options)))
    }

    fn open_blocking(dir: &DataDir, options: &SqliteOptions) -> Result<Self, StoreError> {
        let lock = dir.lock()?;
        let path = dir.database();
        let recorded = commit_count_file::read(dir.path())?;
        let (connection, indexes_rebuilt) =
            opening::open_for_server(dir, options, &recorded, &schema::CURRENT)?;
        let (writer, mut open_report) =
            Writer::start(connection, lock, dir, &recorded, options.durability)?;
        open_report.indexes_rebuilt |= indexes_rebuilt;
        let store = writer.store;
        let flushed = writer.after_commit().and_then(AfterCommit::flush_watch);
        let writer = WorkerThread::start("writer", Some(writer));
        let writer = writer.map_err(|error| DbError::Io(error).at(&path))?;
        Ok(Self {
            store,
            open_report,
            writer: WriterAccess::Thread(writer),
            flushed,
            readers: Some(Readers::new(path.clone(), MAX_READ_CONNECTIONS)),
            key_reader: Some(Readers::new(path.clone(), 1)),
            path,
        })
    }

    /// Accepts that rows are missing: the store then counts the rows that it has. Returns the
    /// tables of which rows were missing.
    ///
    /// # Errors
    /// Returns a storage failure.
    pub async fn accept_missing_rows(&self) -> Result<Vec<DamageReport>, StoreError> {
        self.write(Writer::accept_missing_rows).await
    }

    /// Runs work on the writer. The work is completed even if the caller stops waiting. Its result
    /// can depend on commits that are not flushed yet.
    async fn call_writer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Writer) -> Result<T, DbError> + Send + 'static,
    ) -> Result<Result<T, DbError>, StoreError> {
        let work = |writer: &mut Option<Writer>| match writer {
            Some(writer) => work(writer),
            None => Err(StoreError::Closed.into()),
        };
        self.writer.call(work).await
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Writer) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.after_flush(self.call_writer(work).await?).await
    }

    /// Withholds a result or refusal until all commits that it depends on are flushed.
    async fn after_flush<T>(&self, result: Result<T, DbError>) -> Result<T, StoreError> {
        let flushed = match self.flushed.clone() {
            Some(flushed) => flushed.wait_for_announced().await,
            None => Ok(()),
        };
        let result = result.and_then(|value| flushed.map(|()| value));
        result.map_err(|error| error.at(&self.path))
    }

    async fn read_with<T: Send + 'static>(
        &self,
        readers: Option<&Readers>,
        work: impl FnOnce(&mut StatementConnection<'_>, StoreId) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, DbError> {
        let store = self.store;
        let Some(readers) = readers else {
            return self.call_writer(move |writer| work(&mut writer.sql(), store)).await?;
        };
        readers.read(move |connection| work(&mut StatementConnection(connection), store)).await
    }

    /// Runs a read that does not concern keys.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut StatementConnection<'_>, StoreId) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let read = self.read_with(self.readers.as_ref(), work).await;
        self.after_flush(read).await
    }

    /// Runs a read of finished matches.
    async fn read_finished<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnOnce(&mut StatementConnection<'_>, StoreId) -> Result<MaybeUnflushed<T>, DbError>
            + Send
            + 'static,
    {
        self.read(|sql, store| Ok(work(sql, store)?.0)).await
    }

    /// Runs a read of keys without waiting for flushes, since a slow disk must not block
    /// authentication. Commands that change keys wait for their own flushes.
    async fn read_keys<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut StatementConnection<'_>, StoreId) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let read = self.read_with(self.key_reader.as_ref(), work).await;
        read.map_err(|error| error.at(&self.path))
    }
}

impl RowStore for SqliteStore {
    async fn read_rows(&self, queries: Vec<RowQuery>) -> Result<QueryResults, StoreError> {
        let is_of_keys = queries.iter().any(|query| query.table.is_of_keys());
        let read =
            move |sql: &mut StatementConnection<'_>, store| run(named::read(sql, store, &queries));
        if is_of_keys { self.read_keys(read).await } else { self.read(read).await }
    }

    async fn read_keys_version(&self) -> Result<KeysVersion, StoreError> {
        self.read_keys(|sql, _| run(row_sums::keys_version(sql))).await
    }

    async fn update_rows<T: Send + 'static>(
        &self,
        queries: Vec<RowQuery>,
        decide: impl Fn(QueryResults, bool) -> RowDecision<T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        let is_retry = false;
        let decide = move |results| decide(results, is_retry);
        self.write(move |writer| writer.update_rows(&queries, decide)).await
    }

    fn location(&self) -> PathBuf {
        self.path.clone()
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn begin_commit(&self, batch: Vec<Write>) -> Result<Flush, StoreError> {
        let result = self.call_writer(move |writer| writer.commit(batch)).await?;
        let Some(flushed) = self.flushed.clone().filter(|_| result.is_ok()) else {
            let result = result.map(|()| Flush::already_durable());
            return self.after_flush(result).await;
        };
        let (flushed, path) = (flushed.wait_for_announced(), self.path.clone());
        Ok(Flush::from_future(async move { flushed.await.map_err(|error| error.at(&path)) }))
    }

    fn open_report(&self) -> OpenReport {
        self.open_report.clone()
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
        self.write(move |writer| writer.open_match_header(&id)).await
    }

    async fn finished(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
    ) -> Result<FinishedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        self.read_finished(move |sql, store| run(finished::page(sql, store, after, limit))).await
    }

    async fn list(
        &self,
        before: Option<&MatchId>,
        limit: u32,
        keys: &[IndexKey],
    ) -> Result<ListedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        let (before, keys) = (before.cloned(), keys.to_vec());
        self.read_finished(move |sql, store| {
            let (before, scanned) = (before.as_ref(), MAX_SCANNED_ENTRIES);
            run(finished::list(sql, store, before, limit, &keys, scanned))
        })
        .await
    }

    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError> {
        let id = id.clone();
        self.read_finished(move |sql, store| run(finished::get(sql, store, &id))).await
    }

    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError> {
        let (id, name) = (id.clone(), name.clone());
        self.read_finished(move |sql, _| run(finished::find_party(sql, &id, &name))).await
    }

    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        let id = id.clone();
        self.read_finished(move |sql, store| run(replays::replay(sql, store, &id))).await
    }

    async fn stored_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        skip_newest: u64,
    ) -> Result<Vec<ReplayMetadata>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        self.read_finished(move |sql, store| {
            run(replays::stored_replays(sql, store, after, limit, skip_newest))
        })
        .await
    }

    async fn close(&self) -> Result<(), StoreError> {
        // The writer is closed last: the last connection to close deletes the log, and readers
        // cannot delete it.
        for readers in [&self.readers, &self.key_reader].into_iter().flatten() {
            readers.close().await;
        }
        let close = |writer: &mut Option<Writer>| match writer.take() {
            Some(writer) => writer.close(),
            None => Ok(()),
        };
        let closed = self.writer.call(close).await?;
        closed.map_err(|error| error.at(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::{KeyId, KeyStore as _};

    /// Opens a store in a temporary folder.
    pub(super) async fn store() -> (TempDir, DataDir, SqliteStore) {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        let store = SqliteStore::open(&dir, SqliteOptions::default());
        let store = store.await.unwrap();
        (folder, dir, store)
    }

    #[tokio::test]
    async fn keys_are_read_while_every_reader_of_matches_is_busy() {
        let (_folder, _, store) = store().await;
        let mut held = Vec::new();
        for _ in 0..MAX_READ_CONNECTIONS {
            held.push(store.readers.as_ref().unwrap().acquire().await.unwrap());
        }
        store.keys_version().await.unwrap();
        assert!(store.keys().await.unwrap().is_empty());
        let nobody = KeyId::new("nobody").unwrap();
        assert!(store.key(&nobody).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn a_page_by_several_keys_continues_after_the_entries_that_were_read() {
        let (_folder, dir, store) = store().await;
        let [a, b] = ["a", "b"].map(|value| IndexKey::of_property("property", value));
        let both = vec![a.clone(), b.clone()];
        let one = (0..6).map(|n| vec![[&a, &b][n % 2].clone()]);
        let all = [both.clone(), both.clone()].into_iter().chain(one);
        for (n, index_keys) in all.enumerate() {
            let match_id = MatchId::new(format!("m{n}")).unwrap();
            let open = Write::OpenMatch {
                match_id: match_id.clone(),
                opened_at_unix_ms: 0,
                header: Vec::new(),
            };
            let finish = Write::FinishMatch {
                match_id,
                ended_at_unix_ms: 0,
                summary: Vec::new(),
                replay: Vec::new(),
                parties: Vec::new(),
                index_keys,
            };
            store.commit(vec![open, finish]).await.unwrap();
        }
        let reader = opening::connect_read_only(&dir.database()).unwrap();
        let page = |before: Option<MatchId>, scanned| {
            let (sql, before) = (&mut StatementConnection(&reader), before.as_ref());
            let page = run(finished::list(sql, store.store, before, 1, &both, scanned));
            let (page, _) = page.unwrap();
            let ids = page.matches.into_iter().map(|found| found.match_id.to_string());
            (ids.collect::<Vec<_>>(), page.next)
        };
        // Five matches have each key, and the newest three have only one of them.
        let (none, next) = page(None, 3);
        assert!(none.is_empty() && next.is_some());
        let (newer, next) = page(next, 3);
        assert_eq!((&newer[..], next.is_some()), (&["m1".to_owned()][..], true));
        let (older, next) = page(next, 3);
        assert_eq!((&older[..], next), (&["m0".to_owned()][..], None));
    }

    #[tokio::test]
    async fn a_page_of_a_partys_matches_is_found_by_indexes_alone() {
        let (_folder, dir, _store) = store().await;
        let reader = opening::connect_read_only(&dir.database()).unwrap();
        let select = finished::select_listed::<StatementConnection<'_>>(1, 9).replace('$', "?");
        let mut steps = reader.prepare(&format!("EXPLAIN QUERY PLAN {select}")).unwrap();
        let steps: Vec<String> = steps
            .query_map(rusqlite::params!["a", 9, "north"], |step| step.get("detail"))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(
            steps,
            [
                "SEARCH finished_party USING PRIMARY KEY (name=? AND match_id<?)",
                "SEARCH finished_match USING INDEX sqlite_autoindex_finished_match_1 (match_id=?)",
            ]
        );
    }
}
