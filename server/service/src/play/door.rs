//! The way to a seat: who comes, and what the ticket opens.

use std::sync::Arc;

use bridgemaster_match::TicketHash;
use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::KeyName;
use tonic::metadata::MetadataMap;

use crate::{
    hosting::{Matches, SeatKey, Ticket},
    identity::{Authenticator, Caller, KeyScope},
    refusal::Refusal,
    transport::{CarriesBot, ConnectionInfo, ConnectionSlots},
};

/// Lets bots come to their seats over the connections of one port.
#[derive(Clone)]
pub(crate) struct Door {
    matches: Arc<Matches>,
    authenticator: Authenticator,
    slots: Arc<ConnectionSlots>,
}

/// A caller with the ticket of a seat.
pub(super) struct Admitted {
    pub(super) caller: Caller,
    pub(super) key: SeatKey,
    pub(super) ticket: TicketHash,
}

impl Door {
    /// To the seats of these matches, for callers that are known, whose connections have these
    /// slots.
    pub(crate) fn new(
        matches: Arc<Matches>,
        authenticator: Authenticator,
        slots: Arc<ConnectionSlots>,
    ) -> Self {
        Self {
            matches,
            authenticator,
            slots,
        }
    }

    pub(super) fn matches(&self) -> &Arc<Matches> {
        &self.matches
    }

    /// The caller who shows this metadata, and the seat of its ticket.
    ///
    /// # Errors
    /// When the caller is refused, or the ticket is of no seat.
    pub(super) async fn admit(&self, metadata: &MetadataMap) -> Result<Admitted, Refusal> {
        // Before it is known who calls, to know whom a refusal keeps from his seat; told after it.
        let seat = self.seat(metadata).await;
        let holds_seat = |name: &KeyName| {
            let seat = seat.as_ref();
            seat.is_ok_and(|(seat, _)| seat.is_held_by(name))
        };
        let admitted = self.authenticator.caller_or_known(metadata, holds_seat);
        let admitted = admitted.await;
        if let (Err(refusal), Ok((seat, _))) = (&admitted, &seat)
            && refusal.is_servers_own()
        {
            seat.turned_away();
        }
        let caller = admitted?;
        caller.require(KeyScope::Play)?;
        let (key, ticket) = seat?;
        Ok(Admitted {
            caller,
            key,
            ticket,
        })
    }

    /// The seat of the ticket that the metadata shows.
    async fn seat(&self, metadata: &MetadataMap) -> Result<(SeatKey, TicketHash), Refusal> {
        let ticket = bearer_ticket(metadata)?;
        let redeem = || SeatKey::redeem(&self.matches, &ticket);
        let key = match redeem() {
            Err(refusal) if refusal.reason() == RefusalReason::TicketUnknown => {
                match self.matches.find_elsewhere(&ticket).await? {
                    true => redeem()?,
                    false => return Err(refusal),
                }
            }
            redeemed => redeemed?,
        };
        Ok((key, ticket.hash()))
    }

    /// Protects the connection of a stream of a seat, while that is its newest.
    pub(super) fn protect(
        &self,
        connection: Option<&ConnectionInfo>,
        admitted: &Admitted,
    ) -> Option<CarriesBot> {
        let mark = *admitted.ticket.as_bytes();
        let key = admitted.caller.key_id();
        self.slots.carries_bot(connection?.peer, mark, key)
    }
}

/// The ticket that a call shows.
pub(super) fn bearer_ticket(metadata: &MetadataMap) -> Result<Ticket, Refusal> {
    let missing = |message| Refusal::new(RefusalReason::TicketMissing, message);
    let mut values = metadata.get_all("authorization").iter();
    let value = values
        .next()
        .ok_or_else(|| missing("the metadata has no `authorization: Bearer TICKET`"))?;
    if values.next().is_some() {
        return Err(missing("the metadata has more than one `authorization`"));
    }
    value
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, ticket)| Ticket::from_client(ticket.trim()))
        .ok_or_else(|| missing("the metadata `authorization` is not of the form `Bearer TICKET`"))
}
