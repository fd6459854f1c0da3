//! The services: those for programs and browsers alike, those by which seats are played, and that of
//! bots, for programs only.

use std::sync::Arc;

use bridgemaster_proto::{
    DESCRIPTORS,
    v1::{
        catalog_service_server::CatalogServiceServer, ladder_service_server::LadderServiceServer,
        lobby_service_server::LobbyServiceServer, rules_service_server::RulesServiceServer,
    },
};
use tonic::service::{Routes, interceptor::InterceptedService};

use super::{Server, errors::ServeError, listeners::PortSlots, seat_service::seat_service};
use crate::{
    forwarding::Forwarding,
    play::{Door, Play, PlayFirst, SeatLinks},
    services::{
        Catalog, LadderDesk, Led, LobbyDesk, MatchDesk, RefusalDetails, ReplayDesk, RequestTimeout,
        RulesDesk, SharedStreams,
    },
    transport::ConnectionSlots,
};

/// The services of a server; `F` limits how often they are called.
pub(super) struct Services<F> {
    pub(super) for_programs: InterceptedService<Forwarding<RefusalDetails<PlayFirst>>, F>,
    /// Those that a browser can call.
    pub(super) for_browsers: InterceptedService<Forwarding<RefusalDetails<Routes>>, F>,
}

impl Server {
    /// Adds all services to `routes`. `slots` are the places of connections.
    ///
    /// # Errors
    /// When the descriptors of the protocol cannot be served.
    pub(super) fn services<F: Clone>(
        &self,
        routes: Routes,
        slots: &PortSlots,
        replay_desk: &Arc<ReplayDesk>,
        limit_calls: F,
    ) -> Result<Services<F>, ServeError> {
        let matches = &self.matches;
        let routes = self.with_desks(routes, Arc::clone(replay_desk))?;
        let door = |slots: &Arc<ConnectionSlots>| {
            let authenticator = self.authenticator.clone();
            Door::new(Arc::clone(matches), authenticator, Arc::clone(slots))
        };
        let links = SeatLinks::default();
        let seats = |slots| seat_service(door(slots), &links, matches.limits());
        let play = Play::new(door(&slots.for_programs));
        let for_browsers = routes.clone().add_service(seats(&slots.for_browsers));
        let for_programs = self.with_rules(routes.add_service(seats(&slots.for_programs)));
        let for_programs = RefusalDetails(PlayFirst::new(play, for_programs));
        let for_browsers = RefusalDetails(for_browsers.prepare());
        let to_others = || self.to_others.clone();
        let for_programs = Forwarding::new(for_programs, to_others());
        let for_browsers = Forwarding::new(for_browsers, to_others());
        Ok(Services {
            for_programs: InterceptedService::new(for_programs, limit_calls.clone()),
            for_browsers: InterceptedService::new(for_browsers, limit_calls),
        })
    }

    /// Adds reflection and the services of calls.
    ///
    /// # Errors
    /// When the descriptors of the protocol cannot be served.
    fn with_desks(
        &self,
        routes: Routes,
        replay_desk: Arc<ReplayDesk>,
    ) -> Result<Routes, ServeError> {
        let (limits, matches) = (self.matches.limits(), &self.matches);
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTORS)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        let routes = routes
            .add_service(RequestTimeout::new(
                reflection().build_v1()?,
                limits.hello_time,
            ))
            .add_service(RequestTimeout::new(
                reflection().build_v1alpha()?,
                limits.hello_time,
            ))
            .add_service(RequestTimeout::new(
                CatalogServiceServer::new(Catalog::new(*matches.signing_key().public()))
                    .max_decoding_message_size(limits.request_bytes),
                limits.hello_time,
            ))
            .add_service(RequestTimeout::new(
                SharedStreams::new(
                    MatchDesk::new(
                        Arc::clone(matches),
                        Arc::clone(&self.lobby),
                        Arc::clone(&self.ladders),
                        self.authenticator.clone(),
                        replay_desk,
                    ),
                    limits.request_bytes,
                ),
                limits.hello_time,
            ));
        Ok(self.with_led_desks(routes))
    }

    /// Adds the services of what spans matches.
    fn with_led_desks(&self, routes: Routes) -> Routes {
        let (limits, matches) = (self.matches.limits(), &self.matches);
        let ladders = LadderDesk::new(Arc::clone(&self.ladders), self.authenticator.clone());
        let ladders =
            LadderServiceServer::new(ladders).max_decoding_message_size(limits.request_bytes);
        let lobby = LobbyDesk::new(
            Arc::clone(&self.lobby),
            Arc::clone(&self.ladders),
            self.authenticator.clone(),
        );
        let lobby = LobbyServiceServer::new(lobby).max_decoding_message_size(limits.request_bytes);
        let time = limits.hello_time;
        routes
            .add_service(RequestTimeout::new(
                Led::new(ladders, Arc::clone(matches)),
                time,
            ))
            .add_service(RequestTimeout::new(
                Led::new(lobby, Arc::clone(matches)),
                time,
            ))
    }

    /// Adds the rules by call, if they are served: for programs, since a session is a stream in both
    /// directions.
    fn with_rules(&self, routes: Routes) -> Routes {
        let Some(workers) = &self.rules else {
            return routes;
        };
        let limits = self.matches.limits();
        let desk = RulesDesk::new(
            Arc::clone(workers),
            self.authenticator.clone(),
            limits.rules_idle,
            self.matches.lifecycle().stopping(),
        );
        routes.add_service(RequestTimeout::new(
            RulesServiceServer::new(desk).max_decoding_message_size(limits.request_bytes),
            limits.hello_time,
        ))
    }
}
