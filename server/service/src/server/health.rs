//! The gRPC health service, and the status that it reports for each service.

use bridgemaster_proto::v1::{
    catalog_service_server::CatalogServiceServer, ladder_service_server::LadderServiceServer,
    lobby_service_server::LobbyServiceServer, match_service_server::MatchServiceServer,
    rules_service_server::RulesServiceServer, seat_service_server::SeatServiceServer,
};
use tonic::server::NamedService;
use tonic_health::{
    ServingStatus,
    pb::health_server::{Health, HealthServer},
    server::{HealthReporter, health_reporter},
};

use crate::{
    play::{PlayRpc, SeatRpc},
    services::{CatalogRpc, LadderRpc, LobbyRpc, MatchRpc, RulesRpc},
};

/// The services that every server has; the empty name stands for the server as a whole.
const HEALTH_SERVICES: &[&str] = &[
    "",
    CatalogServiceServer::<CatalogRpc>::NAME,
    PlayRpc::NAME,
    SeatServiceServer::<SeatRpc>::NAME,
    MatchServiceServer::<MatchRpc>::NAME,
    LadderServiceServer::<LadderRpc>::NAME,
    LobbyServiceServer::<LobbyRpc>::NAME,
];

/// Reports the health of a server's services.
#[derive(Clone)]
pub(super) struct ServicesHealth {
    reporter: HealthReporter,
    has_rules: bool,
}

impl ServicesHealth {
    /// Creates the health service, and reports all services as serving. `has_rules` includes
    /// `RulesService`.
    pub(super) async fn new(has_rules: bool) -> (Self, HealthServer<impl Health>) {
        let (reporter, service) = health_reporter();
        let health = Self {
            reporter,
            has_rules,
        };
        health.report(ServingStatus::Serving).await;
        (health, service)
    }

    /// Reports whether the services of a running server accept calls.
    pub(super) async fn report_answering(&self, is_answering: bool) {
        let status = if is_answering {
            ServingStatus::Serving
        } else {
            ServingStatus::NotServing
        };
        self.report(status).await;
    }

    /// Reports the same status for all services.
    pub(super) async fn report(&self, status: ServingStatus) {
        let rules = self
            .has_rules
            .then_some(RulesServiceServer::<RulesRpc>::NAME);
        for service in HEALTH_SERVICES.iter().copied().chain(rules) {
            self.reporter.set_service_status(service, status).await;
        }
    }
}
