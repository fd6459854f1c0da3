//! The routes to all services. Browsers can call only some of the services.

use std::sync::Arc;

use bridgemaster_cluster::forwarding::{Forwarding, HeartbeatService};
use bridgemaster_edge::{
    refusal_details::RefusalDetails,
    transport::{ConnectionSlots, RequestArrivalTimeout},
};
use bridgemaster_proto::{
    DESCRIPTORS,
    internal::v1::node_service_server::NodeServiceServer,
    v1::{
        catalog_service_server::CatalogServiceServer, ladder_service_server::LadderServiceServer,
        lobby_service_server::LobbyServiceServer, rules_service_server::RulesServiceServer,
    },
};
use tonic::service::{Routes, interceptor::InterceptedService};

use super::{Server, errors::ServeError, listeners::PortSlots, seat_service};
use crate::{
    play::{LeastPrivilege, PlayDispatcher, PlayRpc, SeatAuthenticator, SeatRegistry},
    services::{
        CatalogRpc, EncodedStreams, LadderRpc, LeaderOnly, LobbyRpc, MatchRpc, NodeRpc,
        ReplaySlots, RulesRpc,
    },
};

/// A server's services. `F` limits the rate of calls.
pub(super) struct Services<F> {
    pub(super) for_programs:
        InterceptedService<Forwarding<LeastPrivilege<RefusalDetails<PlayDispatcher>>>, F>,
    /// The services that browsers can call.
    pub(super) for_browsers:
        InterceptedService<Forwarding<LeastPrivilege<RefusalDetails<Routes>>>, F>,
}

impl Server {
    /// Adds all services to `routes`. `slots` are the connection slots of the port.
    ///
    /// # Errors
    /// When the descriptors of the protocol are invalid.
    pub(super) fn services<F: Clone>(
        &self,
        routes: Routes,
        slots: &PortSlots,
        replay_slots: &Arc<ReplaySlots>,
        limit_calls: F,
    ) -> Result<Services<F>, ServeError> {
        let matches = &self.matches;
        let routes = self.with_rpc_services(routes, Arc::clone(replay_slots))?;
        let seat_authenticator = |slots: &Arc<ConnectionSlots>| {
            let authenticator = self.authenticator.clone();
            SeatAuthenticator::new(Arc::clone(matches), authenticator, Arc::clone(slots))
        };
        let registry = SeatRegistry::default();
        let seats = |slots| seat_service(seat_authenticator(slots), &registry, matches.limits());
        let play = PlayRpc::new(seat_authenticator(&slots.for_programs));
        let for_browsers = routes.clone().add_service(seats(&slots.for_browsers));
        let beats =
            HeartbeatService::new(Arc::clone(matches.lifecycle()), Arc::clone(&slots.for_programs));
        let for_programs = routes.add_service(seats(&slots.for_programs));
        let for_programs = self.with_rules(self.with_node_services(for_programs, beats));
        let for_programs = RefusalDetails(PlayDispatcher::new(play, for_programs));
        let for_browsers = RefusalDetails(for_browsers.prepare());
        let private = || self.authenticator.private_access().cloned();
        let for_programs =
            LeastPrivilege::new(for_programs, private(), matches, &slots.for_programs);
        let for_browsers =
            LeastPrivilege::new(for_browsers, private(), matches, &slots.for_browsers);
        let forwarder = || self.forwarder.clone();
        let for_programs = Forwarding::new(for_programs, forwarder());
        let for_browsers = Forwarding::new(for_browsers, forwarder());
        Ok(Services {
            for_programs: InterceptedService::new(for_programs, limit_calls.clone()),
            for_browsers: InterceptedService::new(for_browsers, limit_calls),
        })
    }

    /// Adds the reflection, unary and server-streaming services.
    ///
    /// # Errors
    /// When the descriptors of the protocol are invalid.
    fn with_rpc_services(
        &self,
        routes: Routes,
        replay_slots: Arc<ReplaySlots>,
    ) -> Result<Routes, ServeError> {
        let (limits, matches) = (self.matches.limits(), &self.matches);
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTORS)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        let routes = routes
            .add_service(RequestArrivalTimeout::new(reflection().build_v1()?, limits.hello_time))
            .add_service(RequestArrivalTimeout::new(
                reflection().build_v1alpha()?,
                limits.hello_time,
            ))
            .add_service(RequestArrivalTimeout::new(
                CatalogServiceServer::new(CatalogRpc::new(*matches.signing_key().public()))
                    .max_decoding_message_size(limits.request_bytes),
                limits.hello_time,
            ))
            .add_service(RequestArrivalTimeout::new(
                EncodedStreams::new(
                    MatchRpc::new(
                        Arc::clone(matches),
                        Arc::clone(&self.lobby),
                        Arc::clone(&self.ladders),
                        self.authenticator.clone(),
                        replay_slots,
                        self.forwarder.clone(),
                    ),
                    limits.request_bytes,
                ),
                limits.hello_time,
            ));
        Ok(self.with_leader_services(routes))
    }

    /// Adds the services that only the leader provides.
    fn with_leader_services(&self, routes: Routes) -> Routes {
        let (limits, matches) = (self.matches.limits(), &self.matches);
        let ladders = LadderRpc::new(Arc::clone(&self.ladders), self.authenticator.clone());
        let ladders =
            LadderServiceServer::new(ladders).max_decoding_message_size(limits.request_bytes);
        let lobby = LobbyRpc::new(
            Arc::clone(&self.lobby),
            Arc::clone(&self.ladders),
            self.authenticator.clone(),
        );
        let lobby = LobbyServiceServer::new(lobby).max_decoding_message_size(limits.request_bytes);
        let time = limits.hello_time;
        routes
            .add_service(RequestArrivalTimeout::new(
                LeaderOnly::new(ladders, Arc::clone(matches)),
                time,
            ))
            .add_service(RequestArrivalTimeout::new(
                LeaderOnly::new(lobby, Arc::clone(matches)),
                time,
            ))
    }

    /// Adds the services that only other nodes may call, if there can be other nodes.
    fn with_node_services(&self, routes: Routes, beats: HeartbeatService) -> Routes {
        if self.forwarder.is_none() {
            return routes;
        }
        let nodes = NodeRpc::new(Arc::clone(&self.matches), self.authenticator.clone());
        let nodes = NodeServiceServer::new(nodes)
            .max_decoding_message_size(self.matches.limits().request_bytes);
        let time = self.matches.limits().hello_time;
        routes.add_service(beats).add_service(RequestArrivalTimeout::new(nodes, time))
    }

    /// Adds `RulesService` if it is enabled. `RulesService` is for programs only, since a session
    /// is a bidirectional stream.
    fn with_rules(&self, routes: Routes) -> Routes {
        let Some(workers) = &self.rules else {
            return routes;
        };
        let limits = self.matches.limits();
        let rules = RulesRpc::new(
            Arc::clone(workers),
            self.authenticator.clone(),
            limits.rules_idle,
            self.matches.lifecycle().stop_token(),
        );
        routes.add_service(RequestArrivalTimeout::new(
            RulesServiceServer::new(rules).max_decoding_message_size(limits.request_bytes),
            limits.hello_time,
        ))
    }
}
