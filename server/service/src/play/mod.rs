//! `PlayService` and `SeatService`: the streams of the bots, and of people's seats.

mod conversation;
mod door;
mod exchange;
mod first;
mod hello;
mod in_span;
mod inbound;
mod interruptions;
mod response_body;
mod round_trip;
mod seat_admission;
mod seat_calls;
mod seat_links;
mod seldom;
mod service;
mod stream_span;

use std::sync::Arc;

use bridgemaster_proto::v1::PlayRequest;
use tonic::{Request, Status, Streaming};

use conversation::Conversation;
use in_span::InSpan;
use inbound::Inbound;
use round_trip::RoundTrip;

use crate::transport::ConnectionInfo;

pub(crate) use {
    door::Door, first::PlayFirst, seat_admission::SeatAdmission, seat_calls::SeatCalls,
    seat_links::SeatLinks,
};

/// The bytes of the responses of one stream.
type Responses = InSpan<Conversation>;

/// The service behind a door.
#[derive(Clone)]
pub(crate) struct Play {
    door: Door,
}

impl Play {
    pub(crate) fn new(door: Door) -> Self {
        Self { door }
    }

    /// Begins the conversation on a stream.
    async fn play(self, request: Request<Streaming<PlayRequest>>) -> Result<Responses, Status> {
        let admitted = self.door.admit(request.metadata()).await?;
        let connection = ConnectionInfo::of(&request);
        let carries = self.door.protect(connection, &admitted);
        let round_trip = RoundTrip::new(connection.map(|known| known.round_trip.clone()));
        let span = admitted.key.span();
        // A client's call returns with the response head, so the head must not wait for Hello.
        let responses = Conversation::new(
            Arc::clone(self.door.matches()),
            admitted.key,
            admitted.caller,
            Inbound::Stream(request.into_inner()),
            carries,
            round_trip,
        );
        Ok(InSpan::new(span, responses))
    }
}
