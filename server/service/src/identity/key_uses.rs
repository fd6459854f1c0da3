//! Records when keys were last used, for lists of keys. A use is recorded in memory, at most once
//! an hour per key. A task writes it to the store, so that no call waits for the write. All
//! recorded uses are written before the server stops.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use bridgemaster_store::{Key, KeyId, KeyStore};
use parking_lot::Mutex;
use tokio::{select, time::sleep};
use tokio_util::sync::CancellationToken;
use tracing::debug;

/// The minimum interval between two recorded uses of a key, in ms: operators look for keys that are
/// unused for days.
const RECORD_INTERVAL_MS: i64 = 60 * 60 * 1000;

/// Records when keys were last used.
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
            // If the write fails, the uses are lost. The loss is harmless, since the key's next use
            // is recorded an hour later.
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
    fn a_use_is_recorded_once_an_hour() {
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
        // A restarted server uses what was stored before.
        let uses = KeyUses::default();
        key.last_used_at_unix_ms = Some(5_000);
        uses.record(&key, 6_000);
        assert!(written(&uses).is_empty());
    }
}
