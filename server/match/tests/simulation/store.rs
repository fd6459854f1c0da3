//! A store in virtual time. Writes take a while, and a crash loses unfinished ones.

use bridgemaster_match::{Entries, StoredEntry};
use bridgemaster_referee::Time;

use crate::oracle::{Violation, require};

/// The stored data of one match.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) header: Vec<u8>,
    /// Stored entries, followed by pending ones.
    entries: Vec<Vec<u8>>,
    stored: usize,
    stored_at: Time,
    /// The number of entries that are being stored, if any.
    storing: Option<usize>,
    /// The number of entries up to the one that ends the match.
    end: Option<usize>,
}

impl Store {
    pub(crate) fn new(header: Vec<u8>) -> Self {
        Self { header, ..Self::default() }
    }

    pub(crate) fn queue(&mut self, entry: StoredEntry) -> Result<(), Violation> {
        require!(
            entry.number == self.entries.len() as u64 && self.end.is_none(),
            "entry {} after {} entries",
            entry.number,
            self.entries.len()
        );
        self.entries.push(entry.bytes);
        if entry.finish.is_some() {
            self.end = Some(self.entries.len());
        }
        Ok(())
    }

    /// The number of entries, stored or not.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number of stored entries, and the time of the last write.
    pub(crate) fn stored(&self) -> (Entries, Time) {
        (Entries(self.stored as u64), self.stored_at)
    }

    /// Starts storing pending entries, unless that is in progress. Returns the number of entries
    /// afterwards.
    pub(crate) fn begin_store(&mut self) -> Option<usize> {
        let is_needed = self.storing.is_none() && self.stored < self.entries.len();
        is_needed.then(|| *self.storing.insert(self.entries.len()))
    }

    pub(crate) fn finish_store(&mut self, count: usize, now: Time) {
        self.storing = None;
        (self.stored, self.stored_at) = (count, now);
    }

    /// Returns whether the end of the match is stored.
    pub(crate) fn is_complete(&self) -> bool {
        self.end.is_some_and(|entries| entries <= self.stored)
    }

    /// Drops all unstored entries, and possibly some stored ones.
    pub(crate) fn lose_all_but(&mut self, retained: usize) {
        self.stored = self.stored.min(retained);
        self.entries.truncate(self.stored);
        self.storing = None;
        self.end = None;
    }

    /// The remaining journal.
    pub(crate) fn entries(&self) -> &[Vec<u8>] {
        &self.entries
    }
}
