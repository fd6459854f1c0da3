//! A store in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};

use crate::{
    Damage, DamagedKey, DamagedValue, FinishedCursor, FinishedMatch, FinishedPage, KeptReplay, Key,
    KeyId, KeyName, KeyStore, KeysMark, LadderId, LadderRows, LadderStore, MatchCounts, MatchId,
    NewKey, Notes, OpenMatch, Opening, Store, StoreError, StoredLadder, StoredLadderMatch,
    StoredLadderVersion, Write,
    batch::{self, Standing},
    ladder_batch,
    limits::{MAX_KEYS, MAX_PAGE_MATCHES},
    memory_ladders::MemoryLadders,
    secrets::check_secret,
};

/// A [`Store`] in memory: for a server without a data folder, and for tests. Everything ends with
/// the process.
#[derive(Debug)]
pub struct MemoryStore {
    /// `None` once closed.
    kept: Mutex<Option<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    open: BTreeMap<i64, OpenMatch>,
    /// Keys of `open`.
    open_by_id: HashMap<MatchId, i64>,
    finished: BTreeMap<i64, Finished>,
    /// Keys of `finished`.
    finished_by_id: HashMap<MatchId, i64>,
    /// Matches opened and finished so far: orders both.
    events: i64,
    /// Matches finished so far.
    finishes: i64,
    keys: Vec<Key>,
    secrets: HashMap<String, Vec<u8>>,
    notes: BTreeMap<String, Vec<u8>>,
    ladders: MemoryLadders,
}

#[derive(Debug)]
struct Finished {
    shown: FinishedMatch,
    /// How many had finished with it.
    number: i64,
    /// `None` once it is kept no more.
    replay: Option<Vec<u8>>,
    parties: BTreeSet<KeyName>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self {
            kept: Mutex::new(Some(Kept::default())),
        }
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&mut Kept) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        work(self.lock().as_mut().ok_or(StoreError::Closed)?)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Kept>> {
        self.kept.lock()
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Kept {
    fn standing(&self, id: &MatchId) -> Standing {
        if let Some(open) = self.open_by_id.get(id).and_then(|key| self.open.get(key)) {
            return Standing::InPlay {
                entries: open.journal.len() as u64,
            };
        }
        if self.finished_by_id.contains_key(id) {
            return Standing::Finished;
        }
        Standing::Unknown
    }

    /// Carries out a write of a checked batch.
    fn apply(&mut self, write: Write) {
        match write {
            Write::OpenMatch {
                match_id,
                opened_at_unix_ms,
                header,
            } => {
                self.events += 1;
                self.open_by_id.insert(match_id.clone(), self.events);
                let journal = Vec::new();
                let open = OpenMatch {
                    match_id,
                    opened_at_unix_ms,
                    header,
                    journal,
                };
                self.open.insert(self.events, open);
            }
            Write::Append {
                match_id, entry, ..
            } => {
                let open = self
                    .open_by_id
                    .get(&match_id)
                    .and_then(|key| self.open.get_mut(key));
                if let Some(open) = open {
                    open.journal.push(entry);
                }
            }
            Write::FinishMatch {
                match_id,
                ended_at_unix_ms,
                summary,
                replay,
                parties,
            } => {
                if let Some(open) = self.remove_open(&match_id) {
                    self.events += 1;
                    self.finishes += 1;
                    self.finished_by_id.insert(match_id.clone(), self.events);
                    let shown = FinishedMatch {
                        match_id,
                        opened_at_unix_ms: open.opened_at_unix_ms,
                        ended_at_unix_ms,
                        summary,
                    };
                    let finished = Finished {
                        shown,
                        number: self.finishes,
                        replay: Some(replay),
                        parties: parties.into_iter().collect(),
                    };
                    self.finished.insert(self.events, finished);
                }
            }
            Write::ForgetReplay { match_id } => {
                let key = self.finished_by_id.get(&match_id);
                if let Some(finished) = key.and_then(|key| self.finished.get_mut(key)) {
                    finished.replay = None;
                }
            }
            Write::DropMatch { match_id } => {
                if self.remove_open(&match_id).is_none()
                    && let Some(key) = self.finished_by_id.remove(&match_id)
                {
                    self.finished.remove(&key);
                }
            }
            Write::KeepNote { name, value } => {
                self.notes.insert(name, value);
            }
            Write::DropNote { name } => {
                self.notes.remove(&name);
            }
            Write::ChangeLadder { ladder_id, change } => self.ladders.apply(ladder_id, change),
        }
    }

    fn remove_open(&mut self, id: &MatchId) -> Option<OpenMatch> {
        let key = self.open_by_id.remove(id)?;
        self.open.remove(&key)
    }

    fn finished_entry(&self, id: &MatchId) -> Option<&Finished> {
        self.finished.get(self.finished_by_id.get(id)?)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        self.with(|kept| {
            let ladders = kept.ladders.standings(ladder_batch::asked(&batch));
            batch::check(&batch, |id| kept.standing(id), ladders)?;
            for write in batch {
                kept.apply(write);
            }
            Ok(())
        })
    }

    fn opening(&self) -> Opening {
        Opening::default()
    }

    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError> {
        self.with(|kept| {
            Ok(kept
                .open
                .values()
                .map(|open| open.match_id.clone())
                .collect())
        })
    }

    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError> {
        self.with(|kept| {
            let key = kept.open_by_id.get(id);
            Ok(key.and_then(|key| kept.open.get(key)).cloned())
        })
    }

    async fn open_match_header(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        let open = self.open_match(id).await?;
        Ok(open.map(|open| open.header))
    }

    async fn finished(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        of: Option<&KeyName>,
    ) -> Result<FinishedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES) as usize;
        self.with(|kept| {
            let end = after.map_or(i64::MAX, |cursor| cursor.0);
            let is_asked = |finished: &Finished| of.is_none_or(|of| finished.parties.contains(of));
            let newest_first = kept.finished.range(..end).rev();
            let mut rest = newest_first.filter(|(_, finished)| is_asked(finished));
            let page: Vec<_> = rest.by_ref().take(limit).collect();
            let last = page.last().map(|(key, _)| FinishedCursor(**key));
            Ok(FinishedPage {
                matches: page
                    .iter()
                    .map(|(_, finished)| finished.shown.clone())
                    .collect(),
                damaged: Vec::new(),
                next: last.filter(|_| rest.next().is_some()),
            })
        })
    }

    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError> {
        self.with(|kept| {
            Ok(kept
                .finished_entry(id)
                .map(|finished| finished.shown.clone()))
        })
    }

    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError> {
        self.with(|kept| {
            let finished = kept.finished_entry(id);
            Ok(finished.is_some_and(|finished| finished.parties.contains(name)))
        })
    }

    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(|kept| {
            let finished = kept.finished_entry(id);
            let replay = finished.map(|finished| finished.replay.clone().ok_or(()));
            replay
                .transpose()
                .map_err(|()| StoreError::ReplayForgotten {
                    match_id: id.clone(),
                })
        })
    }

    async fn kept_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        spared: u64,
    ) -> Result<Vec<KeptReplay>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES) as usize;
        self.with(|kept| {
            let newest = kept.finished.last_key_value();
            let newest = newest.map_or(0, |(_, finished)| finished.number);
            let last = newest.saturating_sub(i64::try_from(spared).unwrap_or(i64::MAX));
            let from = after.map_or(i64::MIN, |cursor| cursor.0.saturating_add(1));
            let places = kept
                .finished
                .iter()
                .map(|(place, finished)| (*place, finished));
            let kept_replay = |(place, finished): (i64, &Finished)| {
                let replay = finished
                    .replay
                    .as_ref()
                    .filter(|replay| !replay.is_empty())?;
                Some(KeptReplay {
                    match_id: finished.shown.match_id.clone(),
                    ended_at_unix_ms: finished.shown.ended_at_unix_ms,
                    bytes: replay.len() as u64,
                    place: FinishedCursor(place),
                })
            };
            let old = places.filter(|(place, finished)| *place >= from && finished.number <= last);
            Ok(old.filter_map(kept_replay).take(limit).collect())
        })
    }

    async fn match_counts(&self) -> Result<MatchCounts, StoreError> {
        self.with(|kept| {
            Ok(MatchCounts {
                open: kept.open.len() as u64,
                finished: kept.finished.len() as u64,
            })
        })
    }

    async fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(|kept| Ok(kept.notes.get(name).cloned()))
    }

    async fn notes(&self, prefix: &str) -> Result<Notes, StoreError> {
        self.with(|kept| {
            let from = kept.notes.range(prefix.to_owned()..);
            let alike = from.take_while(|(name, _)| name.starts_with(prefix));
            Ok(Notes {
                kept: alike
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect(),
                damaged: Vec::new(),
            })
        })
    }

    async fn secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(|kept| Ok(kept.secrets.get(name).cloned()))
    }

    async fn keep_secret(&self, name: &str, value: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        check_secret(name, &value)?;
        self.with(|kept| Ok(kept.secrets.entry(name.to_owned()).or_insert(value).clone()))
    }

    async fn remove_damaged_secrets(&self) -> Result<Vec<Damage>, StoreError> {
        self.with(|_| Ok(Vec::new()))
    }

    async fn close(&self) -> Result<(), StoreError> {
        *self.lock() = None;
        Ok(())
    }
}

#[async_trait]
impl KeyStore for MemoryStore {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        self.with(|kept| {
            if let Some(other) = kept.keys.iter().find(|other| other.id == key.id) {
                if other.stands_as(&key) {
                    return Ok(());
                }
                return Err(StoreError::KeyIdTaken { key_id: key.id });
            }
            let in_force = |other: &&Key| other.name == key.name && other.is_in_force();
            if let Some(other) = kept.keys.iter().find(in_force) {
                return Err(StoreError::KeyNameTaken {
                    name: key.name,
                    key_id: other.id.clone(),
                });
            }
            if kept.keys.iter().filter(|key| key.is_in_force()).count() >= MAX_KEYS {
                return Err(StoreError::TooManyKeys { limit: MAX_KEYS });
            }
            kept.keys.push(key.into());
            Ok(())
        })
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        self.with(|kept| {
            let mut keys = kept.keys.clone();
            keys.sort_by(|a, b| (a.created_at_unix_ms, &a.id).cmp(&(b.created_at_unix_ms, &b.id)));
            Ok(keys)
        })
    }

    async fn keys_mark(&self) -> Result<KeysMark, StoreError> {
        self.with(|kept| {
            let revoked = kept.keys.iter().filter(|key| !key.is_in_force()).count();
            Ok(KeysMark {
                kept: kept.keys.len() as u64,
                revoked: revoked as u64,
                // None is ever removed.
                newest: kept.keys.len() as u64,
            })
        })
    }

    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        self.with(|_| Ok(Vec::new()))
    }

    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        self.with(|kept| {
            let key_id = id.clone();
            Err(match kept.keys.iter().any(|key| key.id == *id) {
                true => StoreError::NotDamaged {
                    value: DamagedValue::Key(key_id),
                },
                false => StoreError::UnknownKey { key_id },
            })
        })
    }

    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        self.with(|kept| Ok(kept.keys.iter().find(|key| key.id == *id).cloned()))
    }

    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        self.with(|kept| {
            let key = kept.keys.iter_mut().find(|key| key.id == *id);
            let key = key.ok_or_else(|| StoreError::UnknownKey { key_id: id.clone() })?;
            key.revoked_at_unix_ms.get_or_insert(revoked_at_unix_ms);
            Ok(key.clone())
        })
    }

    async fn note_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        self.with(|kept| {
            for (id, used_at_unix_ms) in &uses {
                if let Some(key) = kept.keys.iter_mut().find(|key| key.id == *id) {
                    key.last_used_at_unix_ms = key.last_used_at_unix_ms.max(Some(*used_at_unix_ms));
                }
            }
            Ok(())
        })
    }
}

#[async_trait]
impl LadderStore for MemoryStore {
    async fn ladders(&self) -> Result<LadderRows<StoredLadder>, StoreError> {
        self.with(|kept| Ok(kept.ladders.all()))
    }

    async fn ladder_versions(
        &self,
        id: &LadderId,
    ) -> Result<LadderRows<StoredLadderVersion>, StoreError> {
        self.with(|kept| Ok(kept.ladders.versions(id)))
    }

    async fn ladder_matches(
        &self,
        id: &LadderId,
        from: u64,
        limit: u32,
    ) -> Result<LadderRows<StoredLadderMatch>, StoreError> {
        self.with(|kept| Ok(kept.ladders.matches(id, from, limit)))
    }

    async fn ladder_match(
        &self,
        id: &LadderId,
        number: u64,
    ) -> Result<Option<StoredLadderMatch>, StoreError> {
        self.with(|kept| Ok(kept.ladders.get(id, number)))
    }
}
