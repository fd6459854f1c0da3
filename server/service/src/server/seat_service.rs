//! The service of seats whose answers are calls.

use bridgemaster_proto::v1::seat_service_server::SeatServiceServer;

use crate::{
    limits::Limits,
    play::{Door, SeatCalls, SeatLinks},
    services::RequestTimeout,
};

/// The service behind the door of one port, which shares the links with that of the other.
pub(super) fn seat_service(
    door: Door,
    links: &SeatLinks,
    limits: &Limits,
) -> RequestTimeout<SeatServiceServer<SeatCalls>> {
    let calls = SeatServiceServer::new(SeatCalls::new(door, links.clone()));
    let calls = calls.max_decoding_message_size(limits.play_message_bytes);
    RequestTimeout::new(calls, limits.hello_time)
}
