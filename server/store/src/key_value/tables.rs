//! The tables of a store in a [`KeyValue`] storage.

use prost::Message;

use super::storage::{Entry, KeyRange, KeyValue};
use crate::{
    FinishedCursor, FinishedMatch, IndexKey, ListedPage, MatchId, StoreError, Write,
    limits::MAX_SCANNED_ENTRIES,
    named_rows::{NamedRow, QueryResults, RowChange, RowQuery, RowResult, RowSelection},
};

/// The keys of matches: a match in play has a row in `OPEN` and its entries in `JOURNAL`, under a
/// number that is assigned when it is opened. A finished match has rows in `FINISHED` and `REPLAY`,
/// under a number that is assigned when it finishes.
const MATCH: &str = "match";
pub(super) const OPEN: &str = "open_match";
pub(super) const JOURNAL: &str = "journal";
pub(super) const FINISHED: &str = "finished_match";
/// Without a row, the replay was deleted.
pub(super) const REPLAY: &str = "replay";
/// An index key, a zero byte, and the identifier of a finished match.
pub(super) const INDEX: &str = "finished_index";
/// Counters by name. Those with the name of a table count its changes.
const COUNTER: &str = "counter";
const OPENED: &[u8] = b"opened";
const FINISHES: &[u8] = b"finishes";

/// The row of a match in `MATCH`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MatchRow {
    #[prost(bool, tag = "1")]
    pub(super) is_finished: bool,
    #[prost(uint64, tag = "2")]
    pub(super) number: u64,
    /// The number of journal entries.
    #[prost(uint64, tag = "3")]
    pub(super) entries: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OpenRow {
    #[prost(string, tag = "1")]
    pub(super) match_id: String,
    #[prost(sint64, tag = "2")]
    pub(super) opened_at_unix_ms: i64,
    #[prost(bytes = "vec", tag = "3")]
    pub(super) header: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct FinishedRow {
    #[prost(string, tag = "1")]
    match_id: String,
    #[prost(sint64, tag = "2")]
    opened_at_unix_ms: i64,
    #[prost(sint64, tag = "3")]
    ended_at_unix_ms: i64,
    #[prost(bytes = "vec", tag = "4")]
    summary: Vec<u8>,
    #[prost(string, repeated, tag = "5")]
    index_keys: Vec<String>,
}

/// The tables of a store.
#[derive(Debug)]
pub(super) struct Tables<S>(pub(super) S);

impl<S: KeyValue> Tables<S> {
    /// Returns the error for a row that cannot be decoded. A storage checks its own values.
    pub(super) fn corrupt(&self, table: &str) -> StoreError {
        StoreError::Corrupt {
            path: self.0.location(),
            detail: format!("a row of {table} cannot be decoded"),
        }
    }

    fn get<M: Message + Default>(&self, table: &str, key: &[u8]) -> Result<Option<M>, StoreError> {
        let value = self.0.get(table, key)?;
        let row = value.map(|value| M::decode(&*value)).transpose();
        row.map_err(|_| self.corrupt(table))
    }

    pub(super) fn counter(&self, name: &[u8]) -> Result<u64, StoreError> {
        Ok(self.get(COUNTER, name)?.unwrap_or_default())
    }

    fn increment(&mut self, name: &[u8]) -> Result<u64, StoreError> {
        let next = self.counter(name)? + 1;
        self.0.put(COUNTER, name, &next.encode_to_vec())?;
        Ok(next)
    }

    pub(super) fn row(&self, id: &MatchId) -> Result<Option<MatchRow>, StoreError> {
        self.get(MATCH, id.as_str().as_bytes())
    }

    /// Returns the row of a match in play.
    pub(super) fn in_play(&self, id: &MatchId) -> Result<Option<MatchRow>, StoreError> {
        Ok(self.row(id)?.filter(|row| !row.is_finished))
    }

    /// Returns the row of a finished match.
    pub(super) fn ended(&self, id: &MatchId) -> Result<Option<MatchRow>, StoreError> {
        Ok(self.row(id)?.filter(|row| row.is_finished))
    }

    fn put_row(&mut self, id: &MatchId, row: &MatchRow) -> Result<(), StoreError> {
        let key = id.as_str().as_bytes();
        self.0.put(MATCH, key, &row.encode_to_vec())
    }

    pub(super) fn open_row(&self, number: u64) -> Result<OpenRow, StoreError> {
        let row = self.get(OPEN, &number.to_be_bytes())?;
        row.ok_or_else(|| self.corrupt(OPEN))
    }

    pub(super) fn finished(&self, key: &[u8]) -> Result<(FinishedMatch, Vec<String>), StoreError> {
        let row: Option<FinishedRow> = self.get(FINISHED, key)?;
        let corrupt = || self.corrupt(FINISHED);
        let row = row.ok_or_else(corrupt)?;
        let finished = FinishedMatch {
            match_id: MatchId::new(row.match_id).map_err(|_| corrupt())?,
            opened_at_unix_ms: row.opened_at_unix_ms,
            ended_at_unix_ms: row.ended_at_unix_ms,
            summary: row.summary,
        };
        Ok((finished, row.index_keys))
    }

    /// Applies a write from a validated batch.
    pub(super) fn apply(&mut self, write: Write) -> Result<(), StoreError> {
        match write {
            Write::OpenMatch { match_id, opened_at_unix_ms, header } => {
                let number = self.increment(OPENED)?;
                let open = OpenRow { match_id: match_id.to_string(), opened_at_unix_ms, header };
                self.0.put(OPEN, &number.to_be_bytes(), &open.encode_to_vec())?;
                let row = MatchRow { number, ..MatchRow::default() };
                self.put_row(&match_id, &row)
            }
            Write::Append { match_id, entry, .. } => {
                let Some(mut row) = self.in_play(&match_id)? else {
                    return Ok(());
                };
                let key = [row.number.to_be_bytes(), row.entries.to_be_bytes()].concat();
                self.0.put(JOURNAL, &key, &entry)?;
                row.entries += 1;
                self.put_row(&match_id, &row)
            }
            Write::FinishMatch {
                match_id,
                ended_at_unix_ms,
                summary,
                replay,
                parties,
                index_keys,
            } => {
                let Some(row) = self.in_play(&match_id)? else {
                    return Ok(());
                };
                let open = self.open_row(row.number)?;
                self.delete_open(&row)?;
                let keys = parties.iter().map(IndexKey::from).chain(index_keys);
                let mut finished = FinishedRow {
                    match_id: open.match_id,
                    opened_at_unix_ms: open.opened_at_unix_ms,
                    ended_at_unix_ms,
                    summary,
                    index_keys: keys.map(|key| key.as_str().to_owned()).collect(),
                };
                finished.index_keys.sort();
                finished.index_keys.dedup();
                let number = self.increment(FINISHES)?;
                let key = number.to_be_bytes();
                for name in &finished.index_keys {
                    self.0.put(INDEX, &index_entry(name, match_id.as_str()), &[])?;
                }
                self.0.put(FINISHED, &key, &finished.encode_to_vec())?;
                self.0.put(REPLAY, &key, &replay)?;
                let row = MatchRow { is_finished: true, number, entries: 0 };
                self.put_row(&match_id, &row)
            }
            Write::ForgetReplay { match_id } => match self.ended(&match_id)? {
                Some(row) => self.0.delete(REPLAY, &row.number.to_be_bytes()),
                None => Ok(()),
            },
            Write::DropMatch { match_id } => self.drop_match(&match_id),
            // The check of the batch has returned their changes.
            Write::PutRecord { .. } | Write::RemoveRecord { .. } | Write::ChangeLadder { .. } => {
                Ok(())
            }
        }
    }

    fn delete_open(&mut self, row: &MatchRow) -> Result<(), StoreError> {
        let key = row.number.to_be_bytes();
        self.0.delete(OPEN, &key)?;
        for entry in 0..row.entries {
            self.0.delete(JOURNAL, &[key, entry.to_be_bytes()].concat())?;
        }
        Ok(())
    }

    fn drop_match(&mut self, id: &MatchId) -> Result<(), StoreError> {
        let Some(row) = self.row(id)? else {
            return Ok(());
        };
        if row.is_finished {
            let key = row.number.to_be_bytes();
            let (_, names) = self.finished(&key)?;
            for name in names {
                self.0.delete(INDEX, &index_entry(&name, id.as_str()))?;
            }
            self.0.delete(FINISHED, &key)?;
            self.0.delete(REPLAY, &key)?;
        } else {
            self.delete_open(&row)?;
        }
        self.0.delete(MATCH, id.as_str().as_bytes())
    }

    pub(super) fn read_rows(&self, queries: &[RowQuery]) -> Result<QueryResults, StoreError> {
        let read = |query: &RowQuery| -> Result<Vec<RowResult>, StoreError> {
            let RowQuery { table, selection } = query;
            let name = table.sql_name();
            let entries = match selection {
                RowSelection::All => self.0.scan(name, &KeyRange::all())?,
                RowSelection::Named(names) => {
                    let mut named = Vec::new();
                    for key in names {
                        let value = self.0.get(name, key.as_bytes())?;
                        named.extend(value.map(|value| (key.clone().into_bytes(), value)));
                    }
                    named
                }
                RowSelection::First(range, limit) => {
                    let limit = *limit as usize;
                    let range = KeyRange { limit, ..KeyRange::of_names(range) };
                    self.0.scan(name, &range)?
                }
                RowSelection::Last(range) => {
                    let range = KeyRange::of_names(range).descending(1);
                    self.0.scan(name, &range)?
                }
            };
            let row = |(key, value): Entry| -> Result<RowResult, StoreError> {
                let name = String::from_utf8(key).map_err(|_| self.corrupt(name))?;
                Ok(Ok(NamedRow { name, value }))
            };
            entries.into_iter().map(row).collect()
        };
        queries.iter().map(read).collect()
    }

    pub(super) fn apply_to_rows(&mut self, changes: Vec<RowChange>) -> Result<(), StoreError> {
        for change in changes {
            let table = change.table().sql_name();
            self.increment(table.as_bytes())?;
            let deleted = match change {
                RowChange::Put { name, value, .. } => {
                    self.0.put(table, name.as_bytes(), &value)?;
                    Vec::new()
                }
                RowChange::Delete { name, .. } => vec![(name.into_bytes(), Vec::new())],
                RowChange::DeleteRange { range, .. } => {
                    self.0.scan(table, &KeyRange::of_names(&range))?
                }
                RowChange::DeleteAll { .. } => self.0.scan(table, &KeyRange::all())?,
                // A row whose name is not text is reported as an error of the storage.
                RowChange::DeleteDamaged { name, .. } => vec![(name, Vec::new())],
            };
            for (key, _) in deleted {
                self.0.delete(table, &key)?;
            }
        }
        Ok(())
    }

    /// Returns the keys in `FINISHED` of the newest `limit` matches below `before`.
    pub(super) fn find_finished(
        &self,
        before: u64,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let range = KeyRange { before: Some(before.to_be_bytes().to_vec()), ..KeyRange::all() };
        let entries = self.0.scan(FINISHED, &range.descending(limit))?;
        Ok(entries.into_iter().map(|(key, _)| key).collect())
    }

    /// Returns a page of the list of the finished matches with all of `keys`. Reads at most about
    /// [`MAX_SCANNED_ENTRIES`] entries of the first key, or of all matches.
    pub(super) fn list(
        &self,
        before: Option<&MatchId>,
        limit: usize,
        keys: &[IndexKey],
    ) -> Result<ListedPage, StoreError> {
        let (table, prefix) = match keys.first() {
            Some(first) => (INDEX, index_entry(first.as_str(), "")),
            None => (MATCH, Vec::new()),
        };
        // One extra match shows whether there is a next page.
        let mut range = KeyRange::with_prefix(&prefix).descending(limit + 1);
        if let Some(id) = before {
            range.before = Some([&prefix, id.as_str().as_bytes()].concat());
        }
        let mut page = ListedPage { matches: Vec::new(), damaged: Vec::new(), next: None };
        let (mut scanned, mut lowest) = (0, None);
        while scanned < MAX_SCANNED_ENTRIES as usize {
            let entries = self.0.scan(table, &range)?;
            let Some((last, _)) = entries.last() else {
                return Ok(page);
            };
            range.before = Some(last.clone());
            scanned += entries.len();
            for (entry, _) in entries {
                let id = str::from_utf8(&entry[prefix.len()..]).unwrap_or_default();
                let id = MatchId::new(id).map_err(|_| self.corrupt(table))?;
                if let Some(finished) = self.find_with_keys(&id, keys)? {
                    if page.matches.len() == limit {
                        page.next = page.matches.last().map(|last| last.match_id.clone());
                        return Ok(page);
                    }
                    page.matches.push(finished);
                }
                lowest = Some(id);
            }
        }
        page.next = lowest;
        Ok(page)
    }

    /// Returns a match if it has finished and has all of these index keys.
    fn find_with_keys(
        &self,
        id: &MatchId,
        keys: &[IndexKey],
    ) -> Result<Option<FinishedMatch>, StoreError> {
        for key in keys {
            let entry = index_entry(key.as_str(), id.as_str());
            if self.0.get(INDEX, &entry)?.is_none() {
                return Ok(None);
            }
        }
        let row = self.ended(id)?;
        row.map(|row| Ok(self.finished(&row.number.to_be_bytes())?.0)).transpose()
    }
}

/// Returns the key in `INDEX` of a match with an index key. Neither contains a zero byte.
pub(super) fn index_entry(key: &str, id: &str) -> Vec<u8> {
    [key.as_bytes(), &[0], id.as_bytes()].concat()
}

pub(super) fn number_of(key: &[u8]) -> u64 {
    key.try_into().map_or(0, u64::from_be_bytes)
}

pub(super) fn cursor_of(key: &[u8]) -> FinishedCursor {
    FinishedCursor(number_of(key).cast_signed())
}
