//! The journal of one match, as far as it goes to the store.

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
    /// The journal of the match that the store knows by this identifier.
    pub(crate) fn new(journal: Arc<Journal>, id: MatchId) -> Self {
        Self { journal, id }
    }

    /// Queues an entry, with the last one what stays of the match, and what is noted with it. What
    /// comes of the entry must wait for the gate.
    pub(crate) fn store(&self, entry: StoredEntry, notes: Vec<Write>) -> Gate {
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
            // A bot whose name no key can have is of no key.
            parties: finish
                .parties
                .into_iter()
                .filter_map(|name| KeyName::new(name).ok())
                .collect(),
        });
        let writes = [append].into_iter().chain(finish).chain(notes);
        self.journal.queue(writes)
    }
}
