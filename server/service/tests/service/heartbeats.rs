//! Heartbeats on silent streams.

use std::time::Duration;

use bridgemaster_proto::v1::{
    AttendRequest, CreateQueueRequest, Queue, WatchMatchesRequest, WatchQueueRequest,
};
use bridgemaster_server::Limits;
use tonic::Streaming;

use crate::{
    caller::positions_of,
    ladder_fixture::{league, make, watch},
    streams::find,
    test_server::{TestServer, of_two},
};

/// Waits for two messages without any field.
async fn assert_heartbeats<T: Default + PartialEq>(mut updates: Streaming<T>) {
    for _ in 0..2 {
        find(&mut updates, |update| (update == T::default()).then_some(())).await;
    }
}

#[tokio::test]
async fn every_silent_stream_of_updates_has_heartbeats() {
    let limits = Limits { ping_interval: Duration::from_millis(1), ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let waiting = server.create(of_two()).await.match_id;
    assert_heartbeats(server.watch(&waiting).await.unwrap()).await;
    assert_heartbeats(server.positions(positions_of(&waiting, &[])).await.unwrap()).await;
    let interval_ms = 60_000;
    let request = WatchMatchesRequest { interval_ms, ..WatchMatchesRequest::default() };
    assert_heartbeats(server.overview(request).await.unwrap()).await;
    make(&server, league()).await.unwrap();
    assert_heartbeats(watch(&server).await).await;
    let queue_id = "queue".to_owned();
    let queue = Queue { queue_id: queue_id.clone(), ..Queue::default() };
    let created = server.lobby().create_queue(CreateQueueRequest { queue: Some(queue) }).await;
    created.unwrap();
    let queue = WatchQueueRequest { queue_id: queue_id.clone() };
    let queue = server.lobby().watch_queue(queue).await.unwrap();
    assert_heartbeats(queue.into_inner()).await;
    let attend = AttendRequest {
        queue_id,
        bot_name: "bot".to_owned(),
        bot_version: "1".to_owned(),
        protocol_revision: 1,
        ..AttendRequest::default()
    };
    let attending = server.lobby().attend(attend).await.unwrap();
    assert_heartbeats(attending.into_inner()).await;
}
