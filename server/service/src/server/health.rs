//! What the health service tells of.

use bridgemaster_proto::v1::{
    catalog_service_server::CatalogServiceServer, ladder_service_server::LadderServiceServer,
    lobby_service_server::LobbyServiceServer, match_service_server::MatchServiceServer,
    play_service_server::PlayServiceServer,
};
use tonic::server::NamedService;

use crate::{
    play::Play,
    services::{Catalog, LadderDesk, LobbyDesk, MatchDesk},
};

/// The names of the services; the empty name is the server as a whole.
pub(super) const HEALTH_SERVICES: &[&str] = &[
    "",
    CatalogServiceServer::<Catalog>::NAME,
    PlayServiceServer::<Play>::NAME,
    MatchServiceServer::<MatchDesk>::NAME,
    LadderServiceServer::<LadderDesk>::NAME,
    LobbyServiceServer::<LobbyDesk>::NAME,
];
