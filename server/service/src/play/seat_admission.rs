//! Admits bots to their seats when other calls of their address are refused.

use std::{sync::Arc, time::Instant};

use bridgemaster_match::TicketHash;
use tonic::metadata::MetadataMap;

use super::door::bearer_ticket;
use crate::{hosting::Matches, transport::TokenBuckets};

/// Admits calls with the ticket of a seat, at a rate of each seat's own. Many machines may share an
/// address, and what others there do must not keep a bot from its seat.
pub(crate) struct SeatAdmission {
    matches: Arc<Matches>,
    calls: TokenBuckets<TicketHash>,
}

impl SeatAdmission {
    pub(crate) fn new(matches: Arc<Matches>) -> Self {
        Self {
            calls: TokenBuckets::new(matches.limits().calls_per_seat),
            matches,
        }
    }

    /// Whether a call is admitted this way. Others count for their address.
    pub(crate) fn admits(&self, metadata: &MetadataMap) -> bool {
        let Ok(ticket) = bearer_ticket(metadata) else {
            return false;
        };
        // Only tickets of seats: whoever makes up others must not fill the table.
        self.matches.has_seat(&ticket) && self.calls.debit(ticket.hash(), Instant::now()).is_ok()
    }
}
