//! Identity and permissions of callers: API keys, their scopes, and how calls present them.
//!
//! A server without keys serves any caller. With keys, `Authenticator` determines the `Caller` of
//! every call, and the services check the scopes that they need. A private server has the keys of a
//! [`PrivateAccess`] instead.

mod api_key;
mod caller;
mod key_ring;
mod page_links;
mod private_access;

use std::{sync::Arc, time::Instant};

use bridgemaster_store::{KeyId, KeyName, KeyStore, StoreError};
use parking_lot::Mutex;
use tokio_util::task::AbortOnDropHandle;
use tonic::{
    codegen::{BoxFuture, http::HeaderMap},
    metadata::MetadataMap,
};
use tracing::debug;

use self::{
    api_key::{check_key_valid, key_damaged, key_unknown, keys_unreadable, presented_key},
    caller::AuthenticatedKey,
    key_ring::{KeyRing, KeyUses, UnreadableReason},
};
use crate::{
    limits::Limits,
    metrics::Metrics,
    refusal::Refusal,
    transport::{Call, CallerId, TokenBuckets},
    wall_clock::now_unix_ms,
};

pub use api_key::{ApiKey, ConfusableNames, InvalidApiKey, KEY_METADATA, KeyScope, UnknownScope};
pub(crate) use caller::ConnectionBot;
pub use caller::{Caller, CallingBot, PublicRead, ReadAccess, Visibility};
pub use page_links::{OneTimePageLink, OpenedLink, PageLinks};
pub use private_access::{ForbiddenForBot, PrivateAccess, RefusedCalls};

/// Checks that this node may still answer calls, and waits for the answer if that is uncertain.
pub type LeaseCheck = Arc<dyn Fn() -> BoxFuture<(), Refusal> + Send + Sync>;

/// Authenticates callers, and limits the rate of their calls.
#[derive(Clone)]
pub struct Authenticator {
    /// `None` on a server that does not use keys.
    keys: Option<Arc<StoredKeys>>,
    /// Checks this node's lease, if the store can be shared.
    lease: Option<LeaseCheck>,
    /// Access control of a private server.
    private: Option<PrivateAccess>,
}

/// A server's keys, with each key's rate limits.
struct StoredKeys {
    ring: Arc<KeyRing>,
    /// Refreshes the ring from the store.
    _refreshing: AbortOnDropHandle<()>,
    uses: Arc<KeyUses>,
    /// Writes key uses to the store; `None` once the server shuts down.
    writing: Mutex<Option<AbortOnDropHandle<()>>>,
    calls: TokenBuckets<KeyId>,
    creates: TokenBuckets<KeyId>,
    /// The read access of callers without a key.
    public: PublicRead,
}

impl Authenticator {
    /// Creates an authenticator without stored keys; a private server generates its own keys.
    pub fn without_store(private: Option<PrivateAccess>) -> Self {
        Self { keys: None, lease: None, private }
    }

    /// Creates an authenticator with a store's keys, or without a store, as
    /// [`without_store`](Self::without_store) does.
    ///
    /// # Errors
    /// Returns an error if the keys cannot be read.
    pub async fn new(
        store: Option<Arc<dyn KeyStore>>,
        private: Option<PrivateAccess>,
        public: PublicRead,
        limits: &Limits,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, StoreError> {
        let Some(store) = store else {
            return Ok(Self::without_store(private));
        };
        let (ring, mark) = KeyRing::load(Arc::clone(&store), limits, Arc::clone(metrics)).await?;
        let uses = Arc::new(KeyUses::default());
        let writing = tokio::spawn(Arc::clone(&uses).write(store, limits.key_cache_time));
        let ring = Arc::new(ring);
        let refreshing = tokio::spawn(Arc::clone(&ring).run(mark));
        let keys = Some(Arc::new(StoredKeys {
            ring,
            _refreshing: AbortOnDropHandle::new(refreshing),
            uses,
            writing: Mutex::new(Some(AbortOnDropHandle::new(writing))),
            calls: TokenBuckets::new(limits.calls_per_key),
            creates: TokenBuckets::new(limits.creates_per_key),
            public,
        }));
        Ok(Self { keys, lease: None, private: None })
    }

    /// Adds the check of this node's lease. While the check fails, calls are refused, because other
    /// nodes might own this node's matches.
    pub fn with_lease_check(self, lease: Option<LeaseCheck>) -> Self {
        Self { lease, ..self }
    }

    /// Waits until the times of the last key uses are stored. Call this only after the last call
    /// has arrived.
    pub async fn close(&self) {
        let Some(keys) = &self.keys else {
            return;
        };
        keys.uses.close();
        let writing = keys.writing.lock().take();
        if let Some(writing) = writing {
            // If the task panics, which would be a bug, only the last uses are lost.
            let _ = writing.await;
        }
    }

    /// Authenticates the caller of a read. If public reading is enabled, a caller without a key is
    /// a guest. For a guest, check [`Caller::may_read`] as well.
    pub async fn caller_or_guest(&self, metadata: &MetadataMap) -> Result<Caller, Refusal> {
        let public = self.keys.as_ref().map(|keys| keys.public);
        match public.filter(|public| *public > PublicRead::None) {
            Some(public) if !metadata.contains_key(KEY_METADATA) => {
                self.check_lease().await?;
                attribute_call(None)?;
                Ok(Caller::Guest(public))
            }
            _ => self.caller(metadata).await,
        }
    }

    /// Authenticates the caller by the key in the metadata.
    pub async fn caller(&self, metadata: &MetadataMap) -> Result<Caller, Refusal> {
        self.caller_or_cached(metadata, |_| false).await
    }

    /// Authenticates the caller as [`caller`](Self::caller) does, but tolerates an unreadable
    /// store: a cached key whose name passes `accepts` is then valid at any age. So bots can still
    /// reconnect to their seats.
    pub async fn caller_or_cached(
        &self,
        metadata: &MetadataMap,
        accepts: impl Fn(&KeyName) -> bool,
    ) -> Result<Caller, Refusal> {
        self.check_lease().await?;
        let Some(keys) = &self.keys else {
            attribute_call(None)?;
            let private = self.private.as_ref();
            return Ok(private.map_or(Caller::Anyone, |own| own.caller(metadata.as_ref())));
        };
        let presented = presented_key(metadata.as_ref())?;
        let stored = match keys.ring.key(presented.id()).await {
            Ok(stored) => stored,
            Err(UnreadableReason::Key) => return Err(key_damaged(presented.id())),
            Err(UnreadableReason::Store) => {
                let cached = keys.ring.cached_key(presented.id());
                let cached = cached.filter(|key| accepts(&key.name));
                Some(cached.ok_or_else(keys_unreadable)?)
            }
        };
        // Reading the key can have taken seconds, in which the lease may have expired.
        self.check_lease().await?;
        let key = stored
            .filter(|stored| presented.has_hash(&stored.secret_hash))
            .ok_or_else(key_unknown)?;
        // The secret is verified at this point, so only the key's holder receives these refusals.
        let now_unix_ms = now_unix_ms();
        check_key_valid(&key, now_unix_ms)?;
        // A key that was cached when the call started was already debited then.
        if !is_attributed_to(&key.id) {
            self.debit_call(&key.id)?;
        }
        attribute_call(Some(&key.id))?;
        keys.uses.record(&key, now_unix_ms);
        debug!(key_id = %key.id, name = %key.name, "authenticated");
        let ring = Arc::clone(&keys.ring);
        Ok(Caller::Holder(AuthenticatedKey::new(key, ring, keys.public)))
    }

    async fn check_lease(&self) -> Result<(), Refusal> {
        match &self.lease {
            Some(check) => check().await,
            None => Ok(()),
        }
    }

    /// Returns the key that a call presents, if the key is cached and valid. Never waits, so this
    /// check can run before anything is allocated for the call.
    pub fn valid_cached_key(&self, metadata: &HeaderMap) -> Option<KeyId> {
        let presented = presented_key(metadata).ok()?;
        if let Some(private) = &self.private {
            // The organiser's key is exempt from rate limits, since calls of bots at the same
            // address must not block the organiser.
            return private.is_organiser(&presented).then(|| presented.id().clone());
        }
        let key = self.keys.as_ref()?.ring.cached_key(presented.id())?;
        let is_valid =
            presented.has_hash(&key.secret_hash) && check_key_valid(&key, now_unix_ms()).is_ok();
        is_valid.then(|| key.id.clone())
    }

    /// Debits a call from a key's rate limit.
    ///
    /// # Errors
    /// Returns an error if the rate is exceeded.
    pub fn debit_call(&self, key: &KeyId) -> Result<(), Refusal> {
        match &self.keys {
            Some(keys) => debit(&keys.calls, key, "calls_per_key"),
            None => Ok(()),
        }
    }

    /// Access control of a private server; `None` on other servers.
    pub fn private_access(&self) -> Option<&PrivateAccess> {
        self.private.as_ref()
    }

    /// Returns whether the server uses keys.
    pub fn uses_keys(&self) -> bool {
        self.keys.is_some()
    }

    /// Returns whether there is a valid key with this name and the `play` scope.
    pub fn may_play(&self, name: &KeyName) -> bool {
        let Some(keys) = &self.keys else {
            return false;
        };
        let play = KeyScope::Play.to_scope();
        let now_unix_ms = now_unix_ms();
        keys.ring.any_key(|key| {
            key.name == *name
                && key.scopes.contains(&play)
                && key.is_in_force()
                && !key.has_expired(now_unix_ms)
        })
    }

    /// Authenticates a caller that is allowed to create a match, and debits its creation rate
    /// limit.
    pub async fn match_creator(&self, metadata: &MetadataMap) -> Result<Caller, Refusal> {
        let caller = self.caller(metadata).await?;
        caller.require_scope(KeyScope::Create)?;
        if let (Some(keys), Some(id)) = (&self.keys, caller.key_id()) {
            debit(&keys.creates, id, "creates_per_key")?;
        }
        Ok(caller)
    }
}

/// Returns whether the current call is attributed to this key.
fn is_attributed_to(key: &KeyId) -> bool {
    let caller = Call::current().map(|call| call.caller_id());
    matches!(caller, Some(CallerId::Key(counted)) if counted == *key)
}

/// Attributes the current call to its caller.
fn attribute_call(key: Option<&KeyId>) -> Result<(), Refusal> {
    Call::current().map_or(Ok(()), |call| call.attribute_to(key))
}

fn debit(buckets: &TokenBuckets<KeyId>, id: &KeyId, limit: &'static str) -> Result<(), Refusal> {
    buckets
        .debit(id.clone(), Instant::now())
        .map_err(|wait| Refusal::rate_exceeded(limit, buckets.rate(), wait))
}
