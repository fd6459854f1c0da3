//! From the metadata of a call to its caller.

use std::{sync::Arc, time::Instant};

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::{KeyId, KeyName, KeyStore, StoreError};
use parking_lot::Mutex;
use tokio_util::task::AbortOnDropHandle;
use tonic::{codegen::http::HeaderMap, metadata::MetadataMap};
use tracing::debug;

use super::{
    ApiKey, Caller, KEY_METADATA, KeyScope, PublicRead,
    caller::KeyHolder,
    key_refusals::{check_good, damaged, missing, unknown, unreadable},
    key_ring::{KeyRing, Unreadable},
    key_uses::KeyUses,
};
use crate::{
    cluster::Cluster,
    limits::Limits,
    metrics::Metrics,
    refusal::Refusal,
    transport::{Call, CallerId, TokenBuckets},
    wall_clock::now_unix_ms,
};

/// Finds out who calls, and whether too often.
#[derive(Clone)]
pub(crate) struct Authenticator {
    /// `None` on a server that asks for no keys.
    keys: Option<Arc<Keys>>,
    /// The servers that share the store, if it is one that can be shared.
    cluster: Option<Arc<Cluster>>,
}

/// The keys of a server, and how often each may call.
struct Keys {
    ring: Arc<KeyRing>,
    /// Keeps the ring as the store is.
    _keeping: AbortOnDropHandle<()>,
    uses: Arc<KeyUses>,
    /// Tells the store of uses; `None` once the server ends.
    writing: Mutex<Option<AbortOnDropHandle<()>>>,
    calls: TokenBuckets<KeyId>,
    creates: TokenBuckets<KeyId>,
    /// What may be looked at without one.
    public: PublicRead,
}

impl Authenticator {
    /// Asks for none.
    pub(crate) fn of_anyone() -> Self {
        Self {
            keys: None,
            cluster: None,
        }
    }

    /// Asks for the keys of a store, or without one for none.
    ///
    /// # Errors
    /// When the keys cannot be read.
    pub(crate) async fn new(
        store: Option<Arc<dyn KeyStore>>,
        public: PublicRead,
        limits: &Limits,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, StoreError> {
        let Some(store) = store else {
            return Ok(Self::of_anyone());
        };
        let (ring, mark) = KeyRing::read(Arc::clone(&store), limits, Arc::clone(metrics)).await?;
        let uses = Arc::new(KeyUses::default());
        let writing = tokio::spawn(Arc::clone(&uses).write(store, limits.key_cache_time));
        let ring = Arc::new(ring);
        let keeping = tokio::spawn(Arc::clone(&ring).keep(mark));
        let keys = Some(Arc::new(Keys {
            ring,
            _keeping: AbortOnDropHandle::new(keeping),
            uses,
            writing: Mutex::new(Some(AbortOnDropHandle::new(writing))),
            calls: TokenBuckets::new(limits.calls_per_key),
            creates: TokenBuckets::new(limits.creates_per_key),
            public,
        }));
        Ok(Self {
            keys,
            cluster: None,
        })
    }

    /// The same for a server among others, which answers nobody while those may have its matches.
    pub(crate) fn among(self, cluster: Option<Arc<Cluster>>) -> Self {
        Self { cluster, ..self }
    }

    /// Waits until the store knows when keys were last used. To be called when no more calls come.
    pub(crate) async fn close(&self) {
        let Some(keys) = &self.keys else {
            return;
        };
        keys.uses.close();
        let writing = keys.writing.lock().take();
        if let Some(writing) = writing {
            // A panic would be a defect, and costs the last uses only.
            let _ = writing.await;
        }
    }

    /// The caller of a call that only looks: who shows no key sees what everybody may. Ask him what
    /// he [sees](Caller::sees).
    pub(crate) async fn onlooker(&self, metadata: &MetadataMap) -> Result<Caller, Refusal> {
        let public = self.keys.as_ref().map(|keys| keys.public);
        match public.filter(|public| *public > PublicRead::None) {
            Some(public) if !metadata.contains_key(KEY_METADATA) => {
                self.check_may_answer()?;
                is_of(None)?;
                Ok(Caller::Guest(public))
            }
            _ => self.caller(metadata).await,
        }
    }

    /// The caller that the metadata shows the key of.
    pub(crate) async fn caller(&self, metadata: &MetadataMap) -> Result<Caller, Refusal> {
        self.caller_or_known(metadata, |_| false).await
    }

    /// The same; while the keys cannot be read, one of a name that `is_known` counts as it was read
    /// last, however long ago. As streams go on then, so does a bot that comes back to its seat.
    pub(crate) async fn caller_or_known(
        &self,
        metadata: &MetadataMap,
        is_known: impl Fn(&KeyName) -> bool,
    ) -> Result<Caller, Refusal> {
        self.check_may_answer()?;
        let Some(keys) = &self.keys else {
            is_of(None)?;
            return Ok(Caller::Anyone);
        };
        let shown = shown_key(metadata.as_ref())?;
        let stored = match keys.ring.key(shown.id()).await {
            Ok(stored) => stored,
            Err(Unreadable::Key) => return Err(damaged(shown.id())),
            Err(Unreadable::Store) => {
                let known = keys.ring.last_known(shown.id());
                let known = known.filter(|key| is_known(&key.name));
                Some(known.ok_or_else(unreadable)?)
            }
        };
        let key = stored
            .filter(|stored| shown.has_hash(&stored.secret_hash))
            .ok_or_else(unknown)?;
        // Told to the holder of the secret only.
        let now_unix_ms = now_unix_ms();
        check_good(&key, now_unix_ms)?;
        // One that was known when the call began is debited already.
        if !counts_for(&key.id) {
            self.debit_call(&key.id)?;
        }
        is_of(Some(&key.id))?;
        keys.uses.note(&key, now_unix_ms);
        debug!(key_id = %key.id, name = %key.name, "authenticated");
        let ring = Arc::clone(&keys.ring);
        Ok(Caller::Holder(KeyHolder::new(key, ring, keys.public)))
    }

    fn check_may_answer(&self) -> Result<(), Refusal> {
        match &self.cluster {
            Some(cluster) => cluster.check_may_answer(),
            None => Ok(()),
        }
    }

    /// The key that a call shows in its metadata, if it is good as the keys were read last: known
    /// without waiting, before anything is kept for the call.
    pub(crate) fn shown_key(&self, metadata: &HeaderMap) -> Option<KeyId> {
        let shown = shown_key(metadata).ok()?;
        let key = self.keys.as_ref()?.ring.last_known(shown.id())?;
        let is_good = shown.has_hash(&key.secret_hash) && check_good(&key, now_unix_ms()).is_ok();
        is_good.then(|| key.id.clone())
    }

    /// Counts a call for the rate of a key.
    ///
    /// # Errors
    /// When it calls too often.
    pub(crate) fn debit_call(&self, key: &KeyId) -> Result<(), Refusal> {
        match &self.keys {
            Some(keys) => debit(&keys.calls, key, "calls_per_key"),
            None => Ok(()),
        }
    }

    /// Whether the server asks for keys.
    pub(crate) fn asks_for_keys(&self) -> bool {
        self.keys.is_some()
    }

    /// Whether a key of this name is in force that may take seats.
    pub(crate) fn may_play(&self, name: &KeyName) -> bool {
        let Some(keys) = &self.keys else {
            return false;
        };
        let play = KeyScope::Play.to_scope();
        let now_unix_ms = now_unix_ms();
        keys.ring.any(|key| {
            key.name == *name
                && key.scopes.contains(&play)
                && key.is_in_force()
                && !key.has_expired(now_unix_ms)
        })
    }

    /// The caller, who may make a match now.
    pub(crate) async fn maker(&self, metadata: &MetadataMap) -> Result<Caller, Refusal> {
        let caller = self.caller(metadata).await?;
        caller.require(KeyScope::Create)?;
        if let (Some(keys), Some(id)) = (&self.keys, caller.key_id()) {
            debit(&keys.creates, id, "creates_per_key")?;
        }
        Ok(caller)
    }
}

/// Whether the call that is served counts for this key.
fn counts_for(key: &KeyId) -> bool {
    let caller = Call::current().map(|call| call.caller_id());
    matches!(caller, Some(CallerId::Key(counted)) if counted == *key)
}

/// Has the call that is served counted for its caller.
fn is_of(key: Option<&KeyId>) -> Result<(), Refusal> {
    Call::current().map_or(Ok(()), |call| call.is_of(key))
}

fn debit(buckets: &TokenBuckets<KeyId>, id: &KeyId, limit: &'static str) -> Result<(), Refusal> {
    buckets
        .debit(id.clone(), Instant::now())
        .map_err(|wait| Refusal::rate(limit, buckets.rate(), wait))
}

/// The key that a call shows. Its text is never logged or repeated.
fn shown_key(metadata: &HeaderMap) -> Result<ApiKey, Refusal> {
    let refused = |message: String| Refusal::new(RefusalReason::KeyMissing, message);
    let mut values = metadata.get_all(KEY_METADATA).iter();
    let value = values.next().ok_or_else(missing)?;
    if values.next().is_some() {
        return Err(refused(format!(
            "the metadata has more than one `{KEY_METADATA}`"
        )));
    }
    let text = value
        .to_str()
        .map_err(|_| refused(format!("the metadata `{KEY_METADATA}` is no ASCII text")))?;
    text.trim().parse().map_err(|_| unknown())
}
