//! Restricts services to the leader of a cluster.

use std::sync::Arc;

use bridgemaster_edge::transport::Calls;
use bridgemaster_live::Matches;
use bridgemaster_proto::v1::{ladder_service_server, lobby_service_server};
use tonic::{Status, body::Body, codegen::http};
use tower::service_fn;

/// The services whose state exists only on the leader: ladders and queues.
const LEADER_SERVICES: [&str; 2] =
    [ladder_service_server::SERVICE_NAME, lobby_service_server::SERVICE_NAME];

/// Refuses calls that only the leader can answer, so that they are forwarded. `matches` are this
/// node's matches, which determine whether this node leads.
pub(crate) fn leader_only<S: Calls>(services: S, matches: Arc<Matches>) -> impl Calls {
    service_fn(move |request: http::Request<Body>| {
        let (mut services, matches) = (services.clone(), Arc::clone(&matches));
        async move {
            let service = request.uri().path().split('/').nth(1);
            let needs_leader = service.is_some_and(|service| LEADER_SERVICES.contains(&service));
            if needs_leader
                && !matches.is_leader()
                && let Err(refusal) = matches.check_leader().await
            {
                return Ok(Status::from(refusal).into_http());
            }
            services.call(request).await
        }
    })
}
