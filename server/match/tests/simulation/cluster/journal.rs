//! The journal of the match in the database: what one node has stored is what another goes on from.

use std::{rc::Rc, sync::Arc};

use bridgemaster_match::Finish;

use crate::auditor::Standing;

/// An entry, and how the match stood after it.
#[derive(Clone, Debug)]
pub(crate) struct Journaled {
    pub(crate) bytes: Rc<[u8]>,
    pub(crate) standing: Standing,
}

/// What a commit adds.
#[derive(Debug)]
pub(crate) struct Appended {
    /// Number of the first entry.
    pub(crate) first: usize,
    pub(crate) entries: Vec<Journaled>,
    /// The match ends with them.
    pub(crate) finish: Option<Arc<Finish>>,
}

/// A match as a node gets it that goes on with it.
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

    pub(crate) fn standings(&self) -> Vec<Standing> {
        let entries = self.journal.iter();
        entries.map(|entry| entry.standing.clone()).collect()
    }
}
