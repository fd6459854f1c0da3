//! API keys for commands that run beside a server.

use async_trait::async_trait;
use tokio::sync::Mutex;

use super::{
    address::Address,
    failure::Fault,
    key_rows,
    link::{self, Link},
    opening,
};
use crate::{
    DamagedKey, Durability, Key, KeyId, KeyStore, KeysMark, NewKey, StoreError,
    checksum::StoreId,
    rows::key_rows::{ReadKeys, USES_PER_TRANSACTION},
};

/// The API keys of a database, whether or not a server runs with it. It takes nothing over, and it
/// cannot touch matches.
#[derive(Debug)]
pub struct PostgresKeys {
    address: Address,
    store: StoreId,
    link: Mutex<Link>,
}

impl PostgresKeys {
    /// Opens the database of an address, as [`PostgresStore::open`](super::PostgresStore::open)
    /// does.
    ///
    /// # Errors
    /// As for a server.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let address = Address::parse(url, Durability::Power)?;
        let work = async {
            let mut connection = opening::believed(&address).await?;
            sqlx::raw_sql("BEGIN").execute(&mut connection).await?;
            let store = opening::store_id(&mut connection).await;
            let store = link::end(&mut connection, store).await?;
            Ok((store, Link::new(address.clone(), connection, None)))
        };
        let (store, link) = work
            .await
            .map_err(|fault: Fault| fault.at(address.shown()))?;
        Ok(Self {
            address,
            store,
            link: Mutex::new(link),
        })
    }

    /// Adds keys, all of them or none.
    ///
    /// # Errors
    /// Those of [`KeyStore::add_key`] for the first key that is refused.
    pub async fn add_keys(&self, keys: Vec<NewKey>) -> Result<(), StoreError> {
        let (store, keys) = (self.store, &keys[..]);
        self.write(&key_rows::Add { store, keys }).await
    }

    async fn write<W: link::Work>(&self, work: &W) -> Result<W::Done, StoreError> {
        let written = self.link.lock().await.write(work).await;
        written.map_err(|fault| fault.at(self.address.shown()))
    }

    async fn all(&self) -> Result<ReadKeys, StoreError> {
        self.write(&key_rows::All { store: self.store }).await
    }
}

#[async_trait]
impl KeyStore for PostgresKeys {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        self.add_keys(vec![key]).await
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        Ok(self.all().await?.sound)
    }

    async fn keys_mark(&self) -> Result<KeysMark, StoreError> {
        self.write(&key_rows::Mark).await
    }

    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        let damaged = self.all().await?.damaged.into_iter();
        Ok(damaged.map(|row| row.key).collect())
    }

    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        let store = self.store;
        self.write(&key_rows::RemoveDamaged { store, id }).await
    }

    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        let store = self.store;
        self.write(&key_rows::One { store, id }).await
    }

    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        let revoke = key_rows::Revoke {
            store: self.store,
            id,
            revoked_at_unix_ms,
        };
        self.write(&revoke).await
    }

    async fn note_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        let store = self.store;
        for uses in uses.chunks(USES_PER_TRANSACTION) {
            self.write(&key_rows::NoteUses { store, uses }).await?;
        }
        Ok(())
    }
}
