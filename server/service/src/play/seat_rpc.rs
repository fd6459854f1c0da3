//! Implementation of `SeatService`: seats whose bots answer requests by unary calls, for clients
//! without bidirectional streams.

use std::pin::Pin;

use bridgemaster_edge::{
    refusal::Refusal,
    transport::{Call, ConnectionInfo},
};
use bridgemaster_match::{SeatInput, Verdict};
use bridgemaster_proto::v1::{
    DecideRequest, DecideResponse, PlayResponse, RefusalReason, ResignSeatRequest,
    ResignSeatResponse, WatchSeatRequest, WatchSeatResponse, seat_service_server::SeatService,
};
use prost::Message as _;
use tokio_stream::{Stream, StreamExt as _};
use tonic::{Request, Response, Status, metadata::MetadataMap};

use super::{
    inbound::{Inbound, SeatRegistry},
    play_responses::PlayResponses,
    seat_authenticator::{AuthenticatedSeat, SeatAuthenticator},
};

/// Implementation of `SeatService`. Both ports of a server share the registry.
#[derive(Clone)]
pub(crate) struct SeatRpc {
    authenticator: SeatAuthenticator,
    registry: SeatRegistry,
}

impl SeatRpc {
    pub(crate) fn new(authenticator: SeatAuthenticator, registry: SeatRegistry) -> Self {
        Self { authenticator, registry }
    }

    /// Passes an answer to the stream of the seat whose ticket is in the metadata. The result is
    /// returned once it is committed.
    async fn answer(&self, metadata: &MetadataMap, input: SeatInput) -> Result<Verdict, Refusal> {
        let AuthenticatedSeat { caller, redeemed } =
            self.authenticator.authenticate(metadata).await?;
        let registered = self.registry.find(redeemed.ticket()).ok_or_else(no_stream_refusal)?;
        if !registered.is_opened_with(caller.key_id()) {
            return Err(Refusal::new(
                RefusalReason::SeatOfAnotherKey,
                "the stream of the seat was opened with another API key",
            ));
        }
        let answered = redeemed.span().in_scope(|| registered.answer(input));
        let Some(verdict) = answered else {
            let matches = self.authenticator.matches();
            return Err(if matches.lifecycle().stop_token().is_cancelled() {
                matches.lifecycle().stop_refusal()
            } else {
                no_stream_refusal()
            });
        };
        Ok(verdict.committed().await?)
    }
}

/// The refusal of an answer for a seat without a stream.
fn no_stream_refusal() -> Refusal {
    Refusal::new(RefusalReason::HelloExpected, "the seat has no WatchSeat stream; open one first")
}

#[tonic::async_trait]
impl SeatService for SeatRpc {
    type WatchSeatStream = Pin<Box<dyn Stream<Item = Result<WatchSeatResponse, Status>> + Send>>;

    async fn watch_seat(
        &self,
        request: Request<WatchSeatRequest>,
    ) -> Result<Response<Self::WatchSeatStream>, Status> {
        let authenticated = self.authenticator.authenticate(request.metadata()).await?;
        // The call counted against the limit of its address until here, where the ticket is known
        // to be valid.
        let counted =
            Call::current().map(|call| call.mark_bot_stream_of(authenticated.caller.key_id()));
        if let Some(Err(refusal)) = counted {
            if refusal.is_server_error() {
                authenticated.redeemed.record_rejection();
            }
            return Err(refusal.into());
        }
        let connection = ConnectionInfo::from_request(&request).cloned();
        let inbound = Inbound::Calls {
            hello: request.into_inner().hello,
            registry: self.registry.clone(),
            ticket: authenticated.redeemed.ticket(),
        };
        let responses =
            PlayResponses::new(&self.authenticator, authenticated, connection.as_ref(), inbound);
        let responses = responses.map(|response| watch_response(&response?));
        Ok(Response::new(Box::pin(responses)))
    }

    async fn decide(
        &self,
        request: Request<DecideRequest>,
    ) -> Result<Response<DecideResponse>, Status> {
        let (metadata, _, DecideRequest { decision }) = request.into_parts();
        // A missing decision is refused like any other that cannot be decoded.
        let input = SeatInput::Decision(decision.unwrap_or_default());
        let rejected = match self.answer(&metadata, input).await? {
            Verdict::Accepted => None,
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

/// Decodes a message to a bot, which the generated service encodes again as part of its response.
fn watch_response(bytes: &[u8]) -> Result<WatchSeatResponse, Status> {
    let message = PlayResponse::decode(bytes).map_err(|error| {
        Status::internal(format!("internal error: cannot decode a message of the match: {error}"))
    })?;
    Ok(WatchSeatResponse { message: Some(message) })
}
