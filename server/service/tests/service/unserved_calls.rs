//! Calls that no service accepts: unknown methods, and compressed messages.

use bridgemaster_proto::{DESCRIPTORS, METHODS, v1::ListGamesRequest};
use prost_reflect::{DescriptorPool, DynamicMessage};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;

use crate::{
    raw_bot::{RawBot, bearer, hello_message},
    raw_call::{CREATE_MATCH, LIST_GAMES, PLAY, call},
    streams::reason,
    test_server::{GAMES, TestServer, of_two},
};

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
        let refused = call(&server, path, &[]).await.expect_err(path);
        assert_eq!(refused.code(), Code::Unimplemented, "{path}: {refused:?}");
        assert_eq!(reason(&refused), "METHOD_UNKNOWN", "{path}");
        let info = refused.get_details_error_info().unwrap();
        assert_eq!(info.metadata["method"], path);
    }
    let long = format!("/{}", "x".repeat(5_000));
    let refused = call(&server, &long, &[]).await.unwrap_err();
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
        let waiting = ["PlayService/Play", "MatchService/WatchMatches"];
        if waiting.iter().any(|one| path.ends_with(one)) {
            continue;
        }
        if let Err(refused) = call(&server, path, &[]).await
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

#[tokio::test]
async fn the_details_of_a_refusal_decode_with_the_bundled_protocol_files() {
    let server = TestServer::open().await;
    let refused = call(&server, "/nothing", &[]).await.unwrap_err();
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

/// Asserts that a refusal states that the compression is unsupported, and names the supported
/// encoding.
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
        LIST_GAMES,
        CREATE_MATCH,
        "/bridgemaster.v1.MatchService/WatchMatch",
        PLAY,
        "/grpc.health.v1.Health/Check",
    ] {
        for encoding in ["gzip", "deflate", "zstd", "nothing"] {
            let refused = call(&server, path, &[("grpc-encoding", encoding)]).await;
            assert_compression_refused(&refused.expect_err(path), &format!("{path} {encoding}"));
        }
    }
    let identity = [("grpc-encoding", "identity")];
    call(&server, LIST_GAMES, &identity).await.unwrap();

    // The bot is refused before its Hello, and keeps its seat.
    let seated = server.create(of_two()).await;
    let metadata = [("authorization", &*bearer(&seated.tickets[0])), ("grpc-encoding", "gzip")];
    let refused = RawBot::open_with(&server, &metadata, Some(hello_message())).await;
    assert_compression_refused(&refused.err().unwrap(), "Play");
    assert_eq!(server.info(&seated.match_id).await.seats[0].bot_name, "");
    server.join(&seated.tickets[0]).await;
}

#[tokio::test]
async fn responses_are_not_compressed_even_if_the_client_accepts_it() {
    let server = TestServer::open().await;
    let mut request = Request::new(ListGamesRequest {});
    let accepted = "gzip,deflate,zstd,identity".parse().unwrap();
    let metadata = request.metadata_mut();
    metadata.insert("grpc-accept-encoding", accepted);
    let listed = server.catalog().list_games(request).await.unwrap();
    assert_eq!(listed.metadata().get("grpc-encoding"), None);
    assert_eq!(listed.into_inner().games.len(), GAMES.len());
}
