//! The storage of ordered keys and values that a store needs.

use std::path::PathBuf;

use crate::{StoreError, named_rows::NameRange};

/// A key with its value.
pub type Entry = (Vec<u8>, Vec<u8>);

/// A storage of tables, each of which maps keys to values. Keys are compared byte by byte. Calls
/// come from one thread at a time.
///
/// An implementation is a whole [`Store`](crate::Store), as
/// [`KeyValueStore`](crate::KeyValueStore).
pub trait KeyValue: Send + 'static {
    /// Returns a path or address, for errors.
    fn location(&self) -> PathBuf;

    /// Returns a value. During a transaction, returns it with the changes so far.
    ///
    /// # Errors
    /// A storage failure.
    fn get(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns the first entries of a range, or the last ones, last first. During a transaction,
    /// returns them with the changes so far.
    ///
    /// # Errors
    /// A storage failure.
    fn scan(&self, table: &str, range: &KeyRange) -> Result<Vec<Entry>, StoreError>;

    /// Begins a transaction, of which either all changes are stored or none.
    ///
    /// # Errors
    /// A storage failure.
    fn begin(&mut self) -> Result<(), StoreError>;

    /// Inserts or replaces a value. Requires an open transaction.
    ///
    /// # Errors
    /// A storage failure.
    fn put(&mut self, table: &str, key: &[u8], value: &[u8]) -> Result<(), StoreError>;

    /// Deletes a key, if it exists. Requires an open transaction.
    ///
    /// # Errors
    /// A storage failure.
    fn delete(&mut self, table: &str, key: &[u8]) -> Result<(), StoreError>;

    /// Makes the changes of the transaction durable.
    ///
    /// # Errors
    /// A storage failure. The transaction is then over, and its outcome is unknown.
    fn commit(&mut self) -> Result<(), StoreError>;

    /// Discards the transaction. A refused write is found before the first change, so only a
    /// storage failure leads to a transaction with changes that are discarded.
    fn roll_back(&mut self);
}

/// A range of keys to scan.
#[derive(Clone, Debug)]
pub struct KeyRange {
    /// The lowest key.
    pub from: Vec<u8>,
    /// The first key after the range; `None` if all following keys are in the range.
    pub before: Option<Vec<u8>>,
    /// True to begin with the last key.
    pub is_descending: bool,
    /// The maximum number of entries.
    pub limit: usize,
}

impl KeyRange {
    /// Returns the range of all keys.
    pub(super) fn all() -> Self {
        Self { from: Vec::new(), before: None, is_descending: false, limit: usize::MAX }
    }

    /// Returns the range of the keys with a prefix, which is empty or does not end with `0xff`.
    pub(super) fn with_prefix(prefix: &[u8]) -> Self {
        let mut before = prefix.to_vec();
        if let Some(last) = before.last_mut() {
            *last += 1;
        }
        Self {
            from: prefix.to_vec(),
            before: (!before.is_empty()).then_some(before),
            ..Self::all()
        }
    }

    pub(super) fn of_names(range: &NameRange) -> Self {
        Self {
            from: range.from.clone().into_bytes(),
            before: range.before.clone().map(String::into_bytes),
            ..Self::all()
        }
    }

    pub(super) fn descending(self, limit: usize) -> Self {
        Self { is_descending: true, limit, ..self }
    }
}
