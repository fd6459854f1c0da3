//! Access to API keys for commands, such as `bridgemaster key`, that run while a server uses the
//! data folder.

use std::path::PathBuf;

use async_trait::async_trait;
use rusqlite::Connection;

use super::{
    db_error::DbError,
    identity, key_rows, opening,
    row::first,
    takeover::check_same_store,
    transaction::{self, JournalRow},
    worker_thread::{Maintenance, WorkerThread},
};
use crate::{
    DamagedKey, DataDir, Key, KeyId, KeyStore, KeysVersion, NewKey, StoreError,
    checksum::StoreId,
    commits_file::{self, CommitsFile, CommitsRecord},
    detached::run_blocking,
    journal_batch,
    rows::{
        StoredRow as _,
        key_rows::{ReadKeys, USES_PER_TRANSACTION},
    },
};

/// The API keys in a data folder, whether or not a server is using the folder. Holds no lock, and
/// does not access matches.
///
/// ```
/// use std::collections::BTreeSet;
///
/// use bridgemaster_store::{
///     DataDir, KeyId, KeyName, KeyStore, NewKey, Scope, SecretHash, SqliteKeys,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// # let hash_of_secret = [7; 32];
/// let keys = SqliteKeys::open(&DataDir::prepare(folder)?).await?;
/// let key = NewKey {
///     id: KeyId::new("k4f2")?,
///     name: KeyName::new("greedy")?,
///     owner: None,
///     scopes: BTreeSet::from([Scope::new("play")?]),
///     secret_hash: SecretHash::new(hash_of_secret),
///     created_at_unix_ms: 1_790_000_000_000,
///     expires_at_unix_ms: None,
/// };
/// keys.add_key(key).await?;
/// let revoked = keys.revoke_key(&KeyId::new("k4f2")?, 1_790_000_060_000).await?;
/// assert!(!revoked.is_in_force());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SqliteKeys {
    thread: WorkerThread<WorkerState>,
}

/// State owned by the worker thread.
#[derive(Debug)]
struct WorkerState {
    dir: DataDir,
    path: PathBuf,
    store: StoreId,
    connection: Connection,
}

impl SqliteKeys {
    /// Opens the folder's database, or creates one. The database pages are not checked.
    ///
    /// # Errors
    /// [`StoreError::OlderSchema`] if the database must be migrated and a server has locked the
    /// folder; [`StoreError::NotADatabase`], [`StoreError::ForeignDatabase`],
    /// [`StoreError::NewerSchema`], [`StoreError::DifferentSchema`],
    /// [`StoreError::DatabaseMissing`] and [`StoreError::FileMismatch`] for files that are not
    /// accepted; or a storage failure.
    pub async fn open(dir: &DataDir) -> Result<Self, StoreError> {
        let (dir, path) = (dir.clone(), dir.database());
        let keys = run_blocking(move || WorkerState::open(dir)).await?;
        let thread = WorkerThread::start("keys", keys, Maintenance::NONE);
        let thread = thread.map_err(|error| DbError::Io(error).at(&path))?;
        Ok(Self { thread })
    }

    /// Adds keys, all of them or none.
    ///
    /// # Errors
    /// Those of [`KeyStore::add_key`] for the first key that is refused.
    pub async fn add_keys(&self, keys: Vec<NewKey>) -> Result<(), StoreError> {
        self.change(|connection, store| {
            for key in keys {
                key_rows::add(connection, store, key)?;
            }
            Ok(())
        })
        .await
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, StoreId) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let work = |keys: &mut WorkerState| {
            let read = work(&keys.connection, keys.store);
            read.map_err(|error| error.at(&keys.path))
        };
        self.thread.call(work).await?
    }

    async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, StoreId) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.thread
            .call(|keys: &mut WorkerState| keys.change(work))
            .await?
    }

    /// Returns all keys, including those that cannot be read.
    async fn all(&self) -> Result<ReadKeys, StoreError> {
        self.read(key_rows::all).await
    }
}

impl WorkerState {
    fn open(dir: DataDir) -> Result<Self, StoreError> {
        let path = dir.database();
        let recorded = commits_file::read(dir.path())?;
        let connection = opening::open_for_command(&dir, &recorded)?;
        let store_id = identity::read(&connection).and_then(|store_id| match store_id {
            Some(identity) => Ok(identity.store),
            None => create_identity(&connection),
        });
        let store = store_id.map_err(|error| error.at(&path))?;
        check_same_store(&path, &recorded, store)?;
        Ok(Self {
            dir,
            path,
            store,
            connection,
        })
    }

    /// Runs a change in a transaction, and records the commit.
    fn change<T>(
        &mut self,
        work: impl FnOnce(&Connection, StoreId) -> Result<T, DbError>,
    ) -> Result<T, StoreError> {
        let Self {
            connection, store, ..
        } = &*self;
        let ended = transaction::begin(connection).and_then(|start| {
            let row = work(connection, *store)
                .and_then(|value| Ok((value, empty_row(connection, *store, start.commits)?)));
            let value = transaction::commit_or_roll_back(connection, row)?;
            Ok((value, start.commits + 1))
        });
        let (value, number) = ended.map_err(|error| error.at(&self.path))?;
        // A running server might have recorded more commits.
        let recorded = commits_file::read(self.dir.path())?;
        if !matches!(recorded, CommitsRecord::Commits(_, noted) if noted >= number) {
            CommitsFile::create(self.dir.path(), *store, number)?;
        }
        Ok(value)
    }
}

/// Generates the id of a new store.
fn create_identity(connection: &Connection) -> Result<StoreId, DbError> {
    let start = transaction::begin(connection)?;
    let work = || {
        let store = identity::record_opening(connection, false)?.store;
        Ok((store, empty_row(connection, store, start.commits)?))
    };
    transaction::commit_or_roll_back(connection, work())
}

/// Returns the journal row of a commit without entries. `commits` is the number of earlier commits.
fn empty_row(connection: &Connection, store: StoreId, commits: i64) -> Result<JournalRow, DbError> {
    let newest = first(
        connection,
        "SELECT body FROM journal WHERE batch = ?",
        [commits],
    )?;
    let last_match_key = match newest {
        Some(row) => {
            let body: Vec<u8> = row.value(0)?;
            journal_batch::read(store, commits, &body).last_match_key
        }
        None => 0,
    };
    let number = commits + 1;
    let body = journal_batch::write(store, number, last_match_key, Vec::new());
    Ok(JournalRow { number, body })
}

#[async_trait]
impl KeyStore for SqliteKeys {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        self.change(|connection, store| key_rows::add(connection, store, key))
            .await
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        Ok(self.all().await?.intact)
    }

    async fn keys_version(&self) -> Result<KeysVersion, StoreError> {
        self.read(|connection, _| key_rows::version(connection))
            .await
    }

    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        let damaged = self.all().await?.damaged;
        Ok(damaged.into_iter().map(|row| row.key).collect())
    }

    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        let id = id.clone();
        self.change(move |connection, store| key_rows::remove_damaged(connection, store, &id))
            .await
    }

    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        let id = id.clone();
        self.read(move |connection, store| key_rows::get(connection, store, &id))
            .await
    }

    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        let id = id.clone();
        self.change(move |connection, store| {
            key_rows::revoke(connection, store, &id, revoked_at_unix_ms)
        })
        .await
    }

    async fn record_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        for some in uses.chunks(USES_PER_TRANSACTION) {
            let some = some.to_vec();
            self.change(move |connection, store| key_rows::record_uses(connection, store, &some))
                .await?;
        }
        Ok(())
    }
}
