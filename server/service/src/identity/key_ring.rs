//! All API keys of a server, in memory: a call is checked without a reading from the store, so
//! nothing that is read from it can hold a check up.
//!
//! One task looks at the store again and again, and reads the keys when they changed. A key that
//! is not among them makes it look at once: it may have been added a moment ago. One that is damaged
//! from then on stays as it was read last: its bot is not to blame, and may be playing.

use std::{collections::HashMap, sync::Arc, time::Duration};

use bridgemaster_store::{
    DamagedKey, Key, KeyId, KeyStore, KeysMark, StoreError, limits::MAX_KEYS,
};
use parking_lot::Mutex;
use tokio::{
    select,
    sync::{Notify, watch},
    time::{Instant, sleep, timeout},
};
use tracing::{debug, error, info};

use crate::{
    limits::Limits,
    metrics::{DamagedValue, Metrics},
};

/// Least time between two looks that calls with unknown keys ask for: who makes up keys must not
/// keep the store busy.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// Time for one look. Reading ten thousand keys takes a tenth of a second.
const LOOK_TIME: Duration = Duration::from_secs(5);

/// The keys as they were read.
#[derive(Default)]
pub(super) struct Keys {
    /// Those that can be read, or could when the server read them before.
    by_id: HashMap<KeyId, Arc<Key>>,
    /// Those that are damaged.
    damaged: HashMap<KeyId, Damaged>,
}

/// A damaged key.
struct Damaged {
    now: DamagedKey,
    /// As it was read before, if it was.
    before: Option<Arc<Key>>,
}

impl Keys {
    /// Keeps what was read of keys before they were damaged, and tells of those that were not
    /// damaged then.
    fn go_on_from(&mut self, before: &Self, metrics: &Metrics) {
        for (id, damaged) in &mut self.damaged {
            if let Some(earlier) = before.damaged.get(id) {
                damaged.before = earlier.before.clone();
            } else {
                damaged.before = before.key_of(&damaged.now, &self.by_id).cloned();
                metrics.damaged(DamagedValue::Key);
                tell_damage(&damaged.now, damaged.before.is_some());
            }
            if let Some(key) = &damaged.before {
                self.by_id.insert(key.id.clone(), Arc::clone(key));
            }
        }
    }

    /// What a damaged key was, which is not among those that are `sound` now. If its id is damaged
    /// too, its name tells: no other key in force had it.
    fn key_of(&self, damaged: &DamagedKey, sound: &HashMap<KeyId, Arc<Key>>) -> Option<&Arc<Key>> {
        let had_its_name = |key: &&Arc<Key>| {
            key.is_in_force()
                && Some(&key.name) == damaged.name.as_ref()
                && !sound.contains_key(&key.id)
        };
        let by_id = self.by_id.get(&damaged.id);
        by_id.or_else(|| self.by_id.values().find(had_its_name))
    }
}

fn tell_damage(damaged: &DamagedKey, works: bool) {
    let DamagedKey { id, detail, .. } = damaged;
    match works {
        true => error!(
            key_id = %id,
            problem = detail,
            "an API key is damaged and works until the server ends, as it was read before: give \
             its holder another; `bridgemaster key revoke` removes it"
        ),
        false => error!(
            key_id = %id,
            problem = detail,
            "an API key is damaged and cannot be used: `bridgemaster key revoke` removes it"
        ),
    }
}

/// Why it is not known how a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// No keys can be read now.
    Store,
    /// This key is damaged.
    Key,
}

/// All keys of a server.
pub(super) struct KeyRing {
    store: Arc<dyn KeyStore>,
    metrics: Arc<Metrics>,
    look_every: Duration,
    trusted_for: Duration,
    keys: watch::Sender<Arc<Keys>>,
    last_look: watch::Sender<Look>,
    /// The keys stood so, at least, at this moment.
    good_at: Mutex<Instant>,
    /// Somebody asks for a look.
    asked: Notify,
}

/// A look at the store.
#[derive(Clone, Copy, Debug)]
struct Look {
    begun_at: Instant,
    is_good: bool,
}

impl KeyRing {
    /// Reads the keys of a store. They change only while [`KeyRing::keep`] runs.
    pub(super) async fn read(
        store: Arc<dyn KeyStore>,
        limits: &Limits,
        metrics: Arc<Metrics>,
    ) -> Result<(Self, KeysMark), StoreError> {
        let begun_at = Instant::now();
        let (mark, keys) = read(&*store).await?;
        let look = Look {
            begun_at,
            is_good: true,
        };
        let ring = Self {
            store,
            metrics,
            // Twice in the time, so that a look which takes half of it is soon enough.
            look_every: limits.key_cache_time / 2,
            trusted_for: limits.keys_trusted,
            keys: watch::Sender::new(Arc::new(keys)),
            last_look: watch::Sender::new(look),
            good_at: Mutex::new(begun_at),
            asked: Notify::new(),
        };
        Ok((ring, mark))
    }

    /// Whether one of the keys, as they were read last, is such a one.
    pub(super) fn any(&self, is_it: impl Fn(&Key) -> bool) -> bool {
        self.keys.borrow().by_id.values().any(|key| is_it(key))
    }

    /// Takes note of changes in the store, for as long as it is polled.
    pub(super) async fn keep(self: Arc<Self>, mut mark: KeysMark) {
        let mut was_good = true;
        loop {
            select! {
                () = sleep(self.look_every) => {}
                () = self.asked.notified() => {}
            }
            let begun_at = Instant::now();
            let looked = timeout(LOOK_TIME, self.look(mark)).await;
            let is_good = match looked {
                Ok(Ok(seen)) => {
                    mark = seen;
                    *self.good_at.lock() = begun_at;
                    if !was_good {
                        info!("API keys can be read again");
                    }
                    true
                }
                Ok(Err(error)) => {
                    if let StoreError::Closed = error {
                        debug!("API keys are no longer read: the store is closed");
                    } else if was_good {
                        error!(%error, "API keys cannot be read; the last known ones are used");
                    }
                    false
                }
                Err(_) => {
                    if was_good {
                        let within_ms = LOOK_TIME.as_millis();
                        error!(
                            within_ms,
                            "API keys are not read in time; the last known ones are used"
                        );
                    }
                    false
                }
            };
            was_good = is_good;
            self.last_look.send_replace(Look { begun_at, is_good });
            sleep(LOOK_INTERVAL.min(self.look_every)).await;
        }
    }

    /// Reads the keys if they are not as they were at `mark`; how they stand.
    async fn look(&self, mark: KeysMark) -> Result<KeysMark, StoreError> {
        if self.store.keys_mark().await? == mark {
            return Ok(mark);
        }
        let (mark, mut keys) = read(&*self.store).await?;
        let before = Arc::clone(&self.keys.borrow());
        keys.go_on_from(&before, &self.metrics);
        self.keys.send_replace(Arc::new(keys));
        Ok(mark)
    }

    /// The key of this identifier, revoked or not, as the store had it a moment ago.
    ///
    /// # Errors
    /// When the store could not be read for longer than the keys that were read are trusted; and
    /// for a key that is not among them, when the store cannot be read now, or the key was damaged
    /// before it was ever read.
    pub(super) async fn key(&self, id: &KeyId) -> Result<Option<Arc<Key>>, Unreadable> {
        if let Some(key) = self.last_known(id) {
            let good_at = *self.good_at.lock();
            if !self.last_look.borrow().is_good && good_at.elapsed() > self.trusted_for {
                return Err(Unreadable::Store);
            }
            return Ok(Some(key));
        }
        let came_at = Instant::now();
        let mut looks = self.last_look.subscribe();
        self.asked.notify_one();
        let look = timeout(LOOK_TIME, looks.wait_for(|look| look.begun_at >= came_at)).await;
        match look {
            Ok(Ok(look)) if look.is_good => {}
            _ => return Err(Unreadable::Store),
        }
        match self.last_known(id) {
            None if self.is_damaged(id) => Err(Unreadable::Key),
            known => Ok(known),
        }
    }

    /// The key of this identifier as it was read last, however long ago.
    pub(super) fn last_known(&self, id: &KeyId) -> Option<Arc<Key>> {
        self.keys.borrow().by_id.get(id).cloned()
    }

    /// Whether the key of this identifier was damaged when the keys were read last. It may be known
    /// from before.
    pub(super) fn is_damaged(&self, id: &KeyId) -> bool {
        self.keys.borrow().damaged.contains_key(id)
    }

    /// Is told whenever keys changed.
    pub(super) fn changes(&self) -> watch::Receiver<Arc<Keys>> {
        self.keys.subscribe()
    }
}

/// The keys of a store, and a mark that is not newer than they are.
async fn read(store: &dyn KeyStore) -> Result<(KeysMark, Keys), StoreError> {
    let mark = store.keys_mark().await?;
    let mut keys = store.keys().await?;
    // A store bounds those in force. Of the others the last ones are kept: an older one is told
    // that it is unknown instead of revoked.
    let revoked = keys.iter().filter(|key| !key.is_in_force()).count();
    let mut too_many = revoked.saturating_sub(MAX_KEYS);
    keys.retain(|key| {
        let is_kept = key.is_in_force() || too_many == 0;
        too_many -= usize::from(!is_kept);
        is_kept
    });
    let damaged = store.damaged_keys().await?;
    let damaged = damaged.into_iter().map(|now| {
        let before = None;
        (now.id.clone(), Damaged { now, before })
    });
    let by_id = |key: Key| (key.id.clone(), Arc::new(key));
    let keys = Keys {
        by_id: keys.into_iter().map(by_id).collect(),
        damaged: damaged.take(MAX_KEYS).collect(),
    };
    Ok((mark, keys))
}
