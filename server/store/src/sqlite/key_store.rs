//! API keys for commands that run beside a server.

use std::path::PathBuf;

use async_trait::async_trait;
use rusqlite::Connection;

use super::{
    failure::Fault,
    identity, key_rows, opening,
    own_thread::{Between, OwnThread},
    row::first,
    taking::check_together,
    transaction::{self, JournalRow},
};
use crate::{
    DamagedKey, DataDir, Key, KeyId, KeyStore, KeysMark, NewKey, StoreError,
    checksum::StoreId,
    commits_file::{self, CommitsFile, Told},
    detached::on_a_thread,
    journal_batch,
    rows::{
        StoredRow as _,
        key_rows::{ReadKeys, USES_PER_TRANSACTION},
    },
};

/// The API keys of a data folder, whether or not a server runs in it. It holds no lock, and it
/// cannot touch matches.
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
    thread: OwnThread<Keys>,
}

/// What its thread has.
#[derive(Debug)]
struct Keys {
    dir: DataDir,
    path: PathBuf,
    store: StoreId,
    connection: Connection,
}

impl SqliteKeys {
    /// Opens the database of the folder, or makes one. Its pages are not checked.
    ///
    /// # Errors
    /// [`StoreError::OlderSchema`] if the database must be migrated and a server holds the
    /// folder; [`StoreError::NotADatabase`], [`StoreError::ForeignDatabase`],
    /// [`StoreError::NewerSchema`], [`StoreError::DifferentSchema`],
    /// [`StoreError::DatabaseMissing`] and [`StoreError::NotTogether`] for files that are not
    /// believed; or a failure of the storage.
    pub async fn open(dir: &DataDir) -> Result<Self, StoreError> {
        let (dir, path) = (dir.clone(), dir.database());
        let keys = on_a_thread(move || Keys::open(dir)).await?;
        let thread = OwnThread::start("keys", keys, Between::NOTHING);
        let thread = thread.map_err(|error| Fault::System(error).at(&path))?;
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

    /// Reads something.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, StoreId) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let work = |keys: &mut Keys| {
            let read = work(&keys.connection, keys.store);
            read.map_err(|fault| fault.at(&keys.path))
        };
        self.thread.call(work).await?
    }

    /// Changes something in a transaction.
    async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, StoreId) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.thread
            .call(|keys: &mut Keys| keys.change(work))
            .await?
    }

    /// All keys, also those that cannot be read.
    async fn all(&self) -> Result<ReadKeys, StoreError> {
        self.read(key_rows::all).await
    }
}

impl Keys {
    fn open(dir: DataDir) -> Result<Self, StoreError> {
        let path = dir.database();
        let told = commits_file::read(dir.path())?;
        let connection = opening::beside(&dir, &told)?;
        let known = identity::read(&connection).and_then(|known| match known {
            Some(identity) => Ok(identity.store),
            None => make(&connection),
        });
        let store = known.map_err(|fault| fault.at(&path))?;
        check_together(&path, &told, store)?;
        Ok(Self {
            dir,
            path,
            store,
            connection,
        })
    }

    /// Changes something in a transaction, and takes note of it.
    fn change<T>(
        &mut self,
        work: impl FnOnce(&Connection, StoreId) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let Self {
            connection, store, ..
        } = &*self;
        let ended = transaction::begin(connection).and_then(|begun| {
            let row = work(connection, *store)
                .and_then(|value| Ok((value, empty_row(connection, *store, begun.commits)?)));
            let value = transaction::end(connection, row)?;
            Ok((value, begun.commits + 1))
        });
        let (value, number) = ended.map_err(|fault| fault.at(&self.path))?;
        // A server beside this command may have noted more.
        let told = commits_file::read(self.dir.path())?;
        if !matches!(told, Told::Commits(_, noted) if noted >= number) {
            CommitsFile::begin(self.dir.path(), *store, number)?;
        }
        Ok(value)
    }
}

/// Gives a store that has just been made its identifier.
fn make(connection: &Connection) -> Result<StoreId, Fault> {
    let begun = transaction::begin(connection)?;
    let work = || {
        let store = identity::write(connection, false)?.store;
        Ok((store, empty_row(connection, store, begun.commits)?))
    };
    transaction::end(connection, work())
}

/// The row that a commit leaves which has no entries, after so many commits.
fn empty_row(connection: &Connection, store: StoreId, commits: i64) -> Result<JournalRow, Fault> {
    let newest = first(
        connection,
        "SELECT body FROM journal WHERE batch = ?",
        [commits],
    )?;
    let given = match newest {
        Some(row) => {
            let body: Vec<u8> = row.value(0)?;
            journal_batch::read(store, commits, &body).match_keys_given
        }
        None => 0,
    };
    let number = commits + 1;
    let body = journal_batch::write(store, number, given, Vec::new());
    Ok(JournalRow { number, body })
}

#[async_trait]
impl KeyStore for SqliteKeys {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        self.change(|connection, store| key_rows::add(connection, store, key))
            .await
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        Ok(self.all().await?.sound)
    }

    async fn keys_mark(&self) -> Result<KeysMark, StoreError> {
        self.read(|connection, _| key_rows::mark(connection)).await
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

    async fn note_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        for some in uses.chunks(USES_PER_TRANSACTION) {
            let some = some.to_vec();
            self.change(move |connection, store| key_rows::note_uses(connection, store, &some))
                .await?;
        }
        Ok(())
    }
}
