//! `CatalogService`: the games of this server, and its identity.

use bridgemaster_edge::VERSION;
use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::{
    PROTOCOL_REVISION,
    games::WireGame,
    v1::{
        GameDescription, GetServerInfoRequest, GetServerInfoResponse, ListGamesRequest,
        ListGamesResponse, catalog_service_server::CatalogService,
    },
};
use tonic::{Request, Response, Status};

use bridgemaster_replay::PublicKey;

/// The implementation of `CatalogService`. The responses do not change while the server runs.
pub(crate) struct CatalogRpc {
    signing_key: PublicKey,
}

impl CatalogRpc {
    /// Creates the catalogue of a server that signs replays with `signing_key`.
    pub(crate) fn new(signing_key: PublicKey) -> Self {
        Self { signing_key }
    }
}

#[tonic::async_trait]
impl CatalogService for CatalogRpc {
    async fn list_games(
        &self,
        _request: Request<ListGamesRequest>,
    ) -> Result<Response<ListGamesResponse>, Status> {
        let games =
            GAME_IDS.iter().filter_map(|&id| with_game!(id, G => describe::<G>())).collect();
        Ok(Response::new(ListGamesResponse { games }))
    }

    async fn get_server_info(
        &self,
        _request: Request<GetServerInfoRequest>,
    ) -> Result<Response<GetServerInfoResponse>, Status> {
        Ok(Response::new(GetServerInfoResponse {
            server_version: VERSION.to_owned(),
            signing_key: self.signing_key.as_bytes().to_vec(),
            signing_key_id: self.signing_key.id().as_bytes().to_vec(),
            protocol_revision: PROTOCOL_REVISION,
        }))
    }
}

fn describe<G: WireGame>() -> GameDescription {
    GameDescription {
        game_id: G::ID.to_owned(),
        name: G::NAME.to_owned(),
        rules_version: G::RULES_VERSION,
        min_seats: (*G::SEATS.start()).into(),
        max_seats: (*G::SEATS.end()).into(),
        legal_decisions_cap: u32::try_from(G::LEGAL_CAP).unwrap_or(u32::MAX),
        default_config: Some(G::config_to_wire(&Default::default())),
        data_notes: G::NOTES.iter().map(|&note| note.to_owned()).collect(),
    }
}
