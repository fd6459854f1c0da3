//! Calls that no service of the server takes: of unknown methods, and with compressed messages.

use bridgemaster_proto::{
    DESCRIPTORS,
    v1::{
        ListGamesRequest, PlayRequest, play_request::Message,
        play_service_client::PlayServiceClient,
    },
};
use prost_reflect::{DescriptorPool, DynamicMessage};
use tonic::{Code, Request, Status, transport::Channel};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt as _;

use crate::{
    raw_bot::{RawBot, hello, reason, request},
    table::{GAMES, Table, config},
};

/// A unary call with an empty request, and with metadata.
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
async fn a_method_that_the_server_has_not_is_unimplemented_and_the_refusal_names_it() {
    let table = Table::open().await;
    for path in [
        "/bridgemaster.v1.CatalogService/Nothing",
        "/bridgemaster.v1.MatchService/Nothing",
        "/bridgemaster.v1.PlayService/Nothing",
        "/grpc.health.v1.Health/Nothing",
        "/grpc.reflection.v1.ServerReflection/Nothing",
        "/bridgemaster.v9.PlayService/Play",
        "/nothing",
    ] {
        let refused = call(&table.channel, path, &[]).await.expect_err(path);
        assert_eq!(refused.code(), Code::Unimplemented, "{path}: {refused:?}");
        assert_eq!(reason(&refused), "METHOD_UNKNOWN", "{path}");
        let info = refused.get_details_error_info().unwrap();
        assert_eq!(info.metadata["method"], path);
    }
    let long = format!("/{}", "x".repeat(5_000));
    let refused = call(&table.channel, &long, &[]).await.unwrap_err();
    assert_eq!(reason(&refused), "METHOD_UNKNOWN");
    assert!(refused.details().len() < 300, "{}", refused.details().len());
}

#[tokio::test]
async fn the_details_of_a_refusal_can_be_read_with_the_files_that_come_with_the_protocol() {
    let table = Table::open().await;
    let refused = call(&table.channel, "/nothing", &[]).await.unwrap_err();
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

/// Makes sure that a refusal says that compression is the client's defect, and what is taken.
fn assert_not_taken(refused: &Status, what: &str) {
    assert_eq!(refused.code(), Code::Unimplemented, "{what}: {refused:?}");
    assert_eq!(reason(refused), "COMPRESSION_UNSUPPORTED", "{what}");
    let taken = refused.metadata().get("grpc-accept-encoding");
    assert_eq!(taken.unwrap(), "identity", "{what}");
}

#[tokio::test]
async fn compressed_requests_are_refused_and_the_refusal_says_what_is_taken() {
    let table = Table::open().await;
    for path in [
        "/bridgemaster.v1.CatalogService/ListGames",
        "/bridgemaster.v1.MatchService/CreateMatch",
        "/bridgemaster.v1.MatchService/WatchMatch",
        "/bridgemaster.v1.PlayService/Play",
        "/grpc.health.v1.Health/Check",
    ] {
        for encoding in ["gzip", "deflate", "zstd", "nothing"] {
            let refused = call(&table.channel, path, &[("grpc-encoding", encoding)]).await;
            assert_not_taken(&refused.expect_err(path), &format!("{path} {encoding}"));
        }
    }
    let identity = [("grpc-encoding", "identity")];
    let list_games = "/bridgemaster.v1.CatalogService/ListGames";
    call(&table.channel, list_games, &identity).await.unwrap();
}

#[tokio::test]
async fn a_bot_that_compresses_is_refused_before_it_says_hello_and_its_seat_stays() {
    let table = Table::open().await;
    let seated = table.create(config(GAMES[0], 2)).await;
    let bearer = format!("Bearer {}", seated.tickets[0]);
    let metadata = [
        ("authorization", bearer),
        ("grpc-encoding", "gzip".to_owned()),
    ];
    let first: PlayRequest = request(Message::Hello(hello()));
    let client: PlayServiceClient<Channel> = table.player().await;
    let refused = RawBot::open_showing(client, metadata, first).await;
    assert_not_taken(&refused.err().unwrap(), "Play");
    assert_eq!(table.info(&seated.match_id).await.seats[0].bot_name, "");
    RawBot::join(&table, &seated.tickets[0]).await;
}

#[tokio::test]
async fn answers_are_not_compressed_for_clients_that_would_take_it() {
    let table = Table::open().await;
    let mut request = Request::new(ListGamesRequest {});
    let accepted = "gzip,deflate,zstd,identity".parse().unwrap();
    request
        .metadata_mut()
        .insert("grpc-accept-encoding", accepted);
    let listed = table.catalog().list_games(request).await.unwrap();
    assert_eq!(listed.metadata().get("grpc-encoding"), None);
    assert_eq!(listed.into_inner().games.len(), GAMES.len());
}
