//! The store in an SQLite database.
//!
//! One connection writes; it is the only one that changes matches, so what it has to know of
//! the matches in play is kept in memory beside it. A few connections read finished matches, and
//! one of its own reads keys, so that who may call is known however much is read of matches. The
//! database is in WAL mode: readers and the writer do not wait for each other.

mod checking;
pub(crate) mod copying;
mod failure;
mod finished_rows;
mod identity;
mod journal;
mod key_rows;
mod key_store;
mod ladder_rows;
mod log_file;
mod match_counts;
mod note_rows;
mod open_rows;
mod opening;
mod options;
mod party_lists;
mod replay_rows;
mod schema;
mod secret_rows;
mod steps;
mod transaction;
pub(crate) mod transfer;
mod writer;

use std::{path::PathBuf, sync::Arc};

use async_trait::async_trait;
use sqlx::sqlite::SqlitePool;
use tokio::sync::Mutex;

use crate::{
    CompiledFuture, Damage, DamagedKey, DataDir, FinishedCursor, FinishedMatch, FinishedPage,
    KeptReplay, Key, KeyId, KeyName, KeyStore, KeysMark, LadderId, LadderRows, LadderStore,
    MatchCounts, MatchId, NewKey, Notes, OpenMatch, Opening, Store, StoreError, StoredLadder,
    StoredLadderMatch, StoredLadderVersion, Write,
    checksum::StoreId,
    commits_file,
    detached::detached,
    limits::{MAX_PAGE_LADDER_MATCHES, MAX_PAGE_MATCHES},
    rows::key_rows::USES_PER_TRANSACTION,
    secrets::check_secret,
};

use failure::Fault;
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
    /// `None` once closed. Shared with the commit that runs.
    writer: Arc<Mutex<Option<Writer>>>,
    readers: SqlitePool,
    /// Of keys alone.
    key_reader: SqlitePool,
}

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
        Box::pin(Self::opened(dir, options))
    }

    async fn opened(dir: &DataDir, options: SqliteOptions) -> Result<Self, StoreError> {
        let lock = dir.lock()?;
        let path = dir.database();
        let told = commits_file::read(dir.path())?;
        let believed = opening::serving(dir, &options, &told).await?;
        let started = Writer::start(believed.connection, lock, dir, &told).await?;
        let (writer, opening) = started;
        Ok(Self {
            store: writer.store(),
            opening: Opening {
                indexes_rebuilt: believed.indexes_rebuilt || opening.indexes_rebuilt,
                ..opening
            },
            readers: opening::readers(&path),
            key_reader: opening::key_reader(&path),
            writer: Arc::new(Mutex::new(Some(writer))),
            path,
        })
    }

    /// A failure, told of this database.
    fn told(&self, fault: Fault) -> StoreError {
        fault.at(&self.path)
    }
}

fn opened(writer: &mut Option<Writer>) -> Result<&mut Writer, Fault> {
    Ok(writer.as_mut().ok_or(StoreError::Closed)?)
}

#[async_trait]
impl Store for SqliteStore {
    async fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        let writer = Arc::clone(&self.writer);
        detached(async move { opened(&mut *writer.lock().await)?.commit(batch).await })
            .await
            .map_err(|fault| self.told(fault))
    }

    fn opening(&self) -> Opening {
        self.opening.clone()
    }

    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError> {
        let mut writer = self.writer.lock().await;
        let writer = opened(&mut writer).map_err(|fault| self.told(fault))?;
        Ok(writer.open_match_ids())
    }

    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError> {
        let mut writer = self.writer.lock().await;
        let work = async { opened(&mut writer)?.open_match(id).await };
        work.await.map_err(|fault| self.told(fault))
    }

    async fn open_match_header(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        let mut writer = self.writer.lock().await;
        let work = async { opened(&mut writer)?.open_match_header(id).await };
        work.await.map_err(|fault| self.told(fault))
    }

    async fn finished(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        of: Option<&KeyName>,
    ) -> Result<FinishedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        let page = finished_rows::page(&self.readers, self.store, after, limit, of).await;
        page.map_err(|fault| self.told(fault))
    }

    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError> {
        let finished = finished_rows::one(&self.readers, self.store, id).await;
        finished.map_err(|fault| self.told(fault))
    }

    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError> {
        let is_party = finished_rows::is_party(&self.readers, id, name).await;
        is_party.map_err(|fault| self.told(fault))
    }

    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        let replay = replay_rows::get(&self.readers, self.store, id).await;
        replay.map_err(|fault| self.told(fault))
    }

    async fn kept_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        spared: u64,
    ) -> Result<Vec<KeptReplay>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES);
        let kept =
            finished_rows::kept_replays(&self.readers, self.store, after, limit, spared).await;
        kept.map_err(|fault| self.told(fault))
    }

    async fn match_counts(&self) -> Result<MatchCounts, StoreError> {
        let counts = match_counts::counts(&self.readers).await;
        counts.map_err(|fault| self.told(fault))
    }

    async fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let note = note_rows::get(&self.readers, self.store, name).await;
        note.map_err(|fault| self.told(fault))
    }

    async fn notes(&self, prefix: &str) -> Result<Notes, StoreError> {
        let notes = note_rows::all(&self.readers, self.store, prefix).await;
        notes.map_err(|fault| self.told(fault))
    }

    async fn secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let secret = secret_rows::get(&self.readers, self.store, name).await;
        secret.map_err(|fault| self.told(fault))
    }

    async fn keep_secret(&self, name: &str, value: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        check_secret(name, &value)?;
        let (writer, name) = (Arc::clone(&self.writer), name.to_owned());
        detached(async move {
            opened(&mut *writer.lock().await)?
                .keep_secret(&name, value)
                .await
        })
        .await
        .map_err(|fault| self.told(fault))
    }

    async fn remove_damaged_secrets(&self) -> Result<Vec<Damage>, StoreError> {
        let writer = Arc::clone(&self.writer);
        detached(async move {
            opened(&mut *writer.lock().await)?
                .remove_damaged_secrets()
                .await
        })
        .await
        .map_err(|fault| self.told(fault))
    }

    async fn close(&self) -> Result<(), StoreError> {
        // The writer last: the last connection cleans up, and a reader could not.
        self.readers.close().await;
        self.key_reader.close().await;
        let writer = Arc::clone(&self.writer);
        detached(async move {
            match writer.lock().await.take() {
                Some(writer) => writer.close().await,
                None => Ok(()),
            }
        })
        .await
        .map_err(|fault| self.told(fault))
    }
}

#[async_trait]
impl LadderStore for SqliteStore {
    async fn ladders(&self) -> Result<LadderRows<StoredLadder>, StoreError> {
        let ladders = ladder_rows::all(&self.readers, self.store).await;
        ladders.map_err(|fault| self.told(fault))
    }

    async fn ladder_versions(
        &self,
        id: &LadderId,
    ) -> Result<LadderRows<StoredLadderVersion>, StoreError> {
        let versions = ladder_rows::versions(&self.readers, self.store, id).await;
        versions.map_err(|fault| self.told(fault))
    }

    async fn ladder_matches(
        &self,
        id: &LadderId,
        from: u64,
        limit: u32,
    ) -> Result<LadderRows<StoredLadderMatch>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_LADDER_MATCHES);
        let page = ladder_rows::matches(&self.readers, self.store, id, from, limit).await;
        page.map_err(|fault| self.told(fault))
    }

    async fn ladder_match(
        &self,
        id: &LadderId,
        number: u64,
    ) -> Result<Option<StoredLadderMatch>, StoreError> {
        let found = ladder_rows::one_match(&self.readers, self.store, id, number).await;
        found.map_err(|fault| self.told(fault))
    }
}

#[async_trait]
impl KeyStore for SqliteStore {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        let writer = Arc::clone(&self.writer);
        detached(async move { opened(&mut *writer.lock().await)?.add_key(key).await })
            .await
            .map_err(|fault| self.told(fault))
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        let keys = key_rows::all(&self.key_reader, self.store).await;
        Ok(keys.map_err(|fault| self.told(fault))?.sound)
    }

    async fn keys_mark(&self) -> Result<KeysMark, StoreError> {
        let mark = key_rows::mark(&self.key_reader).await;
        mark.map_err(|fault| self.told(fault))
    }

    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        let keys = key_rows::all(&self.key_reader, self.store).await;
        let keys = keys.map_err(|fault| self.told(fault))?;
        Ok(keys.damaged.into_iter().map(|row| row.key).collect())
    }

    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        let (writer, id) = (Arc::clone(&self.writer), id.clone());
        detached(async move {
            opened(&mut *writer.lock().await)?
                .remove_damaged_key(&id)
                .await
        })
        .await
        .map_err(|fault| self.told(fault))
    }

    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        let key = key_rows::get(&self.key_reader, self.store, id).await;
        key.map_err(|fault| self.told(fault))
    }

    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        let (writer, id) = (Arc::clone(&self.writer), id.clone());
        detached(async move {
            opened(&mut *writer.lock().await)?
                .revoke_key(&id, revoked_at_unix_ms)
                .await
        })
        .await
        .map_err(|fault| self.told(fault))
    }

    async fn note_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        for some in uses.chunks(USES_PER_TRANSACTION) {
            let (writer, some) = (Arc::clone(&self.writer), some.to_vec());
            detached(async move {
                opened(&mut *writer.lock().await)?
                    .note_key_uses(&some)
                    .await
            })
            .await
            .map_err(|fault| self.told(fault))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{KeyName, SecretHash, limits::MAX_KEYS};

    #[tokio::test]
    async fn keys_are_read_while_every_reader_of_matches_is_busy() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        let store = SqliteStore::open(&dir, SqliteOptions::default())
            .await
            .unwrap();
        let mut held = Vec::new();
        for _ in 0..opening::READERS {
            held.push(store.readers.acquire().await.unwrap());
        }
        let none = KeysMark {
            kept: 0,
            revoked: 0,
            newest: 0,
        };
        assert_eq!(store.keys_mark().await.unwrap(), none);
        assert!(store.keys().await.unwrap().is_empty());
        let nobody = KeyId::new("nobody").unwrap();
        assert!(store.key(&nobody).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn no_more_keys_are_in_force_than_a_server_keeps() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::prepare(folder.path()).unwrap();
        let store = SqliteStore::open(&dir, SqliteOptions::default())
            .await
            .unwrap();
        let add = async |id: &str| {
            let key = NewKey {
                id: KeyId::new(id).unwrap(),
                name: KeyName::new(id).unwrap(),
                owner: None,
                scopes: BTreeSet::new(),
                secret_hash: SecretHash::new([7; 32]),
                created_at_unix_ms: 1,
                expires_at_unix_ms: None,
            };
            store.add_key(key).await
        };
        let mut connection = opening::beside(&dir, &commits_file::Told::Nothing)
            .await
            .unwrap();
        add("last").await.unwrap();
        sqlx::query(
            "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT ?)
             INSERT INTO api_key (key_id, name, scopes, secret_hash, created_at_unix_ms)
             SELECT 'k' || n, 'name ' || n, '', zeroblob(32), 1 FROM number",
        )
        .bind(MAX_KEYS as i64 - 1)
        .execute(&mut connection)
        .await
        .unwrap();
        let refused = add("more").await.unwrap_err();
        let limit = MAX_KEYS;
        assert!(matches!(refused, StoreError::TooManyKeys { limit: told } if told == limit));
        store
            .revoke_key(&KeyId::new("last").unwrap(), 2)
            .await
            .unwrap();
        add("more").await.unwrap();
    }
}
