//! Access to API keys for commands, such as `bridgemaster key`, that run while servers use the
//! database.

use async_trait::async_trait;
use tokio::sync::Mutex;

use super::{
    address::Address,
    db_error::DbError,
    key_rows, opening,
    sessions::Sessions,
    write_connection::{self, WriteConnection},
};
use crate::{
    DamagedKey, Durability, Key, KeyId, KeyStore, KeysVersion, NewKey, StoreError,
    checksum::StoreId,
    rows::key_rows::{ReadKeys, USES_PER_TRANSACTION},
};

/// Access to the API keys of a database, whether or not servers are running. Opening it takes over
/// no node.
#[derive(Debug)]
pub struct PostgresKeys {
    address: Address,
    store: StoreId,
    write_connection: Mutex<WriteConnection>,
}

impl PostgresKeys {
    /// Opens the database with this address, as [`PostgresStore::open`](super::PostgresStore::open)
    /// does.
    ///
    /// # Errors
    /// As [`PostgresStore::open`](super::PostgresStore::open).
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let address = Address::parse(url, Durability::Disk)?;
        let work = async {
            let mut connection = opening::open(&address).await?;
            sqlx::raw_sql("BEGIN").execute(&mut connection).await?;
            let store = opening::store_id(&mut connection).await;
            let store = write_connection::commit(&mut connection, store).await?;
            let sessions = Sessions::new(address.clone());
            let session = sessions.adopt(connection).await?;
            Ok((store, WriteConnection::new(sessions, Some(session), None)))
        };
        let (store, write_connection) = work
            .await
            .map_err(|error: DbError| error.at(address.redacted()))?;
        Ok(Self {
            address,
            store,
            write_connection: Mutex::new(write_connection),
        })
    }

    /// Adds keys, all of them or none.
    ///
    /// # Errors
    /// Those of [`KeyStore::add_key`] for the first key that is refused.
    pub async fn add_keys(&self, keys: Vec<NewKey>) -> Result<(), StoreError> {
        let (store, keys) = (self.store, &keys[..]);
        self.write(&key_rows::AddKeys { store, keys }).await
    }

    async fn write<W: write_connection::Transaction>(
        &self,
        work: &W,
    ) -> Result<W::Output, StoreError> {
        let written = self.write_connection.lock().await.write(work).await;
        written.map_err(|error| error.at(self.address.redacted()))
    }

    async fn all(&self) -> Result<ReadKeys, StoreError> {
        self.write(&key_rows::ReadAllKeys { store: self.store })
            .await
    }
}

#[async_trait]
impl KeyStore for PostgresKeys {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        self.add_keys(vec![key]).await
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        Ok(self.all().await?.intact)
    }

    async fn keys_version(&self) -> Result<KeysVersion, StoreError> {
        self.write(&key_rows::ReadKeysVersion).await
    }

    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        let damaged = self.all().await?.damaged.into_iter();
        Ok(damaged.map(|row| row.key).collect())
    }

    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        let store = self.store;
        self.write(&key_rows::RemoveDamagedKey { store, id }).await
    }

    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        let store = self.store;
        self.write(&key_rows::ReadKey { store, id }).await
    }

    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        let revoke = key_rows::RevokeKey {
            store: self.store,
            id,
            revoked_at_unix_ms,
        };
        self.write(&revoke).await
    }

    async fn record_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        let store = self.store;
        for uses in uses.chunks(USES_PER_TRANSACTION) {
            self.write(&key_rows::RecordKeyUses { store, uses }).await?;
        }
        Ok(())
    }
}
