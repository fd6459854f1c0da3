//! `PlayService` and `SeatService`: the streams of the bots, and of people's seats.

mod conversation;
mod door;
mod hello;
mod in_span;
mod inbound;
mod round_trip;
mod seat_admission;
mod seat_calls;
mod seat_links;

use std::{pin::Pin, sync::Arc};

use bridgemaster_proto::v1::{PlayRequest, PlayResponse, play_service_server::PlayService};
use tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming};

use in_span::InSpan;
use inbound::Inbound;
use round_trip::RoundTrip;

use crate::transport::ConnectionInfo;

pub(crate) use {
    door::Door, seat_admission::SeatAdmission, seat_calls::SeatCalls, seat_links::SeatLinks,
};

/// The service behind a door.
#[derive(Clone)]
pub(crate) struct Play {
    door: Door,
}

impl Play {
    pub(crate) fn new(door: Door) -> Self {
        Self { door }
    }
}

#[tonic::async_trait]
impl PlayService for Play {
    type PlayStream = InSpan<Pin<Box<dyn Stream<Item = Result<PlayResponse, Status>> + Send>>>;

    async fn play(
        &self,
        request: Request<Streaming<PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let admitted = self.door.admit(request.metadata()).await?;
        let connection = ConnectionInfo::of(&request);
        let carries = self.door.protect(connection, &admitted);
        let round_trip = RoundTrip::new(connection.map(|known| known.round_trip.clone()));
        let span = admitted.key.span();
        // A client's call returns with the response head, so the head must not wait for Hello.
        let responses = conversation::conversation(
            Arc::clone(self.door.matches()),
            admitted.key,
            admitted.caller,
            Inbound::Stream(request.into_inner()),
            carries,
            round_trip,
        );
        Ok(Response::new(InSpan::new(span, Box::pin(responses))))
    }
}
