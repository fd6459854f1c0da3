//! A store in memory, for servers without a data folder and for tests.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};

use crate::{
    DamageReport, DamagedKey, DamagedValue, FinishedCursor, FinishedMatch, FinishedPage, Key,
    KeyId, KeyName, KeyStore, KeysVersion, LadderId, LadderRows, LadderStore, MatchCounts, MatchId,
    NewKey, OpenMatch, OpenReport, Records, ReplayMetadata, Store, StoreError, StoredLadder,
    StoredLadderMatch, StoredLadderVersion, Write,
    batch::{self, MatchStatus},
    ladder_batch,
    limits::{MAX_KEYS, MAX_PAGE_MATCHES},
    memory_ladders::MemoryLadders,
    secrets::check_secret,
};

/// A [`Store`] in memory. The store's content is lost when the process ends.
#[derive(Debug)]
pub struct MemoryStore {
    /// `None` once the store is closed.
    state: Mutex<Option<State>>,
}

#[derive(Debug, Default)]
struct State {
    open: BTreeMap<i64, OpenMatch>,
    /// The key of each match in `open`.
    open_by_id: HashMap<MatchId, i64>,
    finished: BTreeMap<i64, Finished>,
    /// The key of each match in `finished`.
    finished_by_id: HashMap<MatchId, i64>,
    /// The number of times that a match was opened or finished. This counter provides the keys of
    /// `open` and `finished`.
    events: i64,
    finishes: i64,
    keys: Vec<Key>,
    secrets: HashMap<String, Vec<u8>>,
    records: BTreeMap<String, Vec<u8>>,
    ladders: MemoryLadders,
}

#[derive(Debug)]
struct Finished {
    record: FinishedMatch,
    /// The number of matches that had finished when this match finished, including this match.
    number: i64,
    /// `None` once the replay was deleted.
    replay: Option<Vec<u8>>,
    parties: BTreeSet<KeyName>,
}

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self {
            state: Mutex::new(Some(State::default())),
        }
    }

    fn with_state<T>(
        &self,
        work: impl FnOnce(&mut State) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        work(self.lock().as_mut().ok_or(StoreError::Closed)?)
    }

    fn lock(&self) -> MutexGuard<'_, Option<State>> {
        self.state.lock()
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl State {
    fn status(&self, id: &MatchId) -> MatchStatus {
        if let Some(open) = self.open_by_id.get(id).and_then(|key| self.open.get(key)) {
            return MatchStatus::InPlay {
                entries: open.journal.len() as u64,
            };
        }
        if self.finished_by_id.contains_key(id) {
            return MatchStatus::Finished;
        }
        MatchStatus::Unknown
    }

    /// Applies a write from a validated batch.
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
                    let record = FinishedMatch {
                        match_id,
                        opened_at_unix_ms: open.opened_at_unix_ms,
                        ended_at_unix_ms,
                        summary,
                    };
                    let finished = Finished {
                        record,
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
            Write::PutRecord { name, value } => {
                self.records.insert(name, value);
            }
            Write::RemoveRecord { name } => {
                self.records.remove(&name);
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
        self.with_state(|state| {
            let ladders = state.ladders.states(ladder_batch::ended_matches(&batch));
            batch::check(&batch, |id| state.status(id), ladders)?;
            for write in batch {
                state.apply(write);
            }
            Ok(())
        })
    }

    fn open_report(&self) -> OpenReport {
        OpenReport::default()
    }

    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError> {
        self.with_state(|state| {
            Ok(state
                .open
                .values()
                .map(|open| open.match_id.clone())
                .collect())
        })
    }

    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError> {
        self.with_state(|state| {
            let key = state.open_by_id.get(id);
            Ok(key.and_then(|key| state.open.get(key)).cloned())
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
        party: Option<&KeyName>,
    ) -> Result<FinishedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES) as usize;
        self.with_state(|state| {
            let end = after.map_or(i64::MAX, |cursor| cursor.0);
            let is_match =
                |finished: &Finished| party.is_none_or(|party| finished.parties.contains(party));
            let newest_first = state.finished.range(..end).rev();
            let mut rest = newest_first.filter(|(_, finished)| is_match(finished));
            let page: Vec<_> = rest.by_ref().take(limit).collect();
            let last = page.last().map(|(key, _)| FinishedCursor(**key));
            Ok(FinishedPage {
                matches: page
                    .iter()
                    .map(|(_, finished)| finished.record.clone())
                    .collect(),
                damaged: Vec::new(),
                next: last.filter(|_| rest.next().is_some()),
                unsettled: 0,
            })
        })
    }

    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError> {
        self.with_state(|state| {
            Ok(state
                .finished_entry(id)
                .map(|finished| finished.record.clone()))
        })
    }

    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError> {
        self.with_state(|state| {
            let finished = state.finished_entry(id);
            Ok(finished.is_some_and(|finished| finished.parties.contains(name)))
        })
    }

    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        self.with_state(|state| {
            let finished = state.finished_entry(id);
            let replay = finished.map(|finished| finished.replay.clone().ok_or(()));
            replay
                .transpose()
                .map_err(|()| StoreError::ReplayForgotten {
                    match_id: id.clone(),
                })
        })
    }

    async fn stored_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        skip_newest: u64,
    ) -> Result<Vec<ReplayMetadata>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES) as usize;
        self.with_state(|state| {
            let newest = state.finished.last_key_value();
            let newest = newest.map_or(0, |(_, finished)| finished.number);
            let last = newest.saturating_sub(i64::try_from(skip_newest).unwrap_or(i64::MAX));
            let from = after.map_or(i64::MIN, |cursor| cursor.0.saturating_add(1));
            let places = state
                .finished
                .iter()
                .map(|(place, finished)| (*place, finished));
            let stored_replay = |(place, finished): (i64, &Finished)| {
                let replay = finished
                    .replay
                    .as_ref()
                    .filter(|replay| !replay.is_empty())?;
                Some(ReplayMetadata {
                    match_id: finished.record.match_id.clone(),
                    ended_at_unix_ms: finished.record.ended_at_unix_ms,
                    bytes: replay.len() as u64,
                    cursor: FinishedCursor(place),
                })
            };
            let old = places.filter(|(place, finished)| *place >= from && finished.number <= last);
            Ok(old.filter_map(stored_replay).take(limit).collect())
        })
    }

    async fn match_counts(&self) -> Result<MatchCounts, StoreError> {
        self.with_state(|state| {
            Ok(MatchCounts {
                open: state.open.len() as u64,
                finished: state.finished.len() as u64,
            })
        })
    }

    async fn record(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.with_state(|state| Ok(state.records.get(name).cloned()))
    }

    async fn records(&self, prefix: &str) -> Result<Records, StoreError> {
        self.with_state(|state| {
            let from = state.records.range(prefix.to_owned()..);
            let matching = from.take_while(|(name, _)| name.starts_with(prefix));
            Ok(Records {
                intact: matching
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect(),
                damaged: Vec::new(),
            })
        })
    }

    async fn secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.with_state(|state| Ok(state.secrets.get(name).cloned()))
    }

    async fn get_or_insert_secret(
        &self,
        name: &str,
        value: Vec<u8>,
    ) -> Result<Vec<u8>, StoreError> {
        check_secret(name, &value)?;
        self.with_state(|state| {
            Ok(state
                .secrets
                .entry(name.to_owned())
                .or_insert(value)
                .clone())
        })
    }

    async fn remove_damaged_secrets(&self) -> Result<Vec<DamageReport>, StoreError> {
        self.with_state(|_| Ok(Vec::new()))
    }

    async fn close(&self) -> Result<(), StoreError> {
        *self.lock() = None;
        Ok(())
    }
}

#[async_trait]
impl KeyStore for MemoryStore {
    async fn add_key(&self, key: NewKey) -> Result<(), StoreError> {
        self.with_state(|state| {
            if let Some(other) = state.keys.iter().find(|other| other.id == key.id) {
                if other.is_result_of_adding(&key) {
                    return Ok(());
                }
                return Err(StoreError::KeyIdTaken { key_id: key.id });
            }
            let in_force = |other: &&Key| other.name == key.name && other.is_in_force();
            if let Some(other) = state.keys.iter().find(in_force) {
                return Err(StoreError::KeyNameTaken {
                    name: key.name,
                    key_id: other.id.clone(),
                });
            }
            if state.keys.iter().filter(|key| key.is_in_force()).count() >= MAX_KEYS {
                return Err(StoreError::TooManyKeys { limit: MAX_KEYS });
            }
            state.keys.push(key.into());
            Ok(())
        })
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        self.with_state(|state| {
            let mut keys = state.keys.clone();
            keys.sort_by(|a, b| (a.created_at_unix_ms, &a.id).cmp(&(b.created_at_unix_ms, &b.id)));
            Ok(keys)
        })
    }

    async fn keys_version(&self) -> Result<KeysVersion, StoreError> {
        self.with_state(|state| {
            let revoked = state.keys.iter().filter(|key| !key.is_in_force()).count();
            Ok(KeysVersion {
                total: state.keys.len() as u64,
                revoked: revoked as u64,
                // This store never removes a key.
                newest: state.keys.len() as u64,
            })
        })
    }

    async fn damaged_keys(&self) -> Result<Vec<DamagedKey>, StoreError> {
        self.with_state(|_| Ok(Vec::new()))
    }

    async fn remove_damaged_key(&self, id: &KeyId) -> Result<(), StoreError> {
        self.with_state(|state| {
            let key_id = id.clone();
            Err(if state.keys.iter().any(|key| key.id == *id) {
                StoreError::NotDamaged {
                    value: DamagedValue::Key(key_id),
                }
            } else {
                StoreError::UnknownKey { key_id }
            })
        })
    }

    async fn key(&self, id: &KeyId) -> Result<Option<Key>, StoreError> {
        self.with_state(|state| Ok(state.keys.iter().find(|key| key.id == *id).cloned()))
    }

    async fn revoke_key(&self, id: &KeyId, revoked_at_unix_ms: i64) -> Result<Key, StoreError> {
        self.with_state(|state| {
            let key = state.keys.iter_mut().find(|key| key.id == *id);
            let key = key.ok_or_else(|| StoreError::UnknownKey { key_id: id.clone() })?;
            key.revoked_at_unix_ms.get_or_insert(revoked_at_unix_ms);
            Ok(key.clone())
        })
    }

    async fn record_key_uses(&self, uses: Vec<(KeyId, i64)>) -> Result<(), StoreError> {
        self.with_state(|state| {
            for (id, used_at_unix_ms) in &uses {
                if let Some(key) = state.keys.iter_mut().find(|key| key.id == *id) {
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
        self.with_state(|state| Ok(state.ladders.all()))
    }

    async fn ladder_versions(
        &self,
        id: &LadderId,
    ) -> Result<LadderRows<StoredLadderVersion>, StoreError> {
        self.with_state(|state| Ok(state.ladders.versions(id)))
    }

    async fn ladder_matches(
        &self,
        id: &LadderId,
        from: u64,
        limit: u32,
    ) -> Result<LadderRows<StoredLadderMatch>, StoreError> {
        self.with_state(|state| Ok(state.ladders.matches(id, from, limit)))
    }

    async fn ladder_match(
        &self,
        id: &LadderId,
        number: u64,
    ) -> Result<Option<StoredLadderMatch>, StoreError> {
        self.with_state(|state| Ok(state.ladders.get(id, number)))
    }
}
