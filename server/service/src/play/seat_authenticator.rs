//! Authenticates callers and the seat tickets that they present.

use std::{sync::Arc, time::Instant};

use bridgemaster_edge::{
    identity::{Authenticator, Caller, KeyScope},
    refusal::Refusal,
    transport::{ConnectionInfo, ConnectionSlots, SeatProtection, TokenBuckets},
};
use bridgemaster_live::{Matches, RedeemedTicket, Ticket};
use bridgemaster_match::TicketHash;
use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::KeyName;
use tonic::metadata::MetadataMap;

/// Authenticates bots over the connections of one port.
#[derive(Clone)]
pub(crate) struct SeatAuthenticator {
    matches: Arc<Matches>,
    authenticator: Authenticator,
    slots: Arc<ConnectionSlots>,
}

/// A caller that presented a valid ticket.
pub(super) struct AuthenticatedSeat {
    pub(super) caller: Caller,
    pub(super) redeemed: RedeemedTicket,
}

impl SeatAuthenticator {
    /// Creates an authenticator for these matches and keys. `slots` are the connection slots of the
    /// port that it serves.
    pub(crate) fn new(
        matches: Arc<Matches>,
        authenticator: Authenticator,
        slots: Arc<ConnectionSlots>,
    ) -> Self {
        Self { matches, authenticator, slots }
    }

    pub(super) fn matches(&self) -> &Arc<Matches> {
        &self.matches
    }

    /// Authenticates the caller and the seat ticket in this metadata.
    ///
    /// # Errors
    /// Returns an error if the caller is refused, or no seat has this ticket.
    pub(super) async fn authenticate(
        &self,
        metadata: &MetadataMap,
    ) -> Result<AuthenticatedSeat, Refusal> {
        // Looks up the seat first, so that a refusal of the caller can be counted for the seat's
        // bot. The seat is returned only after the caller is authenticated.
        let seat = self.redeem_ticket(metadata).await;
        let holds_seat = |name: &KeyName| {
            let seat = seat.as_ref();
            seat.is_ok_and(|seat| seat.is_held_by(name))
        };
        let authenticated = self.authenticator.caller_or_cached(metadata, holds_seat);
        let authenticated = authenticated.await;
        if let (Err(refusal), Ok(seat)) = (&authenticated, &seat)
            && refusal.is_server_error()
        {
            seat.record_rejection();
        }
        let caller = authenticated?;
        caller.require_scope(KeyScope::Play)?;
        let redeemed = seat?;
        Ok(AuthenticatedSeat { caller, redeemed })
    }

    /// Returns the seat of the ticket in the metadata.
    async fn redeem_ticket(&self, metadata: &MetadataMap) -> Result<RedeemedTicket, Refusal> {
        let ticket = bearer_ticket(metadata)?;
        let redeem = || RedeemedTicket::redeem(&self.matches, &ticket);
        match redeem() {
            Err(refusal) if refusal.reason() == RefusalReason::TicketUnknown => {
                self.matches.load_tickets_if_ended(&ticket).await?;
                // This node may also have taken over the match in the meantime.
                redeem()
            }
            result => result,
        }
    }

    /// Protects the connection of a seat's stream from eviction, as long as that stream is the
    /// newest open stream of the seat.
    pub(super) fn protect_connection(
        &self,
        connection: Option<&ConnectionInfo>,
        authenticated: &AuthenticatedSeat,
    ) -> Option<SeatProtection> {
        let mark = *authenticated.redeemed.ticket().as_bytes();
        let key = authenticated.caller.key_id();
        self.slots.protect(connection?.peer, mark, key)
    }
}

/// Returns the ticket that a call presents.
pub(super) fn bearer_ticket(metadata: &MetadataMap) -> Result<Ticket, Refusal> {
    let missing = |message| Refusal::new(RefusalReason::TicketMissing, message);
    let mut values = metadata.get_all("authorization").iter();
    let value = values.next().ok_or_else(|| {
        missing("a ticket is required in the metadata, as `authorization: Bearer TICKET`")
    })?;
    if values.next().is_some() {
        return Err(missing("the metadata has more than one `authorization`; send one ticket"));
    }
    value
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, ticket)| Ticket::from_client(ticket.trim()))
        .ok_or_else(|| missing("the metadata `authorization` is not of the form `Bearer TICKET`"))
}

/// Admits calls that present the ticket of a seat, with a rate limit per seat. Many machines may
/// share an address, and their calls must not keep a bot from its seat.
pub(crate) struct SeatAdmission {
    matches: Arc<Matches>,
    calls: TokenBuckets<TicketHash>,
}

impl SeatAdmission {
    pub(crate) fn new(matches: Arc<Matches>) -> Self {
        Self { calls: TokenBuckets::new(matches.limits().calls_per_seat), matches }
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
