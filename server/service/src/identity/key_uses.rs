//! When keys were last used, for the list of keys: noted in memory, at most once an hour for a key,
//! and written to the store by a task of its own, so that no call waits for it. What is noted when
//! the server stops is written then.

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

/// Least time between two uses of a key that are noted, in ms: who looks whether a key is still in
/// use looks at days.
const NOTE_INTERVAL_MS: i64 = 60 * 60 * 1000;

/// When keys were last used.
#[derive(Debug, Default)]
pub(super) struct KeyUses {
    noted: Mutex<Noted>,
    closing: CancellationToken,
}

#[derive(Debug, Default)]
struct Noted {
    /// The last use of each key that was noted, in milliseconds since 1970 UTC. Only keys of the
    /// store come here, which are bounded.
    at_unix_ms: HashMap<KeyId, i64>,
    /// Those that the store has not been told.
    unwritten: HashSet<KeyId>,
}

impl KeyUses {
    /// Notes that a key is used now, if that is worth it.
    pub(super) fn note(&self, key: &Key, now_unix_ms: i64) {
        let mut noted = self.noted.lock();
        let last = noted.at_unix_ms.get(&key.id).copied();
        let last = last.max(key.last_used_at_unix_ms);
        if last.is_none_or(|last| now_unix_ms.saturating_sub(last) >= NOTE_INTERVAL_MS) {
            noted.at_unix_ms.insert(key.id.clone(), now_unix_ms);
            noted.unwritten.insert(key.id.clone());
        }
    }

    /// Tells the store of the uses that it does not know, until [`KeyUses::close`].
    pub(super) async fn write(self: Arc<Self>, store: Arc<dyn KeyStore>, interval: Duration) {
        loop {
            select! {
                () = sleep(interval) => {}
                () = self.closing.cancelled() => {}
            }
            let is_closing = self.closing.is_cancelled();
            let uses = self.drain_unwritten();
            // A use that is lost is noted again an hour later, and nothing hangs on it.
            if !uses.is_empty()
                && let Err(error) = store.note_key_uses(uses).await
            {
                debug!(%error, "the last uses of API keys cannot be stored");
            }
            if is_closing {
                return;
            }
        }
    }

    /// Has the writing end with what is noted by now.
    pub(super) fn close(&self) {
        self.closing.cancel();
    }

    fn drain_unwritten(&self) -> Vec<(KeyId, i64)> {
        let mut noted = self.noted.lock();
        let unwritten = std::mem::take(&mut noted.unwritten);
        let at = |id: KeyId| noted.at_unix_ms.get(&id).map(|at| (id.clone(), *at));
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
    fn a_use_is_noted_once_an_hour() {
        let (uses, mut key) = (KeyUses::default(), key());
        let written = |uses: &KeyUses| {
            let written = uses.drain_unwritten();
            written.into_iter().map(|(_, at)| at).collect::<Vec<_>>()
        };
        uses.note(&key, 1_000);
        uses.note(&key, 2_000);
        assert_eq!(written(&uses), [1_000]);
        uses.note(&key, 999 + NOTE_INTERVAL_MS);
        assert!(written(&uses).is_empty());
        uses.note(&key, 1_000 + NOTE_INTERVAL_MS);
        assert_eq!(written(&uses), [1_000 + NOTE_INTERVAL_MS]);
        // A server that has just started knows what the one before noted.
        let uses = KeyUses::default();
        key.last_used_at_unix_ms = Some(5_000);
        uses.note(&key, 6_000);
        assert!(written(&uses).is_empty());
    }
}
