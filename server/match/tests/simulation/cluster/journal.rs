//! The journal of the match in the database, from which another node can resume.

use std::{rc::Rc, sync::Arc};

use bridgemaster_match::Finish;

use crate::auditor::Snapshot;

/// An entry, and the state of the match after it.
#[derive(Clone, Debug)]
pub(crate) struct Journaled {
    pub(crate) bytes: Rc<[u8]>,
    pub(crate) snapshot: Snapshot,
}

/// The addition of one commit.
#[derive(Debug)]
pub(crate) struct Appended {
    /// Number of the first entry.
    pub(crate) first: usize,
    pub(crate) entries: Vec<Journaled>,
    /// The match ends with these entries.
    pub(crate) finish: Option<Arc<Finish>>,
}

/// A match as it is handed to the node that resumes it.
#[derive(Clone, Debug)]
pub(crate) struct Handed {
    pub(crate) header: Rc<[u8]>,
    pub(crate) journal: Vec<Rc<Journaled>>,
}

impl Handed {
    pub(crate) fn entries(&self) -> Vec<Vec<u8>> {
        let entries = self.journal.iter();
        entries.map(|entry| entry.bytes.to_vec()).collect()
    }

    pub(crate) fn snapshots(&self) -> Vec<Snapshot> {
        let entries = self.journal.iter();
        entries.map(|entry| entry.snapshot.clone()).collect()
    }
}
