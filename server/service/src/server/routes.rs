//! The routes to all services, and the checks that every call passes. Browsers can call only some
//! of the services.

use std::sync::Arc;

use bridgemaster_cluster::forwarding::{Forwarding, HeartbeatService};
use bridgemaster_edge::{
    refusal_details::with_refusal_details,
    transport::{Calls, ConnectionSlots, with_arrival_timeout, with_heartbeats},
};
use bridgemaster_proto::{
    DESCRIPTORS,
    internal::v1::node_service_server::NodeServiceServer,
    v1::{
        catalog_service_server::CatalogServiceServer, ladder_service_server::LadderServiceServer,
        lobby_service_server::LobbyServiceServer, rules_service_server::RulesServiceServer,
        seat_service_server::SeatServiceServer,
    },
};
use tonic::service::{Routes, interceptor::InterceptedService};

use super::{Server, errors::ServeError, listeners::PortSlots};
use crate::{
    play::{SeatAuthenticator, SeatRegistry, SeatRpc, with_least_privilege, with_play},
    services::{
        CatalogRpc, EncodedStreams, LadderRpc, LobbyRpc, MatchRpc, NodeRpc, RulesRpc, leader_only,
    },
};

/// A server's services, for programs and for browsers. `F` limits the rate of calls.
pub(super) struct Services<P, B, F> {
    pub(super) for_programs: InterceptedService<P, F>,
    /// The services that browsers can call.
    pub(super) for_browsers: InterceptedService<B, F>,
}

impl Server {
    /// Adds all services to `routes`. `slots` are the connection slots of the ports.
    ///
    /// # Errors
    /// Returns an error if the descriptors of the protocol are invalid.
    pub(super) fn services<F: Clone>(
        &self,
        routes: Routes,
        slots: &PortSlots,
        limit_calls: F,
    ) -> Result<Services<impl Calls + use<F>, impl Calls + use<F>, F>, ServeError> {
        let PortSlots { for_programs, for_browsers } = slots;
        let routes = self.with_rpc_services(routes)?;
        let max_bytes = self.matches.limits().play_message_bytes;
        // The ports share the registry.
        let registry = SeatRegistry::default();
        let seats = |slots| {
            let seats = SeatRpc::new(self.seat_authenticator(slots), registry.clone());
            SeatServiceServer::new(seats).max_decoding_message_size(max_bytes)
        };
        let play = self.seat_authenticator(for_programs);
        let browser_services = routes.clone().add_service(seats(for_browsers)).prepare();
        let program_services = routes.add_service(seats(for_programs));
        let program_services = self.with_program_services(program_services, for_programs);
        let program_services = with_play(play, program_services);
        Ok(Services {
            for_programs: self.guard(program_services, for_programs, limit_calls.clone()),
            for_browsers: self.guard(browser_services, for_browsers, limit_calls),
        })
    }

    fn seat_authenticator(&self, slots: &Arc<ConnectionSlots>) -> SeatAuthenticator {
        let (matches, slots) = (Arc::clone(&self.matches), Arc::clone(slots));
        SeatAuthenticator::new(matches, self.authenticator.clone(), slots)
    }

    /// Wraps services in the checks that every call passes.
    fn guard<S: Calls, F>(
        &self,
        services: S,
        slots: &Arc<ConnectionSlots>,
        limit_calls: F,
    ) -> InterceptedService<impl Calls + use<S, F>, F> {
        let (matches, limits) = (Arc::clone(&self.matches), self.matches.limits());
        let services = leader_only(services, Arc::clone(&matches));
        let services = with_arrival_timeout(services, limits.hello_time);
        let services = with_heartbeats(with_refusal_details(services), limits.ping_interval);
        let private = self.authenticator.private_access().cloned();
        let services = with_least_privilege(services, private, matches.clone(), Arc::clone(slots));
        InterceptedService::new(Forwarding::new(services, self.forwarder.clone()), limit_calls)
    }

    /// Adds the reflection, unary and server-streaming services.
    ///
    /// # Errors
    /// Returns an error if the descriptors of the protocol are invalid.
    fn with_rpc_services(&self, routes: Routes) -> Result<Routes, ServeError> {
        let (matches, max_bytes) = (&self.matches, self.matches.limits().request_bytes);
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTORS)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        let catalog = CatalogServiceServer::new(CatalogRpc::new(*matches.signing_key().public()));
        let match_rpc = MatchRpc::new(
            Arc::clone(matches),
            Arc::clone(&self.lobby),
            Arc::clone(&self.ladders),
            self.authenticator.clone(),
            Arc::clone(&self.replay_verifier),
            self.forwarder.clone(),
        );
        let ladders = LadderRpc::new(Arc::clone(&self.ladders), self.authenticator.clone());
        let ladders = LadderServiceServer::new(ladders);
        let (lobby, authenticator) = (Arc::clone(&self.lobby), self.authenticator.clone());
        let lobby = LobbyRpc::new(lobby, Arc::clone(&self.ladders), authenticator);
        let lobby = LobbyServiceServer::new(lobby);
        Ok(routes
            .add_service(reflection().build_v1()?)
            .add_service(reflection().build_v1alpha()?)
            .add_service(catalog.max_decoding_message_size(max_bytes))
            .add_service(EncodedStreams::new(match_rpc, max_bytes))
            .add_service(ladders.max_decoding_message_size(max_bytes))
            .add_service(lobby.max_decoding_message_size(max_bytes)))
    }

    /// Adds the services for programs only: those that other nodes call, if there can be other
    /// nodes, and `RulesService`, if it is enabled, whose sessions are bidirectional streams.
    fn with_program_services(&self, mut routes: Routes, slots: &Arc<ConnectionSlots>) -> Routes {
        let (matches, limits) = (&self.matches, self.matches.limits());
        if self.forwarder.is_some() {
            let (lifecycle, slots) = (Arc::clone(matches.lifecycle()), Arc::clone(slots));
            let nodes = NodeRpc::new(Arc::clone(matches), self.authenticator.clone());
            let nodes = NodeServiceServer::new(nodes);
            routes = routes
                .add_service(HeartbeatService::new(lifecycle, slots))
                .add_service(nodes.max_decoding_message_size(limits.request_bytes));
        }
        if let Some(workers) = &self.rules {
            let (workers, authenticator) = (Arc::clone(workers), self.authenticator.clone());
            let stopping = matches.lifecycle().stop_token();
            let rules = RulesRpc::new(workers, authenticator, limits.rules_idle, stopping);
            let rules = RulesServiceServer::new(rules);
            routes = routes.add_service(rules.max_decoding_message_size(limits.request_bytes));
        }
        routes
    }
}
