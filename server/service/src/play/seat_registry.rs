//! A registry of seat streams whose requests are answered by unary calls.

use std::{collections::HashMap, sync::Arc};

use bridgemaster_match::{SeatInput, TicketHash, Verdict};
use bridgemaster_store::KeyId;
use parking_lot::Mutex;

use crate::{journal::Gated, live::SeatHandle};

/// The newest such stream of each seat, by its ticket. Clones share one registry.
#[derive(Clone, Default)]
pub(crate) struct SeatRegistry {
    by_ticket: Arc<Mutex<HashMap<TicketHash, Arc<RegisteredSeat>>>>,
}

pub(super) struct RegisteredSeat {
    handle: SeatHandle,
    /// The key that opened the stream; `None` on a server without keys.
    key: Option<KeyId>,
    /// Locked while an answer is processed. The lock ensures that each call gets the result of its
    /// own answer.
    answering: Mutex<()>,
}

/// Removes a stream from the registry when dropped.
pub(super) struct SeatRegistration {
    registry: SeatRegistry,
    ticket: TicketHash,
    registered: Arc<RegisteredSeat>,
}

impl SeatRegistry {
    /// Registers a stream for calls with this ticket.
    pub(super) fn register(
        &self,
        ticket: TicketHash,
        handle: SeatHandle,
        key: Option<KeyId>,
    ) -> SeatRegistration {
        let registered = Arc::new(RegisteredSeat {
            handle,
            key,
            answering: Mutex::default(),
        });
        let mut by_ticket = self.by_ticket.lock();
        let newest = by_ticket.get(&ticket);
        // A stream that joined the seat later may already be registered.
        if newest.is_none_or(|newest| newest.handle.is_older_than(&registered.handle)) {
            by_ticket.insert(ticket, Arc::clone(&registered));
        }
        drop(by_ticket);
        SeatRegistration {
            registry: self.clone(),
            ticket,
            registered,
        }
    }

    /// Returns the newest stream that was opened with a ticket.
    pub(super) fn find(&self, ticket: TicketHash) -> Option<Arc<RegisteredSeat>> {
        self.by_ticket.lock().get(&ticket).cloned()
    }
}

impl RegisteredSeat {
    /// Returns whether the stream was opened with this key.
    pub(super) fn is_opened_with(&self, key: Option<&KeyId>) -> bool {
        self.key.as_ref() == key
    }

    /// Passes an answer to the match and returns the result, or `None` if the stream no longer
    /// holds the seat or the match is parked.
    pub(super) fn answer(&self, input: SeatInput) -> Option<Gated<Verdict>> {
        let _one_at_a_time = self.answering.lock();
        self.handle.answer(input)
    }
}

impl Drop for SeatRegistration {
    fn drop(&mut self) {
        let mut by_ticket = self.registry.by_ticket.lock();
        let newest = by_ticket.get(&self.ticket);
        if newest.is_some_and(|newest| Arc::ptr_eq(newest, &self.registered)) {
            by_ticket.remove(&self.ticket);
        }
    }
}
