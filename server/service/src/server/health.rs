//! The health service, and what it tells of.

use bridgemaster_proto::v1::{
    catalog_service_server::CatalogServiceServer, ladder_service_server::LadderServiceServer,
    lobby_service_server::LobbyServiceServer, match_service_server::MatchServiceServer,
    play_service_server::PlayServiceServer, seat_service_server::SeatServiceServer,
};
use tonic::server::NamedService;
use tonic_health::{
    ServingStatus,
    pb::health_server::{Health, HealthServer},
    server::{HealthReporter, health_reporter},
};

use crate::{
    play::{Play, SeatCalls},
    services::{Catalog, LadderDesk, LobbyDesk, MatchDesk},
};

/// The names of the services; the empty name is the server as a whole.
const HEALTH_SERVICES: &[&str] = &[
    "",
    CatalogServiceServer::<Catalog>::NAME,
    PlayServiceServer::<Play>::NAME,
    SeatServiceServer::<SeatCalls>::NAME,
    MatchServiceServer::<MatchDesk>::NAME,
    LadderServiceServer::<LadderDesk>::NAME,
    LobbyServiceServer::<LobbyDesk>::NAME,
];

/// The health service of a server that serves, and what reports to it.
pub(super) async fn healthy() -> (HealthReporter, HealthServer<impl Health>) {
    let (reporter, service) = health_reporter();
    report(&reporter, ServingStatus::Serving).await;
    (reporter, service)
}

/// Tells the same of all services.
pub(super) async fn report(reporter: &HealthReporter, status: ServingStatus) {
    for service in HEALTH_SERVICES {
        reporter.set_service_status(service, status).await;
    }
}
