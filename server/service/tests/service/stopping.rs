//! A stopping server: every stream ends with that reason, whatever it waits for.

use std::time::Duration;

use bridgemaster_proto::v1::{WatchMatchRequest, play_response::Message};
use bridgemaster_server::Limits;
use tokio::{sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Request;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::{
    raw_bot::{RawBot, reason},
    test_server::{GAMES, PATIENCE, TestServer, config},
};

#[tokio::test]
async fn a_stopping_server_notifies_bots_with_and_without_hello_and_spectators() {
    let limits = Limits {
        hello_time: PATIENCE,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let playing = RawBot::join(&server, &seated.tickets[0]).await;

    let (_silent, messages) = mpsc::channel(1);
    let mut call = Request::new(ReceiverStream::new(messages));
    let bearer = format!("Bearer {}", seated.tickets[1]);
    call.metadata_mut()
        .insert("authorization", bearer.parse().unwrap());
    let mut before_hello = server.player().await.play(call).await.unwrap().into_inner();

    let request = WatchMatchRequest {
        match_id: seated.match_id,
    };
    let mut updates = server
        .matches()
        .watch_match(request)
        .await
        .unwrap()
        .into_inner();
    updates.message().await.unwrap().unwrap();

    server.stop.cancel();
    let end = playing.end().await.unwrap();
    assert_eq!(reason(&end), "SERVER_STOPPING");
    let end = timeout(PATIENCE / 2, before_hello.message()).await.unwrap();
    assert_eq!(reason(&end.unwrap_err()), "SERVER_STOPPING");
    // An update about the lost bot may come first.
    let end = timeout(PATIENCE / 2, async {
        loop {
            if let Err(status) = updates.message().await {
                return status;
            }
        }
    });
    assert_eq!(reason(&end.await.unwrap()), "SERVER_STOPPING");
}

#[tokio::test]
async fn a_draining_server_announces_its_deadline_to_bots_and_then_stops() {
    let limits = Limits {
        // The drain must outlast the next call, even on a busy machine.
        drain_time: Duration::from_secs(3),
        ..Limits::default()
    };
    let mut server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut playing = RawBot::join(&server, &seated.tickets[0]).await;
    server.drain.cancel();
    let Ok(Some(Message::Draining(draining))) = playing.next().await else {
        panic!("the bot gets no notice");
    };
    assert!(draining.time_left_ms <= 3_000);
    assert!(!draining.matches_resume);
    assert_eq!(playing.last_sequence, 0, "it is not counted");
    let refused = server.try_create(config(GAMES[0], 2)).await.err().unwrap();
    assert_eq!(reason(&refused), "SERVER_STOPPING");
    let health = HealthClient::new(server.channel.clone())
        .check(HealthCheckRequest::default())
        .await
        .unwrap();
    assert_eq!(health.into_inner().status(), ServingStatus::NotServing);
    let end = playing.end().await.unwrap();
    assert_eq!(reason(&end), "SERVER_STOPPING");
    let ended = timeout(PATIENCE, &mut server.running).await.unwrap();
    assert!(ended.unwrap().is_ok());
}

#[tokio::test]
async fn a_draining_server_stops_once_its_matches_have_ended() {
    let limits = Limits {
        drain_time: 10 * PATIENCE,
        ..Limits::default()
    };
    let mut server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut first = RawBot::join(&server, &seated.tickets[0]).await;
    server.drain.cancel();
    assert!(matches!(first.next().await, Ok(Some(Message::Draining(_)))));
    let second = server.good_bot(&seated.tickets[1]);
    assert!(first.play_on().await.result.is_some());
    assert!(second.await.unwrap().is_ok());
    let ended = timeout(PATIENCE, &mut server.running).await.unwrap();
    assert!(ended.unwrap().is_ok());
}
