//! API keys for commands that run beside a server.

use std::path::PathBuf;

use async_trait::async_trait;
use sqlx::SqliteConnection;
use tokio::sync::Mutex;

use super::{
    failure::Fault,
    identity, key_rows, opening,
    transaction::{self, JournalRow},
    writer::check_together,
};
use crate::{
    DamagedKey, DataDir, Key, KeyId, KeyStore, KeysMark, NewKey, StoreError,
    checksum::StoreId,
    commits_file::{self, CommitsFile, Told},
    journal_batch,
    rows::key_rows::USES_PER_TRANSACTION,
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
    dir: DataDir,
    path: PathBuf,
    store: StoreId,
    connection: Mutex<SqliteConnection>,
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
        let path = dir.database();
        let told = commits_file::read(dir.path())?;
        let mut connection = opening::beside(dir, &told).await?;
        let known = identity::read(&mut connection).await;
        let store = match known.map_err(|fault| fault.at(&path))? {
            Some(identity) => identity.store,
            None => {
                let made = make(&mut connection).await;
                made.map_err(|fault| fault.at(&path))?
            }
        };
        check_together(&path, &told, store)?;
        Ok(Self {
            dir: dir.clone(),
            path,
            store,
            connection: Mutex::new(connection),
        })
    }

    /// Adds keys, all of them or none.
    ///
    /// # Errors
    /// Those of [`KeyStore::add_key`] for the first key that is refused.
    pub async fn add_keys(&self, keys: Vec<NewKey>) -> Result<(), StoreError> {
        let mut connection = self.connection.lock().await;
        let begun = transaction::begin(&mut connection).await;
        let commits = begun.map_err(|fault| fault.at(&self.path))?.commits;
        let work = async {
            for key in keys {
                key_rows::add(&mut connection, self.store, key).await?;
            }
            Ok(())
        };
        let work = work.await;
        self.end(&mut connection, commits, work).await
    }

    /// Ends a transaction, and takes note of it.
    async fn end<T>(
        &self,
        connection: &mut SqliteConnection,
        commits: i64,
        work: Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let (number, store) = (commits + 1, self.store);
        let row = async {
            let value = work?;
            Ok((value, empty_row(connection, store, commits).await?))
        };
        let row = row.await;
        let ended = transaction::end(connection, row).await;
        let value = ended.map_err(|fault| fault.at(&self.path))?;
        // A server beside this command may have noted more.
        let told = commits_file::read(self.dir.path())?;
        if !matches!(told, Told::Commits(_, noted) if noted >= number) {
            CommitsFile::begin(self.dir.path(), store, number)?;
        }
        Ok(value)
    }
}

/// Gives a store that has just been made its identifier.
async fn make(connection: &mut SqliteConnection) -> Result<StoreId, Fault> {
    let begun = transaction::begin(connection).await?;
    let work = async {
        let store = identity::write(connection, false).await?.store;
        Ok((store, empty_row(connection, store, begun.commits).await?))
    };
    let work = work.await;
    transaction::end(connection, work).await
}

/// The row that a commit leaves which has no entries, after so many commits.
async fn empty_row(
    connection: &mut SqliteConnection,
    store: StoreId,
    commits: i64,
) -> Result<JournalRow, Fault> {
    let newest: Option<Vec<u8>> = sqlx::query_scalar("SELECT body FROM journal WHERE batch = ?")
        .bind(commits)
        .fetch_optional(connection)
        .await?;
    let given = newest.map_or(0, |body| {
        journal_batch::read(store, commits, &body).match_keys_given
    });
    let number = commits + 1;
    let body = journal_batch::write(store, number, given, Vec::new());
    Ok(JournalRow { number, body })
}

#[async_trait]
impl KeyStore for SqliteKeys {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        let mut connection = self.connection.lock().await;
        let begun = transaction::begin(&mut connection).await;
        let commits = begun.map_err(|fault| fault.at(&self.path))?.commits;
        let work = key_rows::add(&mut connection, self.store, key).await;
        self.end(&mut connection, commits, work).await
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        let mut connection = self.connection.lock().await;
        let keys = key_rows::all(&mut *connection, self.store).await;
        Ok(keys.map_err(|fault| fault.at(&self.path))?.sound)
    }

    async fn keys_mark(&self) -> Result<KeysMark, StoreError> {
        let mut connection = self.connection.lock().await;
        key_rows::mark(&mut *connection)
            .await
            .map_err(|fault| fault.at(&self.path))
    }

    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        let mut connection = self.connection.lock().await;
        let keys = key_rows::all(&mut *connection, self.store).await;
        let keys = keys.map_err(|fault| fault.at(&self.path))?;
        Ok(keys.damaged.into_iter().map(|row| row.key).collect())
    }

    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        let mut connection = self.connection.lock().await;
        let begun = transaction::begin(&mut connection).await;
        let commits = begun.map_err(|fault| fault.at(&self.path))?.commits;
        let work = key_rows::remove_damaged(&mut connection, self.store, id).await;
        self.end(&mut connection, commits, work).await
    }

    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        let mut connection = self.connection.lock().await;
        key_rows::get(&mut *connection, self.store, id)
            .await
            .map_err(|fault| fault.at(&self.path))
    }

    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        let mut connection = self.connection.lock().await;
        let begun = transaction::begin(&mut connection).await;
        let commits = begun.map_err(|fault| fault.at(&self.path))?.commits;
        let work = key_rows::revoke(&mut connection, self.store, id, revoked_at_unix_ms).await;
        self.end(&mut connection, commits, work).await
    }

    async fn note_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        for some in uses.chunks(USES_PER_TRANSACTION) {
            let mut connection = self.connection.lock().await;
            let begun = transaction::begin(&mut connection).await;
            let commits = begun.map_err(|fault| fault.at(&self.path))?.commits;
            let work = key_rows::note_uses(&mut connection, self.store, some).await;
            self.end(&mut connection, commits, work).await?;
        }
        Ok(())
    }
}
