//! The services for programs and browsers alike: all but that of bots.

use std::sync::Arc;

use bridgemaster_proto::{
    DESCRIPTORS,
    v1::{
        catalog_service_server::CatalogServiceServer, ladder_service_server::LadderServiceServer,
        lobby_service_server::LobbyServiceServer, match_service_server::MatchServiceServer,
    },
};
use tonic::service::Routes;

use super::{Server, errors::ServeError};
use crate::services::{Catalog, LadderDesk, LobbyDesk, MatchDesk, ReplayDesk, RequestTimeout};

impl Server {
    /// Adds reflection and the services of calls.
    ///
    /// # Errors
    /// When the descriptors of the protocol cannot be served.
    pub(super) fn with_desks(
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
                LadderServiceServer::new(LadderDesk::new(
                    Arc::clone(&self.ladders),
                    self.authenticator.clone(),
                ))
                .max_decoding_message_size(limits.request_bytes),
                limits.hello_time,
            ))
            .add_service(RequestTimeout::new(
                LobbyServiceServer::new(LobbyDesk::new(
                    Arc::clone(&self.lobby),
                    Arc::clone(matches),
                    self.authenticator.clone(),
                ))
                .max_decoding_message_size(limits.request_bytes),
                limits.hello_time,
            ))
            .add_service(RequestTimeout::new(
                MatchServiceServer::new(MatchDesk::new(
                    Arc::clone(matches),
                    Arc::clone(&self.lobby),
                    self.authenticator.clone(),
                    replay_desk,
                ))
                .max_decoding_message_size(limits.request_bytes),
                limits.hello_time,
            ));
        Ok(routes)
    }
}
