//! A node that loses its lease or stops: what its bots and callers see.

use std::time::{Duration, Instant};

use bridgemaster_proto::v1::{FaultReason, MatchConfig, SeatState, play_request::Message};
use tokio::time::timeout;
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus,
    health_client::HealthClient,
};

use crate::{
    planted_node::PlantedNode,
    raw_bot::{RawBot, hello, reason, request},
    test_server::{GAMES, PATIENCE, Seated, TestServer, config, with_clock},
};

/// A config that gives bots a second to reconnect.
fn a_second_to_come_back() -> MatchConfig {
    with_clock(config(GAMES[0], 2), |clock| {
        clock.reconnect_ms = Some(1_000)
    })
}

#[tokio::test]
async fn a_bot_is_not_blamed_for_a_stream_lost_with_the_lease() {
    let (server, database) = PlantedNode::start().await;
    let seated = server.create(a_second_to_come_back()).await;
    let (mut first, mut second) = (
        RawBot::join(&server, &seated.tickets[0]).await,
        RawBot::join(&server, &seated.tickets[1]).await,
    );
    first.started().await;
    second.started().await;
    database.set_reachable(false);
    for bot in [first, second] {
        assert_eq!(reason(&bot.end().await.unwrap()), "NODE_SUPERSEDED");
    }
    database.set_reachable(true);

    // By now a bot that left by itself has been away for too long.
    let other = create_when_ready(&server).await;
    let mut stays = RawBot::join(&server, &other.tickets[0]).await;
    let mut leaves = RawBot::join(&server, &other.tickets[1]).await;
    stays.started().await;
    leaves.started().await;
    drop(leaves);
    let result = stays.play_on().await.result.unwrap();
    assert_eq!(result.seats[1].forfeit(), FaultReason::Disconnected);

    let info = server.info(&seated.match_id).await;
    for seat in &info.seats {
        assert_eq!(seat.state(), SeatState::Paused, "{info:?}");
    }
    let back = seated.tickets.iter().map(|ticket| server.good_bot(ticket));
    for bot in back.collect::<Vec<_>>() {
        let result = timeout(PATIENCE, bot).await.unwrap().unwrap().unwrap();
        for seat in &result.seats {
            assert_eq!(seat.fault_count, 0, "{:?}", seat.faults);
        }
    }
}

/// Creates a match as soon as the server answers.
async fn create_when_ready(server: &TestServer) -> Seated {
    let answers = async {
        loop {
            match server.try_create(a_second_to_come_back()).await {
                Ok(seated) => return seated,
                Err(refused) => assert_eq!(reason(&refused), "NODE_SUPERSEDED"),
            }
        }
    };
    timeout(PATIENCE, answers).await.expect("it answers again")
}

/// Waits until the health service reports this status for the server and for the service of bots.
async fn until_health(server: &TestServer, status: ServingStatus) {
    let mut health = HealthClient::new(server.channel.clone());
    for service in ["", "bridgemaster.v1.PlayService"] {
        let service = service.to_owned();
        let watched = health.watch(HealthCheckRequest { service }).await;
        let mut watched = watched.unwrap().into_inner();
        let reported = async {
            while let Some(HealthCheckResponse { status: current }) =
                watched.message().await.unwrap()
            {
                if current == i32::from(status) {
                    return;
                }
            }
            panic!("the health service ends");
        };
        timeout(PATIENCE, reported)
            .await
            .expect("the status is reported");
    }
}

#[tokio::test]
async fn a_server_reports_not_serving_while_its_database_is_down() {
    let (server, database) = PlantedNode::start().await;
    until_health(&server, ServingStatus::Serving).await;
    database.set_reachable(false);
    until_health(&server, ServingStatus::NotServing).await;
    let refused = server.try_create(config(GAMES[0], 2)).await.err().unwrap();
    assert_eq!(reason(&refused), "NODE_SUPERSEDED");
    database.set_reachable(true);
    until_health(&server, ServingStatus::Serving).await;
}

#[tokio::test]
async fn an_orphan_is_taken_over_immediately_when_its_bot_connects() {
    /// The number of polls for orphans. A server polls every two seconds, or after a quarter of a
    /// second when a caller requests one.
    const POLLS: u32 = 8;
    const TOO_LONG: Duration = Duration::from_secs(12);
    let (server, database) = PlantedNode::start().await;
    let mut polls = database.takeover_polls();
    // The first poll happens at startup.
    timeout(PATIENCE, polls.wait_for(|polls| *polls > 0))
        .await
        .unwrap()
        .unwrap();
    database.add_orphan("left");
    let begun = Instant::now();
    for _ in 0..POLLS {
        let before = *polls.borrow_and_update();
        let bot = RawBot::open(&server, "left-ticket", request(Message::Hello(hello()))).await;
        assert_eq!(reason(&bot.err().unwrap()), "NODE_SUPERSEDED");
        timeout(PATIENCE, polls.wait_for(|polls| *polls > before))
            .await
            .unwrap()
            .unwrap();
    }
    assert!(begun.elapsed() < TOO_LONG, "{:?}", begun.elapsed());
}
