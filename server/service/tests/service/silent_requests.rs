//! Calls that announce a request and do not send it.

use std::time::Duration;

use bridgemaster_server::Limits;
use tokio::time::timeout;
use tonic::Request;

use crate::{
    raw_bot::reason,
    test_server::{PATIENCE, TestServer},
};

/// One method of each service but that of the bots, which waits for Hello.
const METHODS: [&str; 4] = [
    "/bridgemaster.v1.CatalogService/ListGames",
    "/bridgemaster.v1.MatchService/CreateMatch",
    "/bridgemaster.v1.MatchService/WatchMatch",
    "/grpc.health.v1.Health/Check",
];

#[tokio::test]
async fn an_incomplete_request_times_out() {
    let limits = Limits {
        hello_time: Duration::from_millis(200),
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    for path in METHODS {
        let mut client = tonic::client::Grpc::new(server.channel.clone());
        client.ready().await.unwrap();
        let request = Request::new(tokio_stream::pending::<()>());
        let codec = tonic_prost::ProstCodec::<(), ()>::default();
        let called = client.streaming(request, path.parse().unwrap(), codec);
        let called = timeout(PATIENCE / 2, called).await.expect(path);
        let status = called.expect_err(path);
        assert_eq!(reason(&status), "LIMIT_REACHED", "{path}");
        assert!(status.message().contains("hello_time"), "{status}");
    }
}
