//! Constructs `SeatService` for one port of the server.

use bridgemaster_proto::v1::seat_service_server::SeatServiceServer;

use crate::{
    limits::Limits,
    play::{SeatAuthenticator, SeatRegistry, SeatRpc},
    services::RequestArrivalTimeout,
};

/// Creates the service for one port. The server's two ports share the seat registry.
pub(super) fn seat_service(
    authenticator: SeatAuthenticator,
    registry: &SeatRegistry,
    limits: &Limits,
) -> RequestArrivalTimeout<SeatServiceServer<SeatRpc>> {
    let calls = SeatServiceServer::new(SeatRpc::new(authenticator, registry.clone()));
    let calls = calls.max_decoding_message_size(limits.play_message_bytes);
    RequestArrivalTimeout::new(calls, limits.hello_time)
}
