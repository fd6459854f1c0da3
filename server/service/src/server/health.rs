//! The health service, and what it tells of.

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
    play::{Play, SeatCalls},
    services::{Catalog, LadderDesk, LobbyDesk, MatchDesk, RulesDesk},
};

/// The names of the services that every server has; the empty name is the server as a whole.
const HEALTH_SERVICES: &[&str] = &[
    "",
    CatalogServiceServer::<Catalog>::NAME,
    Play::NAME,
    SeatServiceServer::<SeatCalls>::NAME,
    MatchServiceServer::<MatchDesk>::NAME,
    LadderServiceServer::<LadderDesk>::NAME,
    LobbyServiceServer::<LobbyDesk>::NAME,
];

/// Tells through the health service how the services of one server are.
#[derive(Clone)]
pub(super) struct ServicesHealth {
    reporter: HealthReporter,
    has_rules: bool,
}

impl ServicesHealth {
    /// Of a server that serves, and the service that tells it. `has_rules`: it has the rules by
    /// call.
    pub(super) async fn serving(has_rules: bool) -> (Self, HealthServer<impl Health>) {
        let (reporter, service) = health_reporter();
        let health = Self {
            reporter,
            has_rules,
        };
        health.report(ServingStatus::Serving).await;
        (health, service)
    }

    /// Tells whether the services answer, of a server that runs.
    pub(super) async fn answers(&self, answers: bool) {
        let status = match answers {
            true => ServingStatus::Serving,
            false => ServingStatus::NotServing,
        };
        self.report(status).await;
    }

    /// Tells the same of all services.
    pub(super) async fn report(&self, status: ServingStatus) {
        let rules = self
            .has_rules
            .then_some(RulesServiceServer::<RulesDesk>::NAME);
        for service in HEALTH_SERVICES.iter().copied().chain(rules) {
            self.reporter.set_service_status(service, status).await;
        }
    }
}
