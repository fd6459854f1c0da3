//! A cache of all API keys of a server. Calls are checked against the cache, so they never wait for
//! the store.
//!
//! One task polls the store, and reloads the keys when they have changed. An unknown key triggers a
//! poll at once, since it might have just been added. If a key becomes damaged in the store, its
//! cached version remains valid: the bot that uses it is not at fault, and might be playing.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use bridgemaster_store::{
    DamagedKey, Key, KeyId, KeyStore, KeysVersion, StoreError, limits::MAX_KEYS,
};
use parking_lot::Mutex;
use tokio::{
    select,
    sync::{Notify, watch},
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, info};

use crate::{
    limits::Limits,
    metrics::{DamagedValue, Metrics},
};

/// The minimum interval between polls that unknown keys trigger, so that invented keys do not
/// overload the store.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The time limit of one poll. Reading 10,000 keys takes 0.1 s.
const POLL_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(super) struct CachedKeys {
    /// The latest readable version of each key.
    by_id: HashMap<KeyId, Arc<Key>>,
    /// Damaged keys, by identifier.
    damaged: HashMap<KeyId, DamagedEntry>,
}

/// A damaged key and its last readable version.
struct DamagedEntry {
    now: DamagedKey,
    /// `None` if the key was damaged when the server first read it.
    before: Option<Arc<Key>>,
}

impl CachedKeys {
    /// Keeps the last readable versions of damaged keys from `before`, and logs keys that became
    /// damaged.
    fn carry_over(&mut self, before: &Self, metrics: &Metrics) {
        for (id, damaged) in &mut self.damaged {
            if let Some(earlier) = before.damaged.get(id) {
                damaged.before = earlier.before.clone();
            } else {
                damaged.before = before.last_readable_key(&damaged.now, &self.by_id).cloned();
                metrics.count_damaged(DamagedValue::Key);
                log_damage(&damaged.now, damaged.before.is_some());
            }
            if let Some(key) = &damaged.before {
                self.by_id.insert(key.id.clone(), Arc::clone(key));
            }
        }
    }

    /// Finds the last readable version of a damaged key. If the identifier is damaged too, looks
    /// for a key of the same name that is no longer among the readable keys.
    fn last_readable_key(
        &self,
        damaged: &DamagedKey,
        readable: &HashMap<KeyId, Arc<Key>>,
    ) -> Option<&Arc<Key>> {
        let has_same_name = |key: &&Arc<Key>| {
            key.is_in_force()
                && Some(&key.name) == damaged.name.as_ref()
                && !readable.contains_key(&key.id)
        };
        let by_id = self.by_id.get(&damaged.id);
        by_id.or_else(|| self.by_id.values().find(has_same_name))
    }
}

fn log_damage(damaged: &DamagedKey, is_cached: bool) {
    let DamagedKey { id, detail, .. } = damaged;
    if is_cached {
        error!(
            key_id = %id,
            problem = detail,
            "a stored API key is damaged, and works only until the server stops; create a new \
             key, and remove the damaged key with `bridgemaster key revoke`"
        );
    } else {
        error!(
            key_id = %id,
            problem = detail,
            "a stored API key is damaged and cannot be used; remove it with `bridgemaster key \
             revoke`"
        );
    }
}

/// The reason why the validity of a key is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnreadableReason {
    /// The store is unreadable.
    Store,
    /// The key is damaged.
    Key,
}

/// The cache of all of a server's keys.
pub(super) struct KeyRing {
    store: Arc<dyn KeyStore>,
    metrics: Arc<Metrics>,
    poll_interval: Duration,
    max_age: Duration,
    keys: watch::Sender<Arc<CachedKeys>>,
    last_poll: watch::Sender<KeyPoll>,
    /// The time at which the last successful poll started.
    fresh_at: Mutex<Instant>,
    /// Notified when the store must be polled at once.
    poll_requested: Notify,
}

/// The time and success of the last store poll.
#[derive(Clone, Copy, Debug)]
struct KeyPoll {
    started_at: Instant,
    succeeded: bool,
}

impl KeyRing {
    /// Creates a ring with a store's keys. The keys are refreshed only while [`KeyRing::run`] runs.
    pub(super) async fn load(
        store: Arc<dyn KeyStore>,
        limits: &Limits,
        metrics: Arc<Metrics>,
    ) -> Result<(Self, KeysVersion), StoreError> {
        let started_at = Instant::now();
        let (mark, keys) = read_keys(&*store).await?;
        let poll = KeyPoll { started_at, succeeded: true };
        let ring = Self {
            store,
            metrics,
            // The store is polled twice per cache lifetime, so a poll may take up to half of it.
            poll_interval: limits.key_cache_time / 2,
            max_age: limits.keys_trusted,
            keys: watch::Sender::new(Arc::new(keys)),
            last_poll: watch::Sender::new(poll),
            fresh_at: Mutex::new(started_at),
            poll_requested: Notify::new(),
        };
        Ok((ring, mark))
    }

    /// Returns whether any cached key passes a predicate.
    pub(super) fn any_key(&self, predicate: impl Fn(&Key) -> bool) -> bool {
        self.keys.borrow().by_id.values().any(|key| predicate(key))
    }

    /// Polls the store for changes until the future is dropped.
    pub(super) async fn run(self: Arc<Self>, mut mark: KeysVersion) {
        let mut last_succeeded = true;
        loop {
            select! {
                () = sleep(self.poll_interval) => {}
                () = self.poll_requested.notified() => {}
            }
            let started_at = Instant::now();
            let polled = timeout(POLL_TIMEOUT, self.poll(mark)).await;
            let succeeded = match polled {
                Ok(Ok(new_mark)) => {
                    mark = new_mark;
                    *self.fresh_at.lock() = started_at;
                    if !last_succeeded {
                        info!("API keys are readable again");
                    }
                    true
                }
                Ok(Err(error)) => {
                    if let StoreError::Closed = error {
                        debug!("stopped polling API keys: the store is closed");
                    } else if last_succeeded {
                        error!(%error, "cannot read API keys; using the cached keys");
                    }
                    false
                }
                Err(_) => {
                    if last_succeeded {
                        let timeout_ms = POLL_TIMEOUT.as_millis();
                        error!(timeout_ms, "reading API keys timed out; using the cached keys");
                    }
                    false
                }
            };
            last_succeeded = succeeded;
            self.last_poll.send_replace(KeyPoll { started_at, succeeded });
            sleep(MIN_POLL_INTERVAL.min(self.poll_interval)).await;
        }
    }

    /// Reloads the keys if their version in the store differs from `mark`. Returns the new version.
    async fn poll(&self, mark: KeysVersion) -> Result<KeysVersion, StoreError> {
        if self.store.keys_version().await? == mark {
            return Ok(mark);
        }
        let (mark, mut keys) = read_keys(&*self.store).await?;
        let before = Arc::clone(&self.keys.borrow());
        keys.carry_over(&before, &self.metrics);
        self.keys.send_replace(Arc::new(keys));
        Ok(mark)
    }

    /// Returns the key with this identifier, even if it is revoked.
    ///
    /// # Errors
    /// Returns an error if the store has been unreadable for longer than `keys_trusted`. For a key
    /// that is not cached, also when the store is unreadable or the key is damaged.
    pub(super) async fn key(&self, id: &KeyId) -> Result<Option<Arc<Key>>, UnreadableReason> {
        if let Some(key) = self.cached_key(id) {
            let fresh_at = *self.fresh_at.lock();
            if !self.last_poll.borrow().succeeded && fresh_at.elapsed() > self.max_age {
                return Err(UnreadableReason::Store);
            }
            return Ok(Some(key));
        }
        let requested_at = Instant::now();
        let mut polls = self.last_poll.subscribe();
        self.poll_requested.notify_one();
        let poll = polls.wait_for(|poll| poll.started_at >= requested_at);
        let poll = timeout(POLL_TIMEOUT, poll).await;
        match poll {
            Ok(Ok(poll)) if poll.succeeded => {}
            _ => return Err(UnreadableReason::Store),
        }
        match self.cached_key(id) {
            None if self.is_damaged(id) => Err(UnreadableReason::Key),
            key => Ok(key),
        }
    }

    /// Returns the cached key with this identifier, however old it is.
    pub(super) fn cached_key(&self, id: &KeyId) -> Option<Arc<Key>> {
        self.keys.borrow().by_id.get(id).cloned()
    }

    /// Returns whether the key with this identifier was damaged at the last poll. A readable
    /// version might still be cached.
    pub(super) fn is_damaged(&self, id: &KeyId) -> bool {
        self.keys.borrow().damaged.contains_key(id)
    }

    /// Subscribes to changes to the keys.
    pub(super) fn subscribe(&self) -> watch::Receiver<Arc<CachedKeys>> {
        self.keys.subscribe()
    }
}

/// Reads the keys of a store, and their version number. If keys change during the read, the
/// returned version is the older one, so that the next poll reads them again.
async fn read_keys(store: &dyn KeyStore) -> Result<(KeysVersion, CachedKeys), StoreError> {
    let mark = store.keys_version().await?;
    let mut keys = store.keys().await?;
    // The store limits the number of valid keys. Of the revoked keys only the latest are cached;
    // older ones are refused as unknown.
    let revoked = keys.iter().filter(|key| !key.is_in_force()).count();
    let mut too_many = revoked.saturating_sub(MAX_KEYS);
    keys.retain(|key| {
        let retains = key.is_in_force() || too_many == 0;
        too_many -= usize::from(!retains);
        retains
    });
    let damaged = store.damaged_keys().await?;
    let damaged = damaged.into_iter().map(|now| {
        let before = None;
        (now.id.clone(), DamagedEntry { now, before })
    });
    let by_id = |key: Key| (key.id.clone(), Arc::new(key));
    let keys = CachedKeys {
        by_id: keys.into_iter().map(by_id).collect(),
        damaged: damaged.take(MAX_KEYS).collect(),
    };
    Ok((mark, keys))
}

/// The minimum interval between two recorded uses of a key, in ms. An hour suffices to find keys
/// that have been unused for days.
const RECORD_INTERVAL_MS: i64 = 60 * 60 * 1000;

/// Records when keys were last used, for lists of keys. A use is recorded in memory, at most once
/// an hour per key, and a task writes it to the store. So no call waits for the write. All recorded
/// uses are written before the server stops.
#[derive(Debug, Default)]
pub(super) struct KeyUses {
    state: Mutex<UseTimes>,
    closing: CancellationToken,
}

#[derive(Debug, Default)]
struct UseTimes {
    /// The last recorded use of each key, in ms since 1970 UTC. The map's size is bounded, since
    /// only stored keys are recorded.
    at_unix_ms: HashMap<KeyId, i64>,
    /// Keys whose last use is not written yet.
    unwritten: HashSet<KeyId>,
}

impl KeyUses {
    /// Records a use of a key, unless one was recorded within the last hour.
    pub(super) fn record(&self, key: &Key, now_unix_ms: i64) {
        let mut state = self.state.lock();
        let last = state.at_unix_ms.get(&key.id).copied();
        let last = last.max(key.last_used_at_unix_ms);
        if last.is_none_or(|last| now_unix_ms.saturating_sub(last) >= RECORD_INTERVAL_MS) {
            state.at_unix_ms.insert(key.id.clone(), now_unix_ms);
            state.unwritten.insert(key.id.clone());
        }
    }

    /// Writes recorded uses to the store, until [`KeyUses::close`].
    pub(super) async fn write(self: Arc<Self>, store: Arc<dyn KeyStore>, interval: Duration) {
        loop {
            select! {
                () = sleep(interval) => {}
                () = self.closing.cancelled() => {}
            }
            let is_closing = self.closing.is_cancelled();
            let uses = self.drain_unwritten();
            // If the write fails, these uses are lost. This is harmless, since the next use of the
            // key is recorded within an hour.
            if !uses.is_empty()
                && let Err(error) = store.record_key_uses(uses).await
            {
                debug!(%error, "cannot store the times of the last API key uses");
            }
            if is_closing {
                return;
            }
        }
    }

    /// Ends the task, after it has written all recorded uses.
    pub(super) fn close(&self) {
        self.closing.cancel();
    }

    fn drain_unwritten(&self) -> Vec<(KeyId, i64)> {
        let mut state = self.state.lock();
        let unwritten = std::mem::take(&mut state.unwritten);
        let at = |id: KeyId| state.at_unix_ms.get(&id).map(|at| (id.clone(), *at));
        unwritten.into_iter().filter_map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;

    use bridgemaster_store::{KeyName, NewKey, SecretHash};

    use super::*;

    fn key() -> Key {
        let new = NewKey {
            id: KeyId::new("k1").unwrap(),
            name: KeyName::new("north").unwrap(),
            owner: None,
            scopes: BTreeSet::new(),
            secret_hash: SecretHash::new([7; 32]),
            created_at_unix_ms: 0,
            expires_at_unix_ms: None,
        };
        new.into()
    }

    #[test]
    fn a_use_is_recorded_at_most_once_an_hour() {
        let (uses, mut key) = (KeyUses::default(), key());
        let written = |uses: &KeyUses| {
            let written = uses.drain_unwritten();
            written.into_iter().map(|(_, at)| at).collect::<Vec<_>>()
        };
        uses.record(&key, 1_000);
        uses.record(&key, 2_000);
        assert_eq!(written(&uses), [1_000]);
        uses.record(&key, 999 + RECORD_INTERVAL_MS);
        assert!(written(&uses).is_empty());
        uses.record(&key, 1_000 + RECORD_INTERVAL_MS);
        assert_eq!(written(&uses), [1_000 + RECORD_INTERVAL_MS]);
        // A restarted server continues from the stored times.
        let uses = KeyUses::default();
        key.last_used_at_unix_ms = Some(5_000);
        uses.record(&key, 6_000);
        assert!(written(&uses).is_empty());
    }
}
