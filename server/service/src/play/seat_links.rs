//! The streams of seats that are answered by calls of their own.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_match::{SeatInput, TicketHash, Verdict};
use bridgemaster_store::KeyId;
use parking_lot::Mutex;

use crate::{hosting::SeatVoice, journal::Gated};

/// The newest such stream of each seat, by the ticket of the seat. All clones are one.
#[derive(Clone, Default)]
pub(crate) struct SeatLinks {
    by_ticket: Arc<Mutex<HashMap<TicketHash, Arc<Linked>>>>,
}

/// A stream that calls find.
pub(super) struct Linked {
    voice: SeatVoice,
    /// Whose stream it is; `None` on a server that asks for no keys.
    key: Option<KeyId>,
    /// Held while an answer is given: one at a time, so that each is told what became of it.
    answering: Mutex<()>,
}

/// Lets calls find a stream, until it is dropped.
pub(super) struct SeatLink {
    links: SeatLinks,
    ticket: TicketHash,
    linked: Arc<Linked>,
}

impl SeatLinks {
    /// Calls with this ticket find this stream from now on.
    pub(super) fn link(
        &self,
        ticket: TicketHash,
        voice: SeatVoice,
        key: Option<KeyId>,
    ) -> SeatLink {
        let linked = Arc::new(Linked {
            voice,
            key,
            answering: Mutex::default(),
        });
        let mut by_ticket = self.by_ticket.lock();
        let newest = by_ticket.get(&ticket);
        // One that took the seat later may be here before.
        if newest.is_none_or(|newest| newest.voice.is_older_than(&linked.voice)) {
            by_ticket.insert(ticket, Arc::clone(&linked));
        }
        drop(by_ticket);
        SeatLink {
            links: self.clone(),
            ticket,
            linked,
        }
    }

    /// The newest stream that was opened with a ticket.
    pub(super) fn find(&self, ticket: TicketHash) -> Option<Arc<Linked>> {
        self.by_ticket.lock().get(&ticket).cloned()
    }
}

impl Linked {
    /// Whether it is the stream of this key.
    pub(super) fn is_of(&self, key: Option<&KeyId>) -> bool {
        self.key.as_ref() == key
    }

    /// Gives an answer to the match, and tells what became of it; `None` if the stream does not
    /// hold the seat any more, or the match stands still.
    pub(super) fn answer(&self, input: SeatInput) -> Option<Gated<Verdict>> {
        let _one_at_a_time = self.answering.lock();
        self.voice.answer(input)
    }
}

impl Drop for SeatLink {
    fn drop(&mut self) {
        let mut by_ticket = self.links.by_ticket.lock();
        let newest = by_ticket.get(&self.ticket);
        if newest.is_some_and(|newest| Arc::ptr_eq(newest, &self.linked)) {
            by_ticket.remove(&self.ticket);
        }
    }
}
