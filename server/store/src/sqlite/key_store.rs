//! API keys for commands that run beside a server.

use std::path::PathBuf;

use async_trait::async_trait;
use sqlx::SqliteConnection;
use tokio::sync::Mutex;

use super::{key_rows, opening};
use crate::{Damage, DataDir, Key, KeyId, KeyStore, KeysMark, NewKey, StoreError};

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
///     scopes: BTreeSet::from([Scope::new("play")?]),
///     secret_hash: SecretHash::new(hash_of_secret),
///     created_at_unix_ms: 1_790_000_000_000,
/// };
/// keys.add_key(key).await?;
/// let revoked = keys.revoke_key(&KeyId::new("k4f2")?, 1_790_000_060_000).await?;
/// assert!(!revoked.is_in_force());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SqliteKeys {
    path: PathBuf,
    connection: Mutex<SqliteConnection>,
}

impl SqliteKeys {
    /// Opens the database of the folder, or makes one. Its pages are not checked.
    ///
    /// # Errors
    /// [`StoreError::OlderSchema`] if the database must be migrated and a server holds the
    /// folder; [`StoreError::NotADatabase`], [`StoreError::ForeignDatabase`],
    /// [`StoreError::NewerSchema`] and [`StoreError::DifferentSchema`] for a database that is
    /// not believed; or a failure of the storage.
    pub async fn open(dir: &DataDir) -> Result<Self, StoreError> {
        let path = dir.database();
        let connection = Mutex::new(opening::beside(dir, &path).await?);
        Ok(Self { path, connection })
    }
}

#[async_trait]
impl KeyStore for SqliteKeys {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        let mut connection = self.connection.lock().await;
        key_rows::add(&mut connection, key)
            .await
            .map_err(|fault| fault.at(&self.path))
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        let mut connection = self.connection.lock().await;
        key_rows::all(&mut *connection)
            .await
            .map_err(|fault| fault.at(&self.path))
    }

    async fn keys_mark(&self) -> Result<KeysMark, StoreError> {
        let mut connection = self.connection.lock().await;
        key_rows::mark(&mut *connection)
            .await
            .map_err(|fault| fault.at(&self.path))
    }

    async fn damaged_keys(&self) -> Result<Vec<Damage>, StoreError> {
        Ok(Vec::new())
    }

    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        let mut connection = self.connection.lock().await;
        key_rows::get(&mut *connection, id)
            .await
            .map_err(|fault| fault.at(&self.path))
    }

    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        let mut connection = self.connection.lock().await;
        let revoked = key_rows::revoke(&mut connection, id, revoked_at_unix_ms).await;
        revoked.map_err(|fault| fault.at(&self.path))
    }
}
