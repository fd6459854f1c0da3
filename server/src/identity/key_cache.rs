//! Keys that were read from the store a moment ago.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bridgemaster_store::{Key, KeyId, KeyStore, StoreError};
use tokio::time::Instant;

/// The keys of a store, each read again when it was read a certain time ago. Only keys that exist
/// are kept, so callers cannot fill it with what they make up.
pub(super) struct KeyCache {
    store: Arc<dyn KeyStore>,
    keep_for: Duration,
    kept: Mutex<HashMap<KeyId, Kept>>,
}

struct Kept {
    key: Arc<Key>,
    read_at: Instant,
}

impl KeyCache {
    pub(super) fn new(store: Arc<dyn KeyStore>, keep_for: Duration) -> Self {
        Self {
            store,
            keep_for,
            kept: Mutex::default(),
        }
    }

    /// How old a key may be that this gives.
    pub(super) fn keep_for(&self) -> Duration {
        self.keep_for
    }

    /// The key of this identifier, revoked or not.
    pub(super) async fn key(&self, id: &KeyId) -> Result<Option<Arc<Key>>, StoreError> {
        if let Some(kept) = self.kept().get(id)
            && kept.read_at.elapsed() < self.keep_for
        {
            return Ok(Some(Arc::clone(&kept.key)));
        }
        // The moment before the reading: what is read may be as old as that.
        let read_at = Instant::now();
        let key = self.store.key(id).await?.map(Arc::new);
        if let Some(key) = &key {
            let key = Arc::clone(key);
            self.kept().insert(id.clone(), Kept { key, read_at });
        }
        Ok(key)
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<KeyId, Kept>> {
        // Nothing that holds the lock can leave the map half changed.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
