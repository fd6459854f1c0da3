//! A store over any storage of ordered keys and values, such as maps in memory.

mod storage;
mod tables;

use std::{collections::HashMap, path::PathBuf};

use async_trait::async_trait;
use parking_lot::Mutex;
use prost::Message;

use crate::{
    FinishedCursor, FinishedMatch, FinishedPage, IndexKey, KeyName, ListedPage, MatchCounts,
    MatchId, OpenMatch, OpenReport, ReplayMetadata, Store, StoreError, Write,
    batch::{self, MatchStatus},
    ladder_batch::LadderLookup,
    limits::MAX_PAGE_MATCHES,
    named_rows::{NamedTable, QueryResults, RowDecision, RowQuery, RowStore, TableFingerprint},
};
pub use storage::{Entry, KeyRange, KeyValue};
use tables::{
    FINISHED, INDEX, JOURNAL, MatchRow, OPEN, OpenRow, REPLAY, Tables, cursor_of, index_entry,
    number_of,
};

/// A [`Store`] in a [`KeyValue`] storage.
#[derive(Debug)]
pub struct KeyValueStore<S> {
    location: PathBuf,
    /// `None` once the store is closed.
    storage: Mutex<Option<Tables<S>>>,
}

impl<S: KeyValue> KeyValueStore<S> {
    /// Opens the store in a storage, which can be empty.
    pub fn open(storage: S) -> Self {
        Self { location: storage.location(), storage: Mutex::new(Some(Tables(storage))) }
    }

    fn read<T>(
        &self,
        work: impl FnOnce(&Tables<S>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        work(self.storage.lock().as_ref().ok_or(StoreError::Closed)?)
    }

    fn write<T>(
        &self,
        work: impl FnOnce(&mut Tables<S>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut storage = self.storage.lock();
        let tables = storage.as_mut().ok_or(StoreError::Closed)?;
        tables.0.begin()?;
        match work(tables) {
            Ok(value) => tables.0.commit().map(|()| value),
            Err(error) => {
                tables.0.roll_back();
                Err(error)
            }
        }
    }
}

impl<S: KeyValue> RowStore for KeyValueStore<S> {
    async fn read_rows(&self, queries: Vec<RowQuery>) -> Result<QueryResults, StoreError> {
        self.read(|tables| tables.read_rows(&queries))
    }

    async fn table_fingerprint(&self, table: NamedTable) -> Result<TableFingerprint, StoreError> {
        self.read(|tables| {
            let sum = tables.counter(table.sql_name().as_bytes())?;
            Ok(TableFingerprint { rows: 0, sum })
        })
    }

    async fn update_rows<T: Send + 'static>(
        &self,
        queries: Vec<RowQuery>,
        decide: impl Fn(QueryResults, bool) -> RowDecision<T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        self.write(|tables| {
            let (changes, value) = decide(tables.read_rows(&queries)?, false)?;
            tables.apply_to_rows(changes)?;
            Ok(value)
        })
    }

    fn location(&self) -> PathBuf {
        self.location.clone()
    }
}

#[async_trait]
impl<S: KeyValue> Store for KeyValueStore<S> {
    async fn commit(&self, batch: Vec<Write>) -> Result<(), StoreError> {
        self.write(|tables| {
            let ladders = LadderLookup::new(&batch);
            let found = tables.read_rows(&ladders.queries())?;
            let mut statuses = HashMap::new();
            for id in batch.iter().filter_map(Write::match_id) {
                let status = match tables.row(id)? {
                    Some(row) if row.is_finished => MatchStatus::Finished,
                    Some(MatchRow { entries, .. }) => MatchStatus::InPlay { entries },
                    None => MatchStatus::Unknown,
                };
                statuses.insert(id, status);
            }
            let rows = batch::check(&batch, |id| statuses[id], ladders.states(found))?;
            drop(statuses);
            tables.apply_to_rows(rows)?;
            batch.into_iter().try_for_each(|write| tables.apply(write))
        })
    }

    fn open_report(&self) -> OpenReport {
        OpenReport::default()
    }

    async fn open_match_ids(&self) -> Result<Vec<MatchId>, StoreError> {
        self.read(|tables| {
            let corrupt = || tables.corrupt(OPEN);
            let id = |(_, value): Entry| {
                let row = OpenRow::decode(&*value).map_err(|_| corrupt())?;
                MatchId::new(row.match_id).map_err(|_| corrupt())
            };
            let open = tables.0.scan(OPEN, &KeyRange::all())?;
            open.into_iter().map(id).collect()
        })
    }

    async fn open_match(&self, id: &MatchId) -> Result<Option<OpenMatch>, StoreError> {
        self.read(|tables| {
            let Some(row) = tables.in_play(id)? else {
                return Ok(None);
            };
            let open = tables.open_row(row.number)?;
            let range = KeyRange {
                before: Some((row.number + 1).to_be_bytes().to_vec()),
                from: row.number.to_be_bytes().to_vec(),
                ..KeyRange::all()
            };
            let entries = tables.0.scan(JOURNAL, &range)?;
            Ok(Some(OpenMatch {
                match_id: id.clone(),
                opened_at_unix_ms: open.opened_at_unix_ms,
                header: open.header,
                journal: entries.into_iter().map(|(_, entry)| entry).collect(),
            }))
        })
    }

    async fn open_match_header(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|tables| {
            let row = tables.in_play(id)?;
            row.map(|row| Ok(tables.open_row(row.number)?.header)).transpose()
        })
    }

    async fn finished(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
    ) -> Result<FinishedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES) as usize;
        let before = after.map_or(u64::MAX, |cursor| cursor.0.cast_unsigned());
        self.read(|tables| {
            // One extra row shows whether there is a next page.
            let mut found = tables.find_finished(before, limit + 1)?;
            let has_more = found.len() > limit;
            found.truncate(limit);
            let matches = found.iter().map(|key| Ok(tables.finished(key)?.0));
            Ok(FinishedPage {
                matches: matches.collect::<Result<_, StoreError>>()?,
                damaged: Vec::new(),
                next: found.last().filter(|_| has_more).map(|last| cursor_of(last)),
                unsettled: 0,
            })
        })
    }

    async fn list(
        &self,
        before: Option<&MatchId>,
        limit: u32,
        keys: &[IndexKey],
    ) -> Result<ListedPage, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES) as usize;
        self.read(|tables| tables.list(before, limit, keys))
    }

    async fn finished_match(&self, id: &MatchId) -> Result<Option<FinishedMatch>, StoreError> {
        self.read(|tables| {
            let row = tables.ended(id)?;
            row.map(|row| Ok(tables.finished(&row.number.to_be_bytes())?.0)).transpose()
        })
    }

    async fn is_party(&self, id: &MatchId, name: &KeyName) -> Result<bool, StoreError> {
        self.read(|tables| {
            let entry = index_entry(name.as_str(), id.as_str());
            Ok(tables.0.get(INDEX, &entry)?.is_some())
        })
    }

    async fn replay(&self, id: &MatchId) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|tables| {
            let Some(row) = tables.ended(id)? else {
                return Ok(None);
            };
            let replay = tables.0.get(REPLAY, &row.number.to_be_bytes())?;
            let match_id = id.clone();
            replay.map(Some).ok_or(StoreError::ReplayForgotten { match_id })
        })
    }

    async fn stored_replays(
        &self,
        after: Option<FinishedCursor>,
        limit: u32,
        skip_newest: u64,
    ) -> Result<Vec<ReplayMetadata>, StoreError> {
        let limit = limit.clamp(1, MAX_PAGE_MATCHES) as usize;
        self.read(|tables| {
            let newest = tables.find_finished(u64::MAX, 1)?;
            let newest = newest.first().map_or(0, |key| number_of(key));
            let last = newest.saturating_sub(skip_newest);
            let mut from = after.map_or(0, |cursor| cursor.0.cast_unsigned() + 1);
            let mut replays = Vec::new();
            while replays.len() < limit {
                let range = KeyRange {
                    from: from.to_be_bytes().to_vec(),
                    before: Some((last + 1).to_be_bytes().to_vec()),
                    limit: 1,
                    ..KeyRange::all()
                };
                let Some((key, replay)) = tables.0.scan(REPLAY, &range)?.pop() else {
                    break;
                };
                from = number_of(&key) + 1;
                if replay.is_empty() {
                    continue;
                }
                let (finished, _) = tables.finished(&key)?;
                replays.push(ReplayMetadata {
                    match_id: finished.match_id,
                    ended_at_unix_ms: finished.ended_at_unix_ms,
                    bytes: replay.len() as u64,
                    cursor: cursor_of(&key),
                });
            }
            Ok(replays)
        })
    }

    async fn match_counts(&self) -> Result<MatchCounts, StoreError> {
        self.read(|tables| {
            let count = |table| Ok(tables.0.scan(table, &KeyRange::all())?.len() as u64);
            Ok(MatchCounts { open: count(OPEN)?, finished: count(FINISHED)? })
        })
    }

    async fn close(&self) -> Result<(), StoreError> {
        *self.storage.lock() = None;
        Ok(())
    }
}
