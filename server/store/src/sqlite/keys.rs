//! Access to API keys for commands, such as `bridgemaster key`, that run while a server uses the
//! data folder.

use std::path::PathBuf;

use rusqlite::Connection;

use super::{
    opening,
    options::Durability,
    sql::{self, JournalRow, StatementConnection, TransactionStart, first, run},
    takeover::{check_same_store, read_identity, record_opening},
};
use crate::{
    DataDir, KeysVersion, StoreError,
    checksum::StoreId,
    commit_count_file::{self, CommitCountFile, CommitsRecord},
    db_error::DbError,
    detached::run_blocking,
    journal_batch,
    named_rows::{QueryResults, RowDecision, RowQuery, RowStore},
    rows::{StoredRow as _, named, row_sums},
    schema,
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
    dir: DataDir,
    store: StoreId,
}

impl SqliteKeys {
    /// Opens the folder's database, or creates one. The database pages are not checked.
    ///
    /// # Errors
    /// Returns [`StoreError::NotADatabase`], [`StoreError::ForeignDatabase`],
    /// [`StoreError::NewerSchema`], [`StoreError::OlderSchema`],
    /// [`StoreError::DatabaseMissing`] and [`StoreError::FileMismatch`] for files that are not
    /// accepted; or a storage failure.
    pub async fn open(dir: &DataDir) -> Result<Self, StoreError> {
        let dir = dir.clone();
        run_blocking(move || {
            let path = dir.database();
            let held = opening::lock_for_command(&dir)?;
            let recorded = commit_count_file::read(dir.path())?;
            let schema = &schema::CURRENT;
            let connection = opening::open_for_command(&dir, held.as_ref(), &recorded, schema)?;
            let store = || match read_identity(&connection)? {
                Some(identity) => Ok(identity.store),
                None => {
                    let create = || {
                        let store = record_opening(&connection, false)?.store;
                        Ok((store, store))
                    };
                    Ok(commit(&connection, create)?.0)
                }
            };
            let store = store().map_err(|error: DbError| error.at(&path))?;
            check_same_store(&path, &recorded, store)?;
            Ok(Self { dir, store })
        })
        .await
    }

    /// Runs work on a separate connection. The work is completed even if the caller stops waiting.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, StoreId) -> Result<T, DbError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (path, store) = (self.dir.database(), self.store);
        let work = move || {
            let connection = opening::connect_read_write(&path, Durability::Disk);
            let done = connection.and_then(|connection| work(&connection, store));
            done.map_err(|error| error.at(&path))
        };
        run_blocking(work).await
    }
}

/// Makes a commit without journal entries. `work` also returns the id of the store. Returns the
/// number of the commit.
fn commit<T>(
    connection: &Connection,
    work: impl FnOnce() -> Result<(T, StoreId), DbError>,
) -> Result<(T, i64), DbError> {
    let TransactionStart { commits, sums, .. } = sql::begin(connection)?;
    let number = commits + 1;
    let work = || {
        let (value, store) = work()?;
        let newest = first(connection, "SELECT body FROM journal WHERE batch = ?", [commits])?;
        let last_match_key = match newest {
            Some(row) => {
                let body: Vec<u8> = row.value(0)?;
                journal_batch::read(store, commits, &body).last_match_key
            }
            None => 0,
        };
        let body = journal_batch::write(store, number, last_match_key, Vec::new());
        Ok(((value, number), JournalRow { number, sums, body }))
    };
    sql::commit_or_roll_back(connection, work())
}

impl RowStore for SqliteKeys {
    async fn read_rows(&self, queries: Vec<RowQuery>) -> Result<QueryResults, StoreError> {
        self.run(move |connection, store| {
            run(named::read(&mut StatementConnection(connection), store, &queries))
        })
        .await
    }

    async fn read_keys_version(&self) -> Result<KeysVersion, StoreError> {
        self.run(|connection, _| run(row_sums::keys_version(&mut StatementConnection(connection))))
            .await
    }

    async fn update_rows<T: Send + 'static>(
        &self,
        queries: Vec<RowQuery>,
        decide: impl Fn(QueryResults, bool) -> RowDecision<T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        let dir = self.dir.clone();
        self.run(move |connection, store| {
            let (value, number) = commit(connection, || {
                // A restored backup of another store may have replaced the database.
                if read_identity(connection)?.is_none_or(|identity| identity.store != store) {
                    return Err(StoreError::Replaced(dir.database()).into());
                }
                let (sql, decide) =
                    (&mut StatementConnection(connection), |results| decide(results, false));
                Ok((run(named::update(sql, store, &queries, decide))?, store))
            })?;
            // A running server might have recorded more commits.
            let recorded = commit_count_file::read(dir.path())?;
            if !matches!(recorded, CommitsRecord::Commits(_, noted) if noted >= number) {
                CommitCountFile::open_or_create(dir.path(), store, number)?;
            }
            Ok(value)
        })
        .await
    }

    fn location(&self) -> PathBuf {
        self.dir.database()
    }
}
