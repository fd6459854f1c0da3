//! The commits of one match: its entries, and the gates of the commits that contain them.

use std::sync::Arc;

use bridgemaster_edge::wall_clock::now_unix_ms;
use bridgemaster_match::{Entries, MAX_SUMMARY_BYTES, StoredEntry};
use bridgemaster_store::{IndexKey, KeyName, MatchId, Write, limits};

use crate::journal::{CommitGate, Journal};

const _: () = assert!(MAX_SUMMARY_BYTES <= limits::MAX_SUMMARY_BYTES);

/// Queues the entries of one match.
pub(super) struct MatchJournal {
    journal: Arc<Journal>,
    id: MatchId,
}

impl MatchJournal {
    /// Creates the journal for the match that has this identifier in the store.
    pub(super) fn new(journal: Arc<Journal>, id: MatchId) -> Self {
        Self { journal, id }
    }

    /// Queues an entry with its records; the last entry also stores the finished match. Effects of
    /// the entry must wait for the returned gate.
    pub(super) fn store(&self, entry: StoredEntry, records: Vec<Write>) -> CommitGate {
        let append =
            Write::Append { match_id: self.id.clone(), number: entry.number, entry: entry.bytes };
        let finish = entry.finish.map(|finish| Write::FinishMatch {
            match_id: self.id.clone(),
            ended_at_unix_ms: now_unix_ms(),
            summary: finish.summary,
            replay: finish.replay.to_vec(),
            // A bot name that is not a valid key name belongs to no key.
            parties: finish
                .parties
                .into_iter()
                .filter_map(|name| KeyName::new(name).ok())
                .collect(),
            index_keys: finish
                .properties
                .iter()
                .map(|(name, value)| IndexKey::of_property(name, value))
                .collect(),
        });
        let writes = [append].into_iter().chain(finish).chain(records);
        self.journal.queue_records(writes)
    }
}

/// The gates of commits that contain the match's entries, oldest first. The list is short, since
/// few commits are in flight at a time.
#[derive(Default)]
pub(super) struct PendingGates {
    waiting: Vec<(Entries, CommitGate)>,
}

impl PendingGates {
    /// Records that the first `entries` entries are durable once `gate` is open.
    pub(super) fn push(&mut self, entries: Entries, gate: CommitGate) {
        match self.waiting.last_mut() {
            Some((last, same)) if same.is_same(&gate) => *last = entries,
            _ => self.waiting.push((entries, gate)),
        }
    }

    /// Removes the oldest gate if it is open, and returns it with the number of durable entries.
    pub(super) fn pop_open(&mut self) -> Option<(Entries, CommitGate)> {
        let (_, first) = self.waiting.first()?;
        first.is_open().then(|| self.waiting.remove(0))
    }

    /// Returns the newest gate, unless all entries are known to be durable.
    pub(super) fn newest(&self) -> Option<&CommitGate> {
        self.waiting.last().map(|(_, gate)| gate)
    }

    /// Returns the gate that opens once the first `after` entries are durable, or `None` if they
    /// already are.
    pub(super) fn gate_for(&self, after: Entries) -> Option<CommitGate> {
        let mut waiting = self.waiting.iter();
        let (_, gate) = waiting.find(|(entries, _)| *entries >= after)?;
        (after > Entries::NONE && !gate.is_open()).then(|| gate.clone())
    }
}
