//! The journal of one match in play, which collects inputs and builds entries from them.

use bridgemaster_games::Seat;
use bridgemaster_proto::{games::WireGame, internal::v1::JournalEntry};
use bridgemaster_referee::{Input, Referee, Time};
use prost::Message as _;

use super::entry::{self, HistoryStart};
use crate::{Entries, Finish, StoredEntry, TicketHash};

/// Maximum size of the pending inputs, in bytes: 16 KiB. Inputs without an effect are pending until
/// a later input has an effect. Even if a bot thinks for a day, these inputs must fit into one
/// stored entry.
const MAX_PENDING_BYTES: usize = 16 * 1024;

/// The journal of one match in play.
#[derive(Debug)]
pub(crate) struct MatchJournal {
    /// The number of entries so far.
    entries: Entries,
    /// The encoded inputs of the next entry.
    inputs: Vec<u8>,
}

impl MatchJournal {
    /// Creates a journal for a match that already has this number of entries.
    pub(crate) fn new(entries: Entries) -> Self {
        Self {
            entries,
            inputs: Vec::new(),
        }
    }

    /// Records an input before the referee handles it. A restart is stored with `last_start`. An
    /// input without an effect stays pending until a later input has an effect.
    pub(crate) fn record<G: WireGame>(
        &mut self,
        time: Time,
        input: &Input<G>,
        last_start: HistoryStart,
    ) {
        entry::push(time, input, last_start, &mut self.inputs);
    }

    /// Records a seat's new ticket.
    pub(crate) fn record_ticket(&mut self, time: Time, seat: Seat, ticket: TicketHash) {
        entry::push_ticket(time, seat, ticket, &mut self.inputs);
    }

    /// Returns whether inputs are pending for the next entry.
    pub(crate) fn has_pending(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// Returns whether the pending inputs must be stored now.
    pub(crate) fn is_full(&self) -> bool {
        self.inputs.len() >= MAX_PENDING_BYTES
    }

    /// Builds an entry from the pending inputs.
    pub(crate) fn make_entry<G: WireGame>(
        &mut self,
        referee: &Referee<G>,
        finish: Option<Finish>,
    ) -> StoredEntry {
        let mut bytes = std::mem::take(&mut self.inputs);
        let state = JournalEntry {
            inputs: Vec::new(),
            state_digest: referee.digest().0,
            records: referee.records(),
        };
        // Concatenating two encoded messages merges them.
        bytes.reserve(state.encoded_len());
        state.encode_raw(&mut bytes);
        let number = self.entries.0;
        self.entries = Entries(number + 1);
        StoredEntry {
            number,
            bytes,
            finish: finish.map(Box::new),
        }
    }

    /// The number of entries so far.
    pub(crate) fn entries(&self) -> Entries {
        self.entries
    }
}
