//! The entries of one match in play, as they are made.

use bridgemaster_games::Seat;
use bridgemaster_proto::{games::WireGame, internal::v1::JournalEntry};
use bridgemaster_referee::{Input, Referee, Time};
use prost::Message as _;

use super::entry::{self, Beginning};
use crate::{Entries, Finish, StoredEntry, TicketHash};

/// Inputs without an effect that are kept back until there is one, in bytes: 16 KiB. A bot that
/// thinks for a day must not let them grow beyond an entry of the store.
const MAX_RIDING_BYTES: usize = 16 * 1024;

/// The journal of one match in play.
#[derive(Debug)]
pub(crate) struct MatchJournal {
    /// Entries so far.
    entries: Entries,
    /// The inputs of the next entry so far.
    inputs: Vec<u8>,
}

impl MatchJournal {
    /// The journal of a match that has so many entries.
    pub(crate) fn new(entries: Entries) -> Self {
        Self {
            entries,
            inputs: Vec::new(),
        }
    }

    /// Takes note of an input, before the referee gets it; a restart is what began last. One
    /// without an effect waits for the next that has one.
    pub(crate) fn note<G: WireGame>(&mut self, time: Time, input: &Input<G>, began: Beginning) {
        entry::push(time, input, began, &mut self.inputs);
    }

    /// Takes note that a seat has a new ticket.
    pub(crate) fn note_ticket(&mut self, time: Time, seat: Seat, ticket: TicketHash) {
        entry::push_ticket(time, seat, ticket, &mut self.inputs);
    }

    /// Whether there is something for the next entry.
    pub(crate) fn has_noted(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// Whether what has no effect must not wait any longer.
    pub(crate) fn is_full(&self) -> bool {
        self.inputs.len() >= MAX_RIDING_BYTES
    }

    /// Makes an entry of what was taken note of.
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
        // Encoded messages that are put one after the other are one message.
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

    /// Entries so far.
    pub(crate) fn entries(&self) -> Entries {
        self.entries
    }
}
