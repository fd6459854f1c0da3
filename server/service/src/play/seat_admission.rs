//! Admits bots to their seats while other calls from their address are refused.

use std::{sync::Arc, time::Instant};

use bridgemaster_match::TicketHash;
use tonic::metadata::MetadataMap;

use super::seat_authenticator::bearer_ticket;
use crate::{live::Matches, transport::TokenBuckets};

/// Admits calls that present the ticket of a seat, with a rate limit per seat. Many machines may
/// share an address, and their calls must not keep a bot from its seat.
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

    /// Returns whether a call is admitted by its ticket. All other calls count against their
    /// address.
    pub(crate) fn admits(&self, metadata: &MetadataMap) -> bool {
        let Ok(ticket) = bearer_ticket(metadata) else {
            return false;
        };
        // Only tickets of existing seats are counted, so that invented tickets cannot fill the
        // table.
        self.matches.has_seat(&ticket) && self.calls.debit(ticket.hash(), Instant::now()).is_ok()
    }
}
