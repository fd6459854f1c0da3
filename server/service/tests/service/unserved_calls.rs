//! Calls that no service accepts: unknown methods, unsupported fields, and compressed messages.

use bridgemaster_proto::{
    DESCRIPTORS, METHODS,
    v1::{
        CreateMatchRequest, ListGamesRequest, PlayRequest, SpectatorAccess, SpectatorRules,
        play_request::Message, play_service_client::PlayServiceClient,
    },
};
use prost_reflect::{DescriptorPool, DynamicMessage};
use tonic::{Code, Request, Status, transport::Channel};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt as _;

use crate::{
    raw_bot::{RawBot, hello, reason, request},
    test_server::{GAMES, TestServer, config},
};

type Change<M> = fn(&mut M);

/// Sends a unary call with an empty request and this metadata.
async fn call(
    channel: &Channel,
    path: &str,
    metadata: &[(&'static str, &str)],
) -> Result<(), Status> {
    let mut client = tonic::client::Grpc::new(channel.clone());
    client.ready().await.unwrap();
    let mut request = Request::new(());
    for (name, value) in metadata {
        request.metadata_mut().insert(*name, value.parse().unwrap());
    }
    let codec = ProstCodec::<(), ()>::default();
    let called = client.unary(request, path.parse().unwrap(), codec).await;
    called.map(|_| ())
}

#[tokio::test]
async fn an_unknown_method_is_unimplemented_and_named_by_the_refusal() {
    let server = TestServer::open().await;
    for path in [
        "/bridgemaster.v1.CatalogService/Nothing",
        "/bridgemaster.v1.MatchService/Nothing",
        "/bridgemaster.v1.PlayService/Nothing",
        "/grpc.health.v1.Health/Nothing",
        "/grpc.reflection.v1.ServerReflection/Nothing",
        "/bridgemaster.v9.PlayService/Play",
        "/nothing",
    ] {
        let refused = call(&server.channel, path, &[]).await.expect_err(path);
        assert_eq!(refused.code(), Code::Unimplemented, "{path}: {refused:?}");
        assert_eq!(reason(&refused), "METHOD_UNKNOWN", "{path}");
        let info = refused.get_details_error_info().unwrap();
        assert_eq!(info.metadata["method"], path);
    }
    let long = format!("/{}", "x".repeat(5_000));
    let refused = call(&server.channel, &long, &[]).await.unwrap_err();
    assert_eq!(reason(&refused), "METHOD_UNKNOWN");
    assert!(refused.details().len() < 300, "{}", refused.details().len());
}

#[tokio::test]
async fn only_the_methods_of_the_disabled_rules_service_are_unimplemented() {
    let server = TestServer::open().await;
    let mut unsupported = Vec::new();
    for path in METHODS {
        // These wait for a bot or a match. All others answer an empty request, or refuse it for
        // another reason.
        if ["PlayService/Play", "MatchService/WatchMatches"]
            .iter()
            .any(|one| path.ends_with(one))
        {
            continue;
        }
        if let Err(refused) = call(&server.channel, path, &[]).await
            && refused.code() == Code::Unimplemented
        {
            assert_eq!(reason(&refused), "NOT_SUPPORTED", "{path}: {refused:?}");
            let info = refused.get_details_error_info().unwrap();
            assert_eq!(info.metadata["method"], *path);
            unsupported.push((*path).to_owned());
        }
    }
    // The rules service is disabled on this server.
    let is_off = |path: &String| path.starts_with("/bridgemaster.v1.RulesService/");
    assert!(unsupported.iter().all(is_off), "{unsupported:?}");
    assert_eq!(unsupported.len(), 7, "{unsupported:?}");
}

/// Asserts that a refusal names an unsupported field.
fn assert_unsupported(refused: &Status, field: &str) {
    assert_eq!(refused.code(), Code::Unimplemented, "{field}: {refused:?}");
    assert_eq!(reason(refused), "NOT_SUPPORTED", "{field}");
    let info = refused.get_details_error_info().unwrap();
    assert_eq!(info.metadata["field"], field);
    let bad = refused.get_details_bad_request().unwrap();
    assert_eq!(bad.field_violations[0].field, field);
}

#[tokio::test]
async fn a_new_match_with_an_unsupported_field_is_refused_with_the_field() {
    let server = TestServer::open().await;
    let access = "config.spectators.access";
    let fields: [(&str, Change<CreateMatchRequest>); 1] = [(access, |asked| {
        asked.config.as_mut().unwrap().spectators = Some(SpectatorRules {
            access: SpectatorAccess::Public.into(),
            ..SpectatorRules::default()
        });
    })];
    for (field, set) in fields {
        let mut asked = CreateMatchRequest {
            config: Some(config(GAMES[0], 2)),
            ..CreateMatchRequest::default()
        };
        set(&mut asked);
        let refused = server.matches().create_match(asked).await.expect_err(field);
        assert_unsupported(&refused, field);
    }
}

#[tokio::test]
async fn a_match_can_require_a_version_of_its_rules() {
    let server = TestServer::open().await;
    let wanted = |rules_version| CreateMatchRequest {
        config: Some(config(GAMES[0], 2)),
        rules_version: Some(rules_version),
        ..CreateMatchRequest::default()
    };
    let listed = server
        .catalog()
        .list_games(ListGamesRequest {})
        .await
        .unwrap();
    let served = listed.into_inner().games[0].rules_version;
    let made = server.matches().create_match(wanted(served)).await.unwrap();
    assert_eq!(made.into_inner().r#match.unwrap().rules_version, served);
    let refused = server
        .matches()
        .create_match(wanted(served + 1))
        .await
        .unwrap_err();
    assert_eq!(reason(&refused), "INVALID_FIELD");
    assert!(
        refused.message().starts_with("rules_version: "),
        "{refused:?}"
    );
}

#[tokio::test]
async fn the_details_of_a_refusal_decode_with_the_bundled_protocol_files() {
    let server = TestServer::open().await;
    let refused = call(&server.channel, "/nothing", &[]).await.unwrap_err();
    let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
    let status = pool.get_message_by_name("google.rpc.Status").unwrap();
    let status = DynamicMessage::decode(status, refused.details()).unwrap();
    let status = serde_json::to_value(&status).unwrap();
    assert_eq!(status["code"], Code::Unimplemented as i32);
    let detail = &status["details"][0];
    assert_eq!(detail["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
    assert_eq!(detail["reason"], "METHOD_UNKNOWN");
    assert_eq!(detail["metadata"]["method"], "/nothing");
}

/// Asserts that a refusal blames the client's compression and names the supported encoding.
fn assert_compression_refused(refused: &Status, what: &str) {
    assert_eq!(refused.code(), Code::Unimplemented, "{what}: {refused:?}");
    assert_eq!(reason(refused), "COMPRESSION_UNSUPPORTED", "{what}");
    let taken = refused.metadata().get("grpc-accept-encoding");
    assert_eq!(taken.unwrap(), "identity", "{what}");
}

#[tokio::test]
async fn compressed_requests_are_refused_with_the_supported_encoding() {
    let server = TestServer::open().await;
    for path in [
        "/bridgemaster.v1.CatalogService/ListGames",
        "/bridgemaster.v1.MatchService/CreateMatch",
        "/bridgemaster.v1.MatchService/WatchMatch",
        "/bridgemaster.v1.PlayService/Play",
        "/grpc.health.v1.Health/Check",
    ] {
        for encoding in ["gzip", "deflate", "zstd", "nothing"] {
            let refused = call(&server.channel, path, &[("grpc-encoding", encoding)]).await;
            assert_compression_refused(&refused.expect_err(path), &format!("{path} {encoding}"));
        }
    }
    let identity = [("grpc-encoding", "identity")];
    let list_games = "/bridgemaster.v1.CatalogService/ListGames";
    call(&server.channel, list_games, &identity).await.unwrap();
}

#[tokio::test]
async fn a_bot_that_compresses_is_refused_before_hello_and_keeps_its_seat() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let bearer = format!("Bearer {}", seated.tickets[0]);
    let metadata = [
        ("authorization", bearer),
        ("grpc-encoding", "gzip".to_owned()),
    ];
    let first: PlayRequest = request(Message::Hello(hello()));
    let client: PlayServiceClient<Channel> = server.player().await;
    let refused = RawBot::open_with_metadata(client, metadata, first).await;
    assert_compression_refused(&refused.err().unwrap(), "Play");
    assert_eq!(server.info(&seated.match_id).await.seats[0].bot_name, "");
    RawBot::join(&server, &seated.tickets[0]).await;
}

#[tokio::test]
async fn responses_are_not_compressed_even_if_the_client_accepts_it() {
    let server = TestServer::open().await;
    let mut request = Request::new(ListGamesRequest {});
    let accepted = "gzip,deflate,zstd,identity".parse().unwrap();
    request
        .metadata_mut()
        .insert("grpc-accept-encoding", accepted);
    let listed = server.catalog().list_games(request).await.unwrap();
    assert_eq!(listed.metadata().get("grpc-encoding"), None);
    assert_eq!(listed.into_inner().games.len(), GAMES.len());
}
