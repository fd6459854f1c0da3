//! Implementation of [`KeyStore`] for [`PostgresStore`].

use std::sync::Arc;

use async_trait::async_trait;

use super::{PostgresStore, key_rows};
use crate::{
    DamagedKey, Key, KeyId, KeyStore, KeysVersion, NewKey, StoreError, detached::run_detached,
    rows::key_rows::USES_PER_TRANSACTION,
};

#[async_trait]
impl KeyStore for PostgresStore {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        let (writer, store) = (Arc::clone(&self.key_writer), self.store);
        run_detached(async move {
            let keys = &[key];
            writer.write(&key_rows::AddKeys { store, keys }).await
        })
        .await
        .map_err(|error| self.store_error(error))
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        let keys = key_rows::all(&mut *self.key_reader().await?, self.store).await;
        Ok(keys.map_err(|error| self.store_error(error))?.intact)
    }

    async fn keys_version(&self) -> Result<KeysVersion, StoreError> {
        let version = key_rows::version(&mut *self.key_reader().await?).await;
        version.map_err(|error| self.store_error(error))
    }

    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        let keys = key_rows::all(&mut *self.key_reader().await?, self.store).await;
        let keys = keys.map_err(|error| self.store_error(error))?;
        Ok(keys.damaged.into_iter().map(|row| row.key).collect())
    }

    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        let (writer, store) = (Arc::clone(&self.key_writer), self.store);
        let id = id.clone();
        run_detached(async move {
            let id = &id;
            writer
                .write(&key_rows::RemoveDamagedKey { store, id })
                .await
        })
        .await
        .map_err(|error| self.store_error(error))
    }

    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        let key = key_rows::get(&mut *self.key_reader().await?, self.store, id).await;
        key.map_err(|error| self.store_error(error))
    }

    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        let (writer, store) = (Arc::clone(&self.key_writer), self.store);
        let id = id.clone();
        run_detached(async move {
            let revoke = key_rows::RevokeKey {
                store,
                id: &id,
                revoked_at_unix_ms,
            };
            writer.write(&revoke).await
        })
        .await
        .map_err(|error| self.store_error(error))
    }

    async fn record_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        for some in uses.chunks(USES_PER_TRANSACTION) {
            let (writer, store) = (Arc::clone(&self.key_writer), self.store);
            let some = some.to_vec();
            run_detached(async move {
                let uses = &some;
                writer.write(&key_rows::RecordKeyUses { store, uses }).await
            })
            .await
            .map_err(|error| self.store_error(error))?;
        }
        Ok(())
    }
}
