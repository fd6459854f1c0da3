//! `PlayService`: the streams of the bots.

mod conversation;
mod hello;
mod in_span;
mod round_trip;
mod seat_admission;

use std::{pin::Pin, sync::Arc};

use bridgemaster_proto::v1::{
    PlayRequest, PlayResponse, RefusalReason, play_service_server::PlayService,
};
use bridgemaster_store::KeyName;
use tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming, metadata::MetadataMap};

use in_span::InSpan;
use round_trip::RoundTrip;

use crate::{
    hosting::{Matches, SeatKey, Ticket},
    identity::{Authenticator, KeyScope},
    refusal::Refusal,
    transport::{ConnectionInfo, ConnectionSlots},
};

pub(crate) use seat_admission::SeatAdmission;

/// The service over a set of matches.
#[derive(Clone)]
pub(crate) struct Play {
    matches: Arc<Matches>,
    authenticator: Authenticator,
    slots: Arc<ConnectionSlots>,
}

impl Play {
    /// Over the matches, for callers that are known, whose connections have these slots.
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
}

#[tonic::async_trait]
impl PlayService for Play {
    type PlayStream = InSpan<Pin<Box<dyn Stream<Item = Result<PlayResponse, Status>> + Send>>>;

    async fn play(
        &self,
        request: Request<Streaming<PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let metadata = request.metadata();
        // Before it is known who calls, to know whom a refusal keeps from his seat; told after it.
        let seat = bearer_ticket(metadata)
            .and_then(|ticket| Ok((SeatKey::redeem(&self.matches, &ticket)?, ticket.hash())));
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
        let span = key.span();
        let connection = ConnectionInfo::of(&request);
        let carry = |known: &ConnectionInfo| {
            let mark = *ticket.as_bytes();
            self.slots.carries_bot(known.peer, mark, caller.key_id())
        };
        let carries = connection.and_then(carry);
        let round_trip = RoundTrip::new(connection.map(|known| known.round_trip.clone()));
        // A client's call returns with the response head, so the head must not wait for Hello.
        let responses = conversation::conversation(
            Arc::clone(&self.matches),
            key,
            caller,
            request.into_inner(),
            carries,
            round_trip,
        );
        Ok(Response::new(InSpan::new(span, Box::pin(responses))))
    }
}

fn bearer_ticket(metadata: &MetadataMap) -> Result<Ticket, Refusal> {
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
