//! A server that stops or drains: every stream ends with that reason, and matches in play are
//! released to other nodes.

use std::time::Duration;

use bridgemaster_proto::v1::{MatchConfig, Viewer, play_response::Message};
use bridgemaster_server::Limits;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::{
    caller::positions_of,
    delayed_law::AN_HOUR_MS,
    planted_node::{PlantedNode, ShutdownStep},
    raw_bot::RawBot,
    streams::{PATIENCE, end, outcome, reason},
    test_server::{GAMES, Seated, TestServer, of_two, with_delay},
};

const STOPPING: &str = "SERVER_STOPPING";

fn draining_for(drain_time: Duration) -> Limits {
    Limits { drain_time, ..Limits::default() }
}

#[tokio::test]
async fn a_stopping_server_notifies_bots_with_and_without_hello_and_spectators() {
    let limits = Limits { hello_time: PATIENCE, ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(of_two()).await;
    let id = &*seated.match_id;
    let playing = server.join(&seated.tickets[0]).await;
    let before_hello = RawBot::open_silently(&server, &seated.tickets[1]).await;
    let mut updates = server.watch(id).await.unwrap();
    let mut positions = server.positions(positions_of(id, &[])).await.unwrap();

    server.stop.cancel();
    assert_eq!(reason(&playing.end().await.unwrap()), STOPPING);
    assert_eq!(reason(&before_hello.end().await.unwrap()), STOPPING);
    // An update about the lost bot may come first.
    assert_eq!(reason(&end(&mut updates).await), STOPPING);
    assert_eq!(reason(&end(&mut positions).await), STOPPING);
}

#[tokio::test]
async fn a_draining_server_announces_its_deadline_to_bots_and_then_stops() {
    // The drain must outlast the next call, even on a busy machine.
    let limits = draining_for(Duration::from_secs(3));
    let mut server = TestServer::with_limits(limits).await;
    let seated = server.create(of_two()).await;
    let mut playing = server.join(&seated.tickets[0]).await;
    server.drain.cancel();
    let Ok(Some(Message::Draining(draining))) = playing.next().await else {
        panic!("the bot gets no notice");
    };
    assert!(draining.time_left_ms <= 3_000);
    assert!(!draining.matches_resume);
    assert_eq!(playing.last_sequence, 0, "the notice has no sequence number");
    assert_eq!(outcome(server.try_create(of_two()).await), STOPPING);
    let mut health = HealthClient::new(server.channel.clone());
    let checked = health.check(HealthCheckRequest::default()).await.unwrap();
    assert_eq!(checked.into_inner().status(), ServingStatus::NotServing);
    assert_eq!(reason(&playing.end().await.unwrap()), STOPPING);
    server.ended().await.unwrap();
}

#[tokio::test]
async fn a_draining_server_stops_once_its_matches_have_ended() {
    let mut server = TestServer::with_limits(draining_for(10 * PATIENCE)).await;
    let seated = server.create(of_two()).await;
    let mut first = server.join(&seated.tickets[0]).await;
    server.drain.cancel();
    assert!(matches!(first.next().await, Ok(Some(Message::Draining(_)))));
    let second = server.good_bot(&seated.tickets[1]);
    assert!(first.play_on().await.result.is_some());
    assert!(second.await.unwrap().is_ok());
    server.ended().await.unwrap();
}

/// Creates a match that one bot has joined.
async fn with_a_bot(server: &TestServer, config: MatchConfig) -> (Seated, RawBot) {
    let seated = server.create(config).await;
    let bot = server.join(&seated.tickets[0]).await;
    (seated, bot)
}

#[tokio::test]
async fn matches_in_play_are_released_and_the_rest_ends_with_the_server() {
    let (mut server, database) = PlantedNode::start_with(draining_for(Duration::ZERO)).await;
    database.add_successor();
    server.create(of_two()).await;
    let (_, late) = with_a_bot(&server, with_delay(GAMES[0], AN_HOUR_MS)).await;
    let (played, mut bot) = with_a_bot(&server, of_two()).await;
    server.played(of_two()).await;
    let id = &*played.match_id;
    let mut updates = server.watch(id).await.unwrap();
    let look = positions_of(id, &[Viewer::default()]);
    let mut positions = server.positions(look).await.unwrap();

    server.drain.cancel();
    assert!(matches!(bot.next().await, Ok(Some(Message::Draining(_)))));
    for end in [
        bot.end().await.unwrap(),
        end(&mut updates).await,
        end(&mut positions).await,
        late.end().await.unwrap(),
    ] {
        assert_eq!(reason(&end), STOPPING);
    }
    server.ended().await.unwrap();
    let expected = [
        ShutdownStep::Released(vec![id.to_owned()]),
        ShutdownStep::CountedReleased(1),
        ShutdownStep::CountedReleased(0),
    ];
    assert_eq!(database.shutdown_steps(), expected);
}

#[tokio::test]
async fn more_matches_are_released_once_the_previous_ones_are_taken_over() {
    const MATCHES: usize = 130;
    let (mut server, database) = PlantedNode::start_with(draining_for(Duration::ZERO)).await;
    database.add_successor();
    let mut bots = Vec::new();
    for _ in 0..MATCHES {
        bots.push(with_a_bot(&server, of_two()).await);
    }
    server.drain.cancel();
    for (_, bot) in bots {
        assert_eq!(reason(&bot.end().await.unwrap()), STOPPING);
    }
    server.ended().await.unwrap();
    let steps = database.shutdown_steps().into_iter();
    let counts = steps.map(|step| match step {
        ShutdownStep::Released(ids) => format!("releases {}", ids.len()),
        ShutdownStep::CountedReleased(left) => format!("{left} left"),
    });
    let expected = ["releases 128", "128 left", "0 left", "releases 2", "2 left", "0 left"];
    assert_eq!(counts.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn no_match_is_released_without_a_successor() {
    let (mut server, database) = PlantedNode::start_with(draining_for(Duration::ZERO)).await;
    let (_, bot) = with_a_bot(&server, of_two()).await;
    server.drain.cancel();
    assert_eq!(reason(&bot.end().await.unwrap()), STOPPING);
    server.ended().await.unwrap();
    assert_eq!(database.shutdown_steps(), []);
}
