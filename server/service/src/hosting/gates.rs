//! The gates before what is not stored yet of one match.

use bridgemaster_match::Entries;

use crate::journal::Gate;

/// The gate of each commit that entries of the match wait for, the first one first. At most one is
/// being made and one is queued, so there are few.
#[derive(Default)]
pub(super) struct Gates {
    waiting: Vec<(Entries, Gate)>,
}

impl Gates {
    /// So many entries, and none before them, wait for nothing beyond this gate.
    pub(super) fn push(&mut self, entries: Entries, gate: Gate) {
        match self.waiting.last_mut() {
            Some((last, same)) if same.is_same(&gate) => *last = entries,
            _ => self.waiting.push((entries, gate)),
        }
    }

    /// Removes the first gate if it is open, with the entries that are stored by then.
    pub(super) fn pop_open(&mut self) -> Option<(Entries, Gate)> {
        let (_, first) = self.waiting.first()?;
        first.is_open().then(|| self.waiting.remove(0))
    }

    /// What must be waited for until so many entries are stored; `None` when they are.
    pub(super) fn before(&self, after: Entries) -> Option<Gate> {
        let mut waiting = self.waiting.iter();
        let (_, gate) = waiting.find(|(entries, _)| *entries >= after)?;
        (after > Entries::NONE && !gate.is_open()).then(|| gate.clone())
    }
}
