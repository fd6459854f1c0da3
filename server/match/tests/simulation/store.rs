//! A store in virtual time: it takes a while, and a crash loses what it was not done with.

use std::sync::Arc;

use bridgemaster_match::{Entries, Finish, StoredEntry};
use bridgemaster_referee::Time;

use crate::oracle::{Violation, demand};

/// What is kept of one match.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) header: Vec<u8>,
    /// Those that are stored, and after them those that are not yet.
    entries: Vec<Vec<u8>>,
    stored: usize,
    stored_at: Time,
    /// As many are being stored now, if any are.
    storing: Option<usize>,
    /// The match ended with so many, and with this.
    end: Option<(usize, Arc<Finish>)>,
}

impl Store {
    pub(crate) fn new(header: Vec<u8>) -> Self {
        Self {
            header,
            ..Self::default()
        }
    }

    /// A journal that is stored already.
    pub(crate) fn with(header: Vec<u8>, entries: Vec<Vec<u8>>) -> Self {
        Self {
            stored: entries.len(),
            header,
            entries,
            ..Self::default()
        }
    }

    pub(crate) fn queue(&mut self, entry: StoredEntry) -> Result<(), Violation> {
        demand!(
            entry.number == self.entries.len() as u64 && self.end.is_none(),
            "entry {} after {} entries",
            entry.number,
            self.entries.len()
        );
        self.entries.push(entry.bytes);
        if let Some(finish) = entry.finish {
            self.end = Some((self.entries.len(), finish.into()));
        }
        Ok(())
    }

    /// Entries, stored or not.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// So many are stored, and since when.
    pub(crate) fn stored(&self) -> (Entries, Time) {
        (Entries(self.stored as u64), self.stored_at)
    }

    /// Begins to store what is queued, unless that is being done; tells how many entries will be
    /// stored then.
    pub(crate) fn begin_to_store(&mut self) -> Option<usize> {
        let is_needed = self.storing.is_none() && self.stored < self.entries.len();
        is_needed.then(|| *self.storing.insert(self.entries.len()))
    }

    pub(crate) fn have_stored(&mut self, count: usize, now: Time) {
        self.storing = None;
        (self.stored, self.stored_at) = (count, now);
    }

    /// The end of the match is stored: it will not be played again.
    pub(crate) fn is_complete(&self) -> bool {
        let end = self.end.as_ref();
        end.is_some_and(|(entries, _)| *entries <= self.stored)
    }

    /// What stays of the match, if it ended with so many entries.
    pub(crate) fn finish_after(&self, count: usize) -> Option<Arc<Finish>> {
        let end = self.end.as_ref();
        end.and_then(|(entries, finish)| (*entries == count).then(|| Arc::clone(finish)))
    }

    /// The server is gone: what is not stored is lost, and of what is stored all but so much.
    pub(crate) fn lose_all_but(&mut self, kept: usize) {
        self.stored = self.stored.min(kept);
        self.entries.truncate(self.stored);
        self.storing = None;
        self.end = None;
    }

    /// What is left of the journal.
    pub(crate) fn entries(&self) -> &[Vec<u8>] {
        &self.entries
    }
}
