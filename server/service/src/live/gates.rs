//! Tracks which entries of one match are not committed yet, and which gates wait for those commits.

use bridgemaster_match::Entries;

use crate::journal::Gate;

/// The gates of commits that contain the match's entries, oldest first. The list is short, since
/// few commits are in flight at a time.
#[derive(Default)]
pub(super) struct PendingGates {
    waiting: Vec<(Entries, Gate)>,
}

impl PendingGates {
    /// Records that the first `entries` entries are durable once `gate` is open.
    pub(super) fn push(&mut self, entries: Entries, gate: Gate) {
        match self.waiting.last_mut() {
            Some((last, same)) if same.is_same(&gate) => *last = entries,
            _ => self.waiting.push((entries, gate)),
        }
    }

    /// Removes the oldest gate if it is open, and returns it with the number of durable entries.
    pub(super) fn pop_open(&mut self) -> Option<(Entries, Gate)> {
        let (_, first) = self.waiting.first()?;
        first.is_open().then(|| self.waiting.remove(0))
    }

    /// Returns the gate that opens once the first `after` entries are durable, or `None` if they
    /// already are.
    pub(super) fn gate_for(&self, after: Entries) -> Option<Gate> {
        let mut waiting = self.waiting.iter();
        let (_, gate) = waiting.find(|(entries, _)| *entries >= after)?;
        (after > Entries::NONE && !gate.is_open()).then(|| gate.clone())
    }
}
