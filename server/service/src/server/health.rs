//! The gRPC health service, and the status that it reports for each service.

use std::{convert::Infallible, time::Duration};

use bridgemaster_live::Matches;
use bridgemaster_proto::v1::{
    catalog_service_server::CatalogServiceServer, ladder_service_server::LadderServiceServer,
    lobby_service_server::LobbyServiceServer, match_service_server::MatchServiceServer,
    play_service_server, rules_service_server::RulesServiceServer,
    seat_service_server::SeatServiceServer,
};
use tokio::time::sleep;
use tonic::server::NamedService;
use tonic_health::{
    ServingStatus,
    pb::health_server::{Health, HealthServer},
    server::{HealthReporter, health_reporter},
};
use tracing::{error, info};

use crate::{
    play::SeatRpc,
    services::{CatalogRpc, LadderRpc, LobbyRpc, MatchRpc, RulesRpc},
};

/// The age of a commit from which a server reports that it is not serving. The server can send
/// nothing before the commit is stored, so a load balancer should use another node.
const MAX_COMMIT_AGE: Duration = Duration::from_secs(10);

/// Interval at which the health of a running server is determined.
const HEALTH_INTERVAL: Duration = Duration::from_millis(250);

/// The services that every server has; the empty name stands for the server as a whole.
const HEALTH_SERVICES: &[&str] = &[
    "",
    CatalogServiceServer::<CatalogRpc>::NAME,
    play_service_server::SERVICE_NAME,
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
        let health = Self { reporter, has_rules };
        health.report(ServingStatus::Serving).await;
        (health, service)
    }

    /// Reports the same status for all services.
    pub(super) async fn report(&self, status: ServingStatus) {
        let rules = self.has_rules.then_some(RulesServiceServer::<RulesRpc>::NAME);
        for service in HEALTH_SERVICES.iter().copied().chain(rules) {
            self.reporter.set_service_status(service, status).await;
        }
    }
}

/// Reports the health of a running server: whether its lease permits it to answer calls, and
/// whether its commits complete.
pub(super) async fn report_health(matches: &Matches, health: &ServicesHealth) -> Infallible {
    let mut was_healthy = true;
    loop {
        let cluster = matches.cluster();
        let has_lease = cluster.is_none_or(|cluster| cluster.check_lease().is_ok());
        let journal = matches.journal();
        let commit_age = journal.map_or(Duration::ZERO, |journal| journal.oldest_commit_age());
        let is_healthy = has_lease && commit_age < MAX_COMMIT_AGE;
        if is_healthy && !was_healthy {
            info!("the server is healthy again");
            health.report(ServingStatus::Serving).await;
        } else if was_healthy && !is_healthy {
            let commit_age_ms = commit_age.as_millis() as u64;
            error!(has_lease, commit_age_ms, "the server is not healthy");
            health.report(ServingStatus::NotServing).await;
        }
        was_healthy = is_healthy;
        sleep(HEALTH_INTERVAL).await;
    }
}
