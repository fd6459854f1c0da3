//! The journal of one match in play.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use bridgemaster_proto::{games::WireGame, internal::v1::JournalEntry};
use bridgemaster_referee::{HistoryId, Input, Referee, Time};
use bridgemaster_store::{KeyName, MatchId, Write};
use prost::Message as _;

use super::{Gate, Journal, entry};

/// Inputs without an effect that are kept back until there is one, in bytes: 16 KiB. A bot that
/// thinks for a day must not let them grow beyond an entry of the store.
const MAX_RIDING_BYTES: usize = 16 * 1024;

/// What stays of a match that ends.
pub(crate) struct Finish {
    /// Of [`write_finished`](super::write_finished).
    pub(crate) summary: Vec<u8>,
    /// The bytes of its replay file.
    pub(crate) replay: Vec<u8>,
    /// The key that made it, and the bots that may be named after keys.
    pub(crate) parties: Vec<KeyName>,
}

/// The journal of one match in play.
pub(crate) struct MatchJournal {
    journal: Arc<Journal>,
    id: MatchId,
    /// Number of the next entry.
    next: u64,
    /// The inputs of the next entry so far.
    inputs: Vec<u8>,
}

impl MatchJournal {
    /// The journal of a match that has so many entries.
    pub(crate) fn new(journal: Arc<Journal>, id: MatchId, entries: u64) -> Self {
        Self {
            journal,
            id,
            next: entries,
            inputs: Vec::new(),
        }
    }

    /// Takes note of an input, before the referee gets it; a restart begins the history `running`.
    pub(crate) fn take<G: WireGame>(&mut self, time: Time, input: &Input<G>, running: HistoryId) {
        entry::push(time, input, running, &mut self.inputs);
    }

    /// The last input had no effect: it waits for the next one that has.
    pub(crate) fn ride_along<G: WireGame>(&mut self, referee: &Referee<G>) {
        if self.inputs.len() >= MAX_RIDING_BYTES {
            self.commit(referee, None);
        }
    }

    /// Queues what was taken note of; effects of it must wait for the gate.
    pub(crate) fn commit<G: WireGame>(
        &mut self,
        referee: &Referee<G>,
        finish: Option<Finish>,
    ) -> Gate {
        let mut entry = std::mem::take(&mut self.inputs);
        let state = JournalEntry {
            inputs: Vec::new(),
            state_digest: referee.digest().0,
            records: referee.records(),
        };
        // Encoded messages that are put one after the other are one message.
        entry.reserve_exact(state.encoded_len());
        state.encode_raw(&mut entry);
        let append = Write::Append {
            match_id: self.id.clone(),
            number: self.next,
            entry,
        };
        self.next += 1;
        let finish = finish.map(|finish| Write::FinishMatch {
            match_id: self.id.clone(),
            ended_at_unix_ms: unix_ms(),
            summary: finish.summary,
            replay: finish.replay,
            parties: finish.parties,
        });
        self.journal.queue([append].into_iter().chain(finish))
    }
}

/// Now, in ms since 1970 UTC.
pub(super) fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    // A clock before 1970 is wrong anyway.
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}
