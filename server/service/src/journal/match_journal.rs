//! Writes the journal entries of one match to the store.

use std::sync::Arc;

use bridgemaster_match::{MAX_SUMMARY_BYTES, StoredEntry};
use bridgemaster_store::{KeyName, MatchId, Write, limits};

use super::{Gate, Journal};
use crate::wall_clock::now_unix_ms;

const _: () = assert!(MAX_SUMMARY_BYTES <= limits::MAX_SUMMARY_BYTES);

pub(crate) struct MatchJournal {
    journal: Arc<Journal>,
    id: MatchId,
}

impl MatchJournal {
    /// Creates the journal for the match that has this identifier in the store.
    pub(crate) fn new(journal: Arc<Journal>, id: MatchId) -> Self {
        Self { journal, id }
    }

    /// Queues an entry with its records; the last entry also stores the finished match. Effects of
    /// the entry must wait for the returned gate.
    pub(crate) fn store(&self, entry: StoredEntry, records: Vec<Write>) -> Gate {
        let append = Write::Append {
            match_id: self.id.clone(),
            number: entry.number,
            entry: entry.bytes,
        };
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
        });
        let writes = [append].into_iter().chain(finish).chain(records);
        self.journal.queue(writes)
    }
}
