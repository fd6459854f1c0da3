//! Implementation of [`KeyStore`] for [`SqliteStore`].

use async_trait::async_trait;

use super::{SqliteStore, key_rows};
use crate::{
    DamagedKey, Key, KeyId, KeyStore, KeysVersion, NewKey, StoreError,
    rows::key_rows::USES_PER_TRANSACTION,
};

#[async_trait]
impl KeyStore for SqliteStore {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        self.write(|writer| writer.add_key(key)).await
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        Ok(self.read_keys(key_rows::all).await?.intact)
    }

    async fn keys_version(&self) -> Result<KeysVersion, StoreError> {
        self.read_keys(|connection, _| key_rows::version(connection))
            .await
    }

    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        let damaged = self.read_keys(key_rows::all).await?.damaged;
        Ok(damaged.into_iter().map(|row| row.key).collect())
    }

    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(move |writer| writer.remove_damaged_key(&id))
            .await
    }

    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        let id = id.clone();
        self.read_keys(move |connection, store| key_rows::get(connection, store, &id))
            .await
    }

    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        let id = id.clone();
        self.write(move |writer| writer.revoke_key(&id, revoked_at_unix_ms))
            .await
    }

    async fn record_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        for some in uses.chunks(USES_PER_TRANSACTION) {
            let some = some.to_vec();
            self.write(move |writer| writer.record_key_uses(&some))
                .await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{
        super::{MAX_READ_CONNECTIONS, opening, row, tests::store},
        *,
    };
    use crate::{KeyName, SecretHash, commits_file, limits::MAX_KEYS};

    #[tokio::test]
    async fn keys_are_read_while_every_reader_of_matches_is_busy() {
        let (_folder, _, store) = store().await;
        let mut held = Vec::new();
        for _ in 0..MAX_READ_CONNECTIONS {
            held.push(store.readers.acquire().await.unwrap());
        }
        let none = KeysVersion {
            total: 0,
            revoked: 0,
            newest: 0,
        };
        assert_eq!(store.keys_version().await.unwrap(), none);
        assert!(store.keys().await.unwrap().is_empty());
        let nobody = KeyId::new("nobody").unwrap();
        assert!(store.key(&nobody).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn no_more_keys_are_in_force_than_a_server_keeps() {
        let (_folder, dir, store) = store().await;
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
        let connection =
            opening::open_for_command(&dir, &commits_file::CommitsRecord::Missing).unwrap();
        add("last").await.unwrap();
        row::execute(
            &connection,
            "WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT ?)
             INSERT INTO api_key (key_id, name, scopes, secret_hash, created_at_unix_ms)
             SELECT 'k' || n, 'name ' || n, '', zeroblob(32), 1 FROM number",
            [MAX_KEYS as i64 - 1],
        )
        .unwrap();
        let refused = add("more").await.unwrap_err();
        let limit = MAX_KEYS;
        assert!(
            matches!(refused, StoreError::TooManyKeys { limit: reported } if reported == limit)
        );
        store
            .revoke_key(&KeyId::new("last").unwrap(), 2)
            .await
            .unwrap();
        add("more").await.unwrap();
    }
}
