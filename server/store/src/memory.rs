//! A store in memory, for servers without a data folder and for tests.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    path::PathBuf,
};

use async_trait::async_trait;
use parking_lot::Mutex;

use crate::{
    FinishedCursor, FinishedMatch, FinishedPage, IndexKey, KeyName, ListedPage, MatchCounts,
    MatchId, OpenMatch, OpenReport, ReplayMetadata, Store, StoreError, Write,
    batch::{self, MatchStatus},
    ladder_batch::LadderLookup,
    limits::MAX_PAGE_MATCHES,
    named_rows::{
        NamedRow, NamedTable, QueryResults, RowChange, RowDecision, RowQuery, RowResult,
        RowSelection, RowStore, TableFingerprint,
    },
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
    finished: BTreeMap<i64, Finished>,
    /// The key of each match, in `open` or in `finished`.
    keys: BTreeMap<MatchId, i64>,
    /// The number of times that a match was opened or finished. This counter provides the keys.
    events: i64,
    finishes: i64,
    named: BTreeMap<NamedTable, NamedRows>,
}

/// A table of named rows.
#[derive(Debug, Default)]
struct NamedRows {
    rows: BTreeMap<String, Vec<u8>>,
    /// The number of changes so far.
    changes: u64,
}

#[derive(Debug)]
struct Finished {
    record: FinishedMatch,
    /// The number of matches that had finished when this match finished, including this match.
    number: i64,
    /// `None` once the replay was deleted.
    replay: Option<Vec<u8>>,
    keys: BTreeSet<IndexKey>,
}

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self {
            state: Mutex::new(Some(State::default())),
        }
    }

    fn with_state<T>(&self, work: impl FnOnce(&mut State) -> T) -> Result<T, StoreError> {
        match self.state.lock().as_mut() {
            Some(state) => Ok(work(state)),
            None => Err(StoreError::Closed),
        }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl State {
    fn open(&self, id: &MatchId) -> Option<&OpenMatch> {
        self.open.get(self.keys.get(id)?)
    }

    fn finished(&self, id: &MatchId) -> Option<&Finished> {
        self.finished.get(self.keys.get(id)?)
    }

    fn status(&self, id: &MatchId) -> MatchStatus {
        match self.open(id) {
            Some(open) => MatchStatus::InPlay {
                entries: open.journal.len() as u64,
            },
            None if self.keys.contains_key(id) => MatchStatus::Finished,
            None => MatchStatus::Unknown,
        }
    }

    /// Assigns the next key to a match.
    fn next_key(&mut self, id: &MatchId) -> i64 {
        self.events += 1;
        self.keys.insert(id.clone(), self.events);
        self.events
    }

    /// Applies a write from a validated batch.
    fn apply(&mut self, write: Write) {
        match write {
            Write::OpenMatch {
                match_id,
                opened_at_unix_ms,
                header,
            } => {
                let key = self.next_key(&match_id);
                let open = OpenMatch {
                    match_id,
                    opened_at_unix_ms,
                    header,
                    journal: Vec::new(),
                };
                self.open.insert(key, open);
            }
            Write::Append {
                match_id, entry, ..
            } => {
                let key = self.keys.get(&match_id);
                if let Some(open) = key.and_then(|key| self.open.get_mut(key)) {
                    open.journal.push(entry);
                }
            }
            Write::FinishMatch {
                match_id,
                ended_at_unix_ms,
                summary,
                replay,
                parties,
                index_keys,
            } => {
                let key = self.keys.get(&match_id);
                let Some(open) = key.and_then(|key| self.open.remove(key)) else {
                    return;
                };
                let key = self.next_key(&match_id);
                self.finishes += 1;
                let finished = Finished {
                    record: FinishedMatch {
                        match_id,
                        opened_at_unix_ms: open.opened_at_unix_ms,
                        ended_at_unix_ms,
                        summary,
                    },
                    number: self.finishes,
                    replay: Some(replay),
                    keys: parties
                        .iter()
                        .map(IndexKey::from)
                        .chain(index_keys)
                        .collect(),
                };
                self.finished.insert(key, finished);
            }
            Write::ForgetReplay { match_id } => {
                let key = self.keys.get(&match_id);
                if let Some(finished) = key.and_then(|key| self.finished.get_mut(key)) {
                    finished.replay = None;
                }
            }
            Write::DropMatch { match_id } => {
                if let Some(key) = self.keys.remove(&match_id) {
                    self.open.remove(&key);
                    self.finished.remove(&key);
                }
            }
            // The check of the batch has already returned the changes to these rows.
            Write::PutRecord { .. } | Write::RemoveRecord { .. } | Write::ChangeLadder { .. } => {}
        }
    }

    fn read_rows(&self, queries: &[RowQuery]) -> QueryResults {
        let read = |query: &RowQuery| match self.named.get(&query.table) {
            Some(table) => table.read(&query.selection),
            None => Vec::new(),
        };
        queries.iter().map(read).collect()
    }

    fn apply_to_rows(&mut self, changes: Vec<RowChange>) {
        for change in changes {
            let table = self.named.entry(change.table()).or_default();
            table.changes += 1;
            match change {
                RowChange::Put { name, value, .. } => _ = table.rows.insert(name, value),
                RowChange::Delete { name, .. } => _ = table.rows.remove(&name),
                RowChange::DeleteRange { range, .. } => {
                    table.rows.retain(|name, _| !range.contains(name));
                }
                RowChange::DeleteAll { .. } => table.rows.clear(),
                // No row in memory is damaged.
                RowChange::DeleteDamaged { .. } => {}
            }
        }
    }
}

impl NamedRows {
    fn read(&self, selection: &RowSelection) -> Vec<RowResult> {
        let row = |(name, value): (&String, &Vec<u8>)| {
            Ok(NamedRow {
                name: name.clone(),
                value: value.clone(),
            })
        };
        let rows = &self.rows;
        match selection {
            RowSelection::All => rows.iter().map(row).collect(),
            RowSelection::Named(names) => {
                let names = names.iter();
                names
                    .filter_map(|name| rows.get_key_value(name))
                    .map(row)
                    .collect()
            }
            RowSelection::First(range, limit) => {
                let from = rows.range(range.from.clone()..);
                let in_range = from.take_while(|(name, _)| range.contains(name));
                in_range.take(*limit as usize).map(row).collect()
            }
            RowSelection::Last(range) => {
                let last = match &range.before {
                    Some(before) => rows.range(..before.clone()).next_back(),
                    None => rows.last_key_value(),
                };
                let last = last.filter(|(name, _)| range.contains(name));
                last.into_iter().map(row).collect()
            }
        }
    }
}

impl RowStore for MemoryStore {
    async fn read_rows(&self, queries: Vec<RowQuery>) -> Result<QueryResults, StoreError> {
        self.with_state(|state| state.read_rows(&queries))
    }

    async fn table_fingerprint(&self, table: NamedTable) -> Result<TableFingerprint, StoreError> {
        self.with_state(|state| {
            let table = state.named.get(&table);
            TableFingerprint {
                rows: table.map_or(0, |table| table.rows.len() as u64),
                sum: table.map_or(0, |table| table.changes),
            }
        })
    }

    async fn update_rows<T: Send + 'static>(
        &self,
        queries: Vec<RowQuery>,
        decide: impl Fn(QueryResults, bool) -> RowDecision<T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        self.with_state(|state| {
            let (changes, value) = decide(state.read_rows(&queries), false)?;
            state.apply_to_rows(changes);
            Ok(value)
        })?
    }

    fn location(&self) -> PathBuf {
        "memory".into()
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        self.with_state(|state| {
            let ladders = LadderLookup::new(&batch);
            let found = state.read_rows(&ladders.queries());
            let rows = batch::check(&batch, |id| state.status(id), ladders.states(found))?;
            state.apply_to_rows(rows);
            for write in batch {
                state.apply(write);
            }
            Ok(())
        })?
    }

    fn open_report(&self) -> OpenReport {
        OpenReport::default()
    }

    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError> {
        self.with_state(|state| {
            let open = state.open.values();
            open.map(|open| open.match_id.clone()).collect()
        })
    }

    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError> {
        self.with_state(|state| state.open(id).cloned())
    }

    async fn open_match_header(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        self.with_state(|state| state.open(id).map(|open| open.header.clone()))
    }

    async fn finished(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
    ) -> Result<FinishedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES) as usize;
        self.with_state(|state| {
            let end = after.map_or(i64::MAX, |cursor| cursor.0);
            let mut rest = state.finished.range(..end).rev();
            let page: Vec<_> = rest.by_ref().take(limit).collect();
            let last = page.last().map(|(key, _)| FinishedCursor(**key));
            let matches = page.iter().map(|(_, finished)| finished.record.clone());
            FinishedPage {
                matches: matches.collect(),
                damaged: Vec::new(),
                next: last.filter(|_| rest.next().is_some()),
                unsettled: 0,
            }
        })
    }

    async fn list(
        &self,
        before: Option<&MatchId>,
        limit: u32,
        keys: &[IndexKey],
    ) -> Result<ListedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES) as usize;
        self.with_state(|state| {
            let end = before.map_or(Bound::Unbounded, Bound::Excluded);
            let older = state.keys.range((Bound::Unbounded, end)).rev();
            let is_match =
                |finished: &&Finished| keys.iter().all(|key| finished.keys.contains(key));
            let ended = older.filter_map(|(_, key)| state.finished.get(key));
            let mut rest = ended.filter(is_match).map(|finished| &finished.record);
            let matches: Vec<_> = rest.by_ref().take(limit).cloned().collect();
            let last = matches.last().filter(|_| rest.next().is_some());
            ListedPage {
                next: last.map(|last| last.match_id.clone()),
                matches,
                damaged: Vec::new(),
            }
        })
    }

    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError> {
        self.with_state(|state| Some(state.finished(id)?.record.clone()))
    }

    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError> {
        self.with_state(|state| {
            let finished = state.finished(id);
            finished.is_some_and(|finished| finished.keys.contains(&name.into()))
        })
    }

    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        let replay = self.with_state(|state| Some(state.finished(id)?.replay.clone()))?;
        let match_id = id.clone();
        match replay {
            Some(None) => Err(StoreError::ReplayForgotten { match_id }),
            replay => Ok(replay.flatten()),
        }
    }

    async fn stored_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        skip_newest: u64,
    ) -> Result<Vec<ReplayMetadata>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES) as usize;
        self.with_state(|state| {
            let from = after.map_or(i64::MIN, |cursor| cursor.0.saturating_add(1));
            let newest = state.finished.values().next_back();
            let newest = newest.map_or(0, |finished| finished.number);
            let last = newest.saturating_sub(i64::try_from(skip_newest).unwrap_or(i64::MAX));
            let old = state.finished.range(from..);
            let old = old.filter(|(_, finished)| finished.number <= last);
            let stored_replay = |(key, finished): (&i64, &Finished)| {
                let bytes = finished.replay.as_ref()?.len() as u64;
                (bytes > 0).then(|| ReplayMetadata {
                    match_id: finished.record.match_id.clone(),
                    ended_at_unix_ms: finished.record.ended_at_unix_ms,
                    bytes,
                    cursor: FinishedCursor(*key),
                })
            };
            old.filter_map(stored_replay).take(limit).collect()
        })
    }

    async fn match_counts(&self) -> Result<MatchCounts, StoreError> {
        self.with_state(|state| MatchCounts {
            open: state.open.len() as u64,
            finished: state.finished.len() as u64,
        })
    }

    async fn close(&self) -> Result<(), StoreError> {
        *self.state.lock() = None;
        Ok(())
    }
}
