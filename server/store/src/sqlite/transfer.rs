//! A data folder as the source or target of a copy.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use super::{
    checking,
    db_error::DbError,
    identity, opening,
    row::{execute, value},
    sql::{Sql, run},
    takeover::load_matches,
    worker_thread::{Maintenance, WorkerThread},
};
use crate::{
    DamageReport, DamagedValue, DataDir, OpenMatch, StoreError,
    checksum::StoreId,
    detached::run_blocking,
    named_rows::{RowChange, RowQuery, RowResult},
    rows::{
        finished::{self, FinishedEntry},
        named, open_matches as rows,
    },
    transfer::{FINISHED_PER_CHUNK, TransferSide},
};

/// A connection with an open transaction, on a separate thread.
pub(crate) struct SqliteSide {
    thread: WorkerThread<Connection>,
    store: StoreId,
    path: PathBuf,
}

impl SqliteSide {
    /// Checks a folder, and begins a read transaction.
    pub(crate) async fn open_source(dir: &DataDir) -> Result<Self, StoreError> {
        let path = dir.database();
        checking::require_sound(checking::check(dir).await?, &path)?;
        Self::open(path, |path| {
            let connection = opening::open_read_only(path)?;
            connection.execute_batch("BEGIN")?;
            let identity = identity::read(&connection)?;
            let identity = identity.ok_or_else(checking::missing_identity)?;
            Ok((identity.store, connection))
        })
        .await
    }

    /// Creates a database in an empty file, with this store id.
    pub(crate) async fn create_target(path: &Path, store: StoreId) -> Result<Self, StoreError> {
        Self::open(path.to_owned(), move |path| {
            let connection = opening::create(path)?;
            connection.execute_batch("BEGIN")?;
            identity::set_store_id(&connection, store)?;
            Ok((store, connection))
        })
        .await
    }

    async fn open(
        path: PathBuf,
        begin: impl FnOnce(&Path) -> Result<(StoreId, Connection), DbError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        run_blocking(move || {
            let (store, connection) = begin(&path).map_err(|error| error.at(&path))?;
            let thread = WorkerThread::start("copying", connection, Maintenance::NONE);
            let thread = thread.map_err(|error| DbError::Io(error).at(&path))?;
            Ok(Self {
                thread,
                store,
                path,
            })
        })
        .await
    }

    /// Commits a new database. Returns the store id and the number of commits.
    pub(crate) async fn finish(self) -> Result<(StoreId, i64), StoreError> {
        let commits = self.run(|connection, _| {
            connection.execute_batch("COMMIT")?;
            let commits = "SELECT coalesce(max(batch), 0) FROM journal";
            Ok(value(connection, commits, ())?)
        });
        Ok((self.store, commits.await?))
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, StoreId) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = self.store;
        let done = self.thread.call(move |connection| work(connection, store));
        done.await?.map_err(|error| error.at(&self.path))
    }
}

impl TransferSide for SqliteSide {
    fn store(&self) -> StoreId {
        self.store
    }

    fn location(&self) -> PathBuf {
        self.path.clone()
    }

    async fn open_matches(&mut self) -> Result<Vec<OpenMatch>, StoreError> {
        self.run(open_matches).await
    }

    async fn add_open_match(
        &mut self,
        match_key: i64,
        open: &OpenMatch,
        batch: Option<Vec<u8>>,
    ) -> Result<(), StoreError> {
        let (id, at, header) = (
            open.match_id.clone(),
            open.opened_at_unix_ms,
            open.header.clone(),
        );
        self.run(move |connection, store| {
            let sql = &mut Sql(connection);
            run(rows::insert(sql, store, match_key, &id, at, &header))?;
            if let Some(body) = batch {
                let insert = "INSERT INTO journal (batch, body) VALUES (?, ?)";
                execute(connection, insert, params![match_key, body])?;
            }
            Ok(())
        })
        .await
    }

    async fn last_finish_number(&mut self) -> Result<i64, StoreError> {
        self.run(|connection, _| {
            let last = "SELECT coalesce(
                 (SELECT seq FROM sqlite_sequence WHERE name = 'finished_match'), 0)";
            Ok(value(connection, last, ())?)
        })
        .await
    }

    async fn set_last_finish_number(&mut self, number: i64) -> Result<(), StoreError> {
        self.run(move |connection, _| {
            let set = "INSERT INTO sqlite_sequence (name, seq) VALUES ('finished_match', ?)";
            execute(connection, set, [number])?;
            Ok(())
        })
        .await
    }

    async fn finished_after(&mut self, number: i64) -> Result<Vec<FinishedEntry>, StoreError> {
        self.run(move |connection, store| {
            let connection = &mut Sql(connection);
            run(finished::entries_after(
                connection,
                store,
                number,
                FINISHED_PER_CHUNK,
            ))
        })
        .await
    }

    async fn add_finished(&mut self, entries: Vec<FinishedEntry>) -> Result<(), StoreError> {
        self.run(move |connection, store| {
            for entry in &entries {
                run(finished::insert(&mut Sql(connection), store, entry.into()))?;
            }
            Ok(())
        })
        .await
    }

    async fn read_rows(&mut self, query: RowQuery) -> Result<Vec<RowResult>, StoreError> {
        self.run(move |connection, store| run(named::read_one(&mut Sql(connection), store, &query)))
            .await
    }

    async fn apply_to_rows(&mut self, changes: Vec<RowChange>) -> Result<(), StoreError> {
        self.run(move |connection, store| {
            let mut changes = changes.iter();
            changes.try_for_each(|change| run(named::apply(&mut Sql(connection), store, change)))
        })
        .await
    }
}

/// Reads the matches in play, in the order in which they were opened.
fn open_matches(connection: &Connection, store: StoreId) -> Result<Vec<OpenMatch>, DbError> {
    let mut loaded = load_matches(connection, store)?;
    let mut matches = Vec::new();
    for match_id in loaded.matches.ids() {
        let Some(in_play) = loaded.matches.by_id.get_mut(&match_id) else {
            continue;
        };
        if let Some(damage) = in_play.damage.take() {
            return Err(DbError::Damaged(*damage));
        }
        let match_key = in_play.state.match_key;
        let header = run(rows::header(&mut Sql(connection), store, match_key))?;
        let header = header.map_err(|detail| {
            let value = DamagedValue::Header(match_id.clone());
            DbError::Damaged(DamageReport { value, detail })
        })?;
        matches.push(OpenMatch {
            match_id,
            opened_at_unix_ms: in_play.state.opened_at_unix_ms,
            header,
            journal: in_play.cached_journal.take().unwrap_or_default(),
        });
    }
    Ok(matches)
}
