//! `PlayService` and `SeatService`: the streams of bots and of seats that people play.

mod conversation;
mod exchange;
mod hello;
mod in_span;
mod inbound;
mod interruptions;
mod least_privilege;
mod play_first;
mod response_body;
mod round_trip;
mod seat_admission;
mod seat_authenticator;
mod seat_registry;
mod seat_rpc;
mod separately_woken;
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
    least_privilege::LeastPrivilege, play_first::PlayFirst, seat_admission::SeatAdmission,
    seat_authenticator::SeatAuthenticator, seat_registry::SeatRegistry, seat_rpc::SeatRpc,
};

/// The encoded responses of one stream.
type Responses = InSpan<Conversation>;

#[derive(Clone)]
pub(crate) struct PlayRpc {
    authenticator: SeatAuthenticator,
}

impl PlayRpc {
    pub(crate) fn new(authenticator: SeatAuthenticator) -> Self {
        Self { authenticator }
    }

    /// Starts the conversation on a stream.
    async fn play(self, request: Request<Streaming<PlayRequest>>) -> Result<Responses, Status> {
        let mut authenticated = self.authenticator.authenticate(request.metadata()).await?;
        let connection = ConnectionInfo::of(&request);
        authenticated.redeemed.set_connection(connection);
        let protection = self
            .authenticator
            .protect_connection(connection, &authenticated);
        let round_trip = RoundTrip::new(connection.map(|known| known.round_trip.clone()));
        let span = authenticated.redeemed.span();
        // The client's call returns with the response head, so the head must not wait for the
        // Hello.
        let responses = Conversation::new(
            Arc::clone(self.authenticator.matches()),
            authenticated.redeemed,
            authenticated.caller,
            Inbound::Stream(request.into_inner()),
            protection,
            round_trip,
        );
        Ok(InSpan::new(span, responses))
    }
}
