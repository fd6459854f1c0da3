//! From the metadata of a call to its caller.

use std::{sync::Arc, time::Duration};

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::{Key, KeyStore, StoreError};
use tonic::metadata::MetadataMap;
use tracing::{debug, error};

use super::{ApiKey, Caller, KEY_METADATA, caller::KeyHolder, key_cache::KeyCache};
use crate::refusal::Refusal;

/// Finds out who calls.
#[derive(Clone)]
pub(crate) struct Authenticator {
    /// `None` on a server that asks for no keys.
    keys: Option<Arc<KeyCache>>,
}

impl Authenticator {
    /// Asks for the keys of a store, which are read again after `keep_for`, or without a store for
    /// none.
    pub(crate) fn new(store: Option<Arc<dyn KeyStore>>, keep_for: Duration) -> Self {
        Self {
            keys: store.map(|store| Arc::new(KeyCache::new(store, keep_for))),
        }
    }

    /// The caller that the metadata shows the key of.
    pub(crate) async fn caller(&self, metadata: &MetadataMap) -> Result<Caller, Refusal> {
        let Some(keys) = &self.keys else {
            return Ok(Caller::Anyone);
        };
        let shown = shown_key(metadata)?;
        let stored = keys
            .key(shown.id())
            .await
            .map_err(|error| unreadable(&error))?;
        let key = stored
            .filter(|stored| shown.has_hash(&stored.secret_hash))
            .ok_or_else(unknown)?;
        // Told to the holder of the secret only.
        check_in_force(&key)?;
        debug!(key_id = %key.id, name = %key.name, "authenticated");
        Ok(Caller::Holder(KeyHolder::new(key, Arc::clone(keys))))
    }
}

/// The key that a call shows. Its text is never logged or repeated.
fn shown_key(metadata: &MetadataMap) -> Result<ApiKey, Refusal> {
    let missing = |message: String| Refusal::new(RefusalReason::KeyMissing, message);
    let mut values = metadata.get_all(KEY_METADATA).iter();
    let value = values.next().ok_or_else(|| {
        missing(format!(
            "this server asks for an API key, and the metadata has no `{KEY_METADATA}`"
        ))
    })?;
    if values.next().is_some() {
        return Err(missing(format!(
            "the metadata has more than one `{KEY_METADATA}`"
        )));
    }
    let text = value
        .to_str()
        .map_err(|_| missing(format!("the metadata `{KEY_METADATA}` is no ASCII text")))?;
    text.trim().parse().map_err(|_| unknown())
}

pub(super) fn check_in_force(key: &Key) -> Result<(), Refusal> {
    if key.is_in_force() {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalReason::KeyRevoked,
        format!("the API key {} was revoked", key.id),
    ))
}

pub(super) fn unknown() -> Refusal {
    Refusal::new(
        RefusalReason::KeyUnknown,
        "the API key is none of this server's",
    )
}

pub(super) fn unreadable(error: &StoreError) -> Refusal {
    error!(%error, "API keys cannot be read");
    Refusal::new(
        RefusalReason::KeysUnreadable,
        "the server cannot read its API keys at the moment",
    )
}
