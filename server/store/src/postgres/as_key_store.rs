//! The API keys of the store.

use std::sync::Arc;

use async_trait::async_trait;

use super::{PostgresStore, key_rows, opened};
use crate::{
    DamagedKey, Key, KeyId, KeyStore, KeysMark, NewKey, StoreError, detached::detached,
    rows::key_rows::USES_PER_TRANSACTION,
};

#[async_trait]
impl KeyStore for PostgresStore {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        let writer = Arc::clone(&self.writer);
        detached(async move {
            let mut writer = writer.lock().await;
            let writer = opened(&mut writer)?;
            let (store, keys) = (writer.store(), &[key]);
            writer.write(&key_rows::Add { store, keys }).await
        })
        .await
        .map_err(|fault| self.told(fault))
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        let keys = key_rows::all(&self.readers.keys, self.store).await;
        Ok(keys.map_err(|fault| self.told(fault))?.sound)
    }

    async fn keys_mark(&self) -> Result<KeysMark, StoreError> {
        let mark = key_rows::mark(&self.readers.keys).await;
        mark.map_err(|fault| self.told(fault))
    }

    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        let keys = key_rows::all(&self.readers.keys, self.store).await;
        let keys = keys.map_err(|fault| self.told(fault))?;
        Ok(keys.damaged.into_iter().map(|row| row.key).collect())
    }

    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        let (writer, id) = (Arc::clone(&self.writer), id.clone());
        detached(async move {
            let mut writer = writer.lock().await;
            let writer = opened(&mut writer)?;
            let store = writer.store();
            writer
                .write(&key_rows::RemoveDamaged { store, id: &id })
                .await
        })
        .await
        .map_err(|fault| self.told(fault))
    }

    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        let key = key_rows::get(&self.readers.keys, self.store, id).await;
        key.map_err(|fault| self.told(fault))
    }

    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        let (writer, id) = (Arc::clone(&self.writer), id.clone());
        detached(async move {
            let mut writer = writer.lock().await;
            let writer = opened(&mut writer)?;
            let revoke = key_rows::Revoke {
                store: writer.store(),
                id: &id,
                revoked_at_unix_ms,
            };
            writer.write(&revoke).await
        })
        .await
        .map_err(|fault| self.told(fault))
    }

    async fn note_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        for some in uses.chunks(USES_PER_TRANSACTION) {
            let (writer, some) = (Arc::clone(&self.writer), some.to_vec());
            detached(async move {
                let mut writer = writer.lock().await;
                let writer = opened(&mut writer)?;
                let (store, uses) = (writer.store(), &some);
                writer.write(&key_rows::NoteUses { store, uses }).await
            })
            .await
            .map_err(|fault| self.told(fault))?;
        }
        Ok(())
    }
}
