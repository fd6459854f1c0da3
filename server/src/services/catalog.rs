//! `CatalogService`: which games there are.

use bridgemaster_games::{GAME_IDS, Game, with_game};
use bridgemaster_proto::{
    games::WireGame,
    v1::{
        GameDescription, ListGamesRequest, ListGamesResponse,
        catalog_service_server::CatalogService,
    },
};
use tonic::{Request, Response, Status};

/// The service; what it tells is fixed in the rules.
pub(crate) struct Catalog;

#[tonic::async_trait]
impl CatalogService for Catalog {
    async fn list_games(
        &self,
        _request: Request<ListGamesRequest>,
    ) -> Result<Response<ListGamesResponse>, Status> {
        let games = GAME_IDS
            .iter()
            .filter_map(|&id| with_game!(id, G => describe::<G>()))
            .collect();
        Ok(Response::new(ListGamesResponse { games }))
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
        default_config: Some(G::config_to_wire(&<G as Game>::Config::default())),
        notes: G::NOTES.iter().map(|&note| note.to_owned()).collect(),
    }
}
