//! Lets bots to their seats where others of the same address are refused.

use std::{sync::Arc, time::Instant};

use bridgemaster_match::TicketHash;
use tonic::metadata::MetadataMap;

use super::bearer_ticket;
use crate::{hosting::Matches, transport::TokenBuckets};

/// A way in for calls that show the ticket of a seat, at a rate of each seat's own: an address may
/// be that of many machines, and what others there do must not keep a bot from its seat.
pub(crate) struct SeatDoor {
    matches: Arc<Matches>,
    calls: TokenBuckets<TicketHash>,
}

impl SeatDoor {
    pub(crate) fn new(matches: Arc<Matches>) -> Self {
        Self {
            calls: TokenBuckets::new(matches.limits().calls_per_seat),
            matches,
        }
    }

    /// Whether a call comes in this way. One that does not may come as any other.
    pub(crate) fn is_open_to(&self, metadata: &MetadataMap) -> bool {
        let Ok(ticket) = bearer_ticket(metadata) else {
            return false;
        };
        // Only tickets of seats: whoever makes up others must not fill the table.
        self.matches.redeem(&ticket).is_ok()
            && self.calls.take(ticket.hash(), Instant::now()).is_ok()
    }
}
