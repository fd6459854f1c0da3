//! The catalog, health and reflection services.

use bridgemaster_proto::v1::{GetServerInfoRequest, ListGamesRequest};
use bridgemaster_replay::PublicKey;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

use crate::test_server::{GAMES, TestServer, config};

#[tokio::test]
async fn the_catalog_lists_every_game_with_a_valid_config() {
    let server = TestServer::open().await;
    let listed = server.catalog().list_games(ListGamesRequest {}).await;
    let listed = listed.unwrap().into_inner();
    let ids: Vec<_> = listed.games.iter().map(|game| &*game.game_id).collect();
    assert_eq!(ids, GAMES);
    for game in listed.games {
        assert!(game.rules_version > 0 && game.legal_decisions_cap > 0);
        for seats in game.min_seats..=game.max_seats {
            let mut config = config(&game.game_id, seats);
            config.game = game.default_config.clone();
            server.create(config).await;
        }
    }
}

#[tokio::test]
async fn the_server_reports_its_version_revision_and_signing_key() {
    let server = TestServer::open().await;
    let mut catalog = server.catalog();
    let info = catalog.get_server_info(GetServerInfoRequest {}).await;
    let info = info.unwrap().into_inner();
    assert_eq!(info.server_version, bridgemaster_server::VERSION);
    let key = PublicKey::from_bytes(&info.signing_key).unwrap();
    assert_eq!(info.signing_key_id, key.id().as_bytes());
    assert_eq!(info.protocol_revision, bridgemaster_proto::PROTOCOL_REVISION);
}

#[tokio::test]
async fn health_and_reflection_answer() {
    let server = TestServer::open().await;
    for service in [
        "",
        "bridgemaster.v1.CatalogService",
        "bridgemaster.v1.PlayService",
        "bridgemaster.v1.MatchService",
    ] {
        let request = HealthCheckRequest { service: service.to_owned() };
        let mut health = HealthClient::new(server.channel.clone());
        let status = health.check(request).await.unwrap().into_inner().status();
        assert_eq!(status, ServingStatus::Serving, "{service}");
    }
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut client = ServerReflectionClient::new(server.channel.clone());
    let answers = client.server_reflection_info(tokio_stream::once(request));
    let mut answers = answers.await.unwrap().into_inner();
    let answer = answers.message().await.unwrap().unwrap();
    let Some(MessageResponse::ListServicesResponse(services)) = answer.message_response else {
        panic!("{answer:?}");
    };
    let names: Vec<_> = services.service.into_iter().map(|s| s.name).collect();
    for service in [
        "bridgemaster.v1.CatalogService",
        "bridgemaster.v1.MatchService",
        "bridgemaster.v1.PlayService",
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
    ] {
        assert!(names.iter().any(|name| name == service), "{names:?}");
    }
}
