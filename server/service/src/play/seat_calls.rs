//! `SeatService`: a seat whose answers are calls, for clients without streams in both directions.

use std::{pin::Pin, sync::Arc};

use bridgemaster_match::{SeatInput, Verdict};
use bridgemaster_proto::v1::{
    DecideRequest, DecideResponse, PlayResponse, RefusalReason, ResignSeatRequest,
    ResignSeatResponse, WatchSeatRequest, WatchSeatResponse, seat_service_server::SeatService,
};
use prost::Message as _;
use tokio_stream::{Stream, StreamExt as _};
use tonic::{Request, Response, Status, metadata::MetadataMap};

use super::{
    conversation::Conversation,
    door::{Admitted, Door},
    in_span::InSpan,
    inbound::Inbound,
    round_trip::RoundTrip,
    seat_links::SeatLinks,
};
use crate::{
    journal::NotStored,
    refusal::Refusal,
    transport::{Call, ConnectionInfo},
};

/// The service behind a door. Both ports of a server share the links.
#[derive(Clone)]
pub(crate) struct SeatCalls {
    door: Door,
    links: SeatLinks,
}

impl SeatCalls {
    pub(crate) fn new(door: Door, links: SeatLinks) -> Self {
        Self { door, links }
    }

    /// Gives an answer to the stream of the seat whose ticket the metadata shows. What becomes of
    /// it is told once it is stored.
    async fn answer(&self, metadata: &MetadataMap, input: SeatInput) -> Result<Verdict, Refusal> {
        let Admitted {
            caller,
            key,
            ticket,
        } = self.door.admit(metadata).await?;
        let linked = self.links.find(ticket).ok_or_else(without_stream)?;
        if !linked.is_of(caller.key_id()) {
            return Err(Refusal::new(
                RefusalReason::SeatOfAnotherKey,
                "the stream of the seat was opened with another API key",
            ));
        }
        let answered = key.span().in_scope(|| linked.answer(input));
        let Some(verdict) = answered else {
            let matches = self.door.matches();
            return Err(match matches.lifecycle().stopping().is_cancelled() {
                true => matches.stop_refusal(),
                false => without_stream(),
            });
        };
        let shown = verdict.shown().await;
        shown.map_err(|NotStored| Refusal::storage_failed())
    }
}

/// The refusal of an answer for a seat that nobody watches.
fn without_stream() -> Refusal {
    Refusal::new(
        RefusalReason::HelloExpected,
        "the seat has no stream of WatchSeat: open one first",
    )
}

#[tonic::async_trait]
impl SeatService for SeatCalls {
    type WatchSeatStream =
        InSpan<Pin<Box<dyn Stream<Item = Result<WatchSeatResponse, Status>> + Send>>>;

    async fn watch_seat(
        &self,
        request: Request<WatchSeatRequest>,
    ) -> Result<Response<Self::WatchSeatStream>, Status> {
        let admitted = self.door.admit(request.metadata()).await?;
        // Until its ticket was known it was one of the calls of its address.
        let counted = Call::current().map(|call| call.is_stream_of_seat(admitted.caller.key_id()));
        if let Some(Err(refusal)) = counted {
            if refusal.is_servers_own() {
                admitted.key.turned_away();
            }
            return Err(refusal.into());
        }
        let connection = ConnectionInfo::of(&request);
        let carries = self.door.protect(connection, &admitted);
        let round_trip = RoundTrip::new(connection.map(|known| known.round_trip.clone()));
        let span = admitted.key.span();
        let inbound = Inbound::Calls {
            hello: request.into_inner().hello,
            links: self.links.clone(),
            ticket: admitted.ticket,
        };
        let matches = Arc::clone(self.door.matches());
        let (key, caller) = (admitted.key, admitted.caller);
        let responses = Conversation::new(matches, key, caller, inbound, carries, round_trip);
        let responses = responses.map(|response| watched(&response?));
        Ok(Response::new(InSpan::new(span, Box::pin(responses))))
    }

    async fn decide(
        &self,
        request: Request<DecideRequest>,
    ) -> Result<Response<DecideResponse>, Status> {
        let (metadata, _, DecideRequest { decision }) = request.into_parts();
        // An answer without a decision is refused as every other that cannot be read.
        let input = SeatInput::Decision(decision.unwrap_or_default());
        let rejected = match self.answer(&metadata, input).await? {
            Verdict::Taken => None,
            Verdict::Rejected(rejected) => Some(*rejected),
        };
        Ok(Response::new(DecideResponse { rejected }))
    }

    async fn resign_seat(
        &self,
        request: Request<ResignSeatRequest>,
    ) -> Result<Response<ResignSeatResponse>, Status> {
        self.answer(request.metadata(), SeatInput::Resign).await?;
        Ok(Response::new(ResignSeatResponse {}))
    }
}

/// A message to a bot, for the generated service to encode within its own.
fn watched(bytes: &[u8]) -> Result<WatchSeatResponse, Status> {
    let message = PlayResponse::decode(bytes).map_err(|error| {
        Status::internal(format!("the server's own message cannot be read: {error}"))
    })?;
    Ok(WatchSeatResponse {
        message: Some(message),
    })
}
