//! A store in memory, for servers without a data folder and for tests.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Bound,
    path::PathBuf,
};

use crate::{
    KeyValueStore, StoreError,
    key_value::{Entry, KeyRange, KeyValue},
};

/// A [`Store`](crate::Store) in memory. The store's content is lost when the process ends.
pub type MemoryStore = KeyValueStore<Memory>;

/// Tables in memory.
#[derive(Debug, Default)]
pub struct Memory(HashMap<String, BTreeMap<Vec<u8>, Vec<u8>>>);

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::open(Memory::default())
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl KeyValue for Memory {
    fn location(&self) -> PathBuf {
        "memory".into()
    }

    fn get(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.get(table).and_then(|rows| rows.get(key)).cloned())
    }

    fn scan(&self, table: &str, range: &KeyRange) -> Result<Vec<Entry>, StoreError> {
        let Some(rows) = self.0.get(table) else {
            return Ok(Vec::new());
        };
        let from = Bound::Included(&*range.from);
        let before = range.before.as_deref();
        if before.is_some_and(|before| before <= &*range.from) {
            return Ok(Vec::new());
        }
        let before = before.map_or(Bound::Unbounded, Bound::Excluded);
        let rows = rows.range::<[u8], _>((from, before));
        let owned = |(key, value): (&Vec<u8>, &Vec<u8>)| (key.clone(), value.clone());
        Ok(if range.is_descending {
            rows.rev().take(range.limit).map(owned).collect()
        } else {
            rows.take(range.limit).map(owned).collect()
        })
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn put(&mut self, table: &str, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        if !self.0.contains_key(table) {
            self.0.insert(table.to_owned(), BTreeMap::new());
        }
        if let Some(rows) = self.0.get_mut(table) {
            rows.insert(key.to_vec(), value.to_vec());
        }
        Ok(())
    }

    fn delete(&mut self, table: &str, key: &[u8]) -> Result<(), StoreError> {
        if let Some(rows) = self.0.get_mut(table) {
            rows.remove(key);
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn roll_back(&mut self) {
        // No change in memory fails, so there is none to discard.
    }
}
