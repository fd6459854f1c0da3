//! A server of a cluster that loses its lease, or ends: what its bots and callers see.

use std::time::{Duration, Instant};

use bridgemaster_proto::v1::{
    FaultReason, MatchConfig, SeatState, play_request::Message, play_response::Message as Told,
};
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

/// A match whose bots have a second to come back.
fn a_second_to_come_back() -> MatchConfig {
    with_clock(config(GAMES[0], 2), |clock| {
        clock.reconnect_ms = Some(1_000)
    })
}

#[tokio::test]
async fn a_bot_whose_stream_ends_with_the_lease_is_not_charged_with_its_loss() {
    let (server, database) = PlantedNode::start().await;
    let seated = server.create(a_second_to_come_back()).await;
    let (mut first, mut second) = (
        RawBot::join(&server, &seated.tickets[0]).await,
        RawBot::join(&server, &seated.tickets[1]).await,
    );
    first.started().await;
    second.started().await;
    database.is_reached(false);
    for bot in [first, second] {
        assert_eq!(reason(&bot.end().await.unwrap()), "NODE_SUPERSEDED");
    }
    database.is_reached(true);

    // By now a bot that has left by itself later has been away for too long.
    let other = answers_again(&server).await;
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

/// Makes a match as soon as the server answers.
async fn answers_again(server: &TestServer) -> Seated {
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

/// Waits until the health service tells this of the server and of the service of bots.
async fn is_told(server: &TestServer, status: ServingStatus) {
    let mut health = HealthClient::new(server.channel.clone());
    for service in ["", "bridgemaster.v1.PlayService"] {
        let service = service.to_owned();
        let watched = health.watch(HealthCheckRequest { service }).await;
        let mut watched = watched.unwrap().into_inner();
        let told = async {
            while let Some(HealthCheckResponse { status: told }) = watched.message().await.unwrap()
            {
                if told == i32::from(status) {
                    return;
                }
            }
            panic!("the health service ends");
        };
        timeout(PATIENCE, told).await.expect("it is told");
    }
}

#[tokio::test]
async fn a_server_whose_database_is_gone_is_not_serving_until_it_is_back() {
    let (server, database) = PlantedNode::start().await;
    is_told(&server, ServingStatus::Serving).await;
    database.is_reached(false);
    is_told(&server, ServingStatus::NotServing).await;
    let refused = server.try_create(config(GAMES[0], 2)).await.err().unwrap();
    assert_eq!(reason(&refused), "NODE_SUPERSEDED");
    database.is_reached(true);
    is_told(&server, ServingStatus::Serving).await;
}

#[tokio::test]
async fn nobody_is_sent_to_a_server_any_more_when_it_ends_its_streams() {
    for drains in [true, false] {
        let (server, database) = PlantedNode::start().await;
        let seated = server.create(config(GAMES[0], 2)).await;
        let mut playing = RawBot::join(&server, &seated.tickets[0]).await;
        if drains {
            server.drain.cancel();
            assert!(matches!(playing.next().await, Ok(Some(Told::Draining(_)))));
            assert!(!database.is_withdrawn(), "it goes on");
        }
        server.stop.cancel();
        let told = playing.end().await.unwrap();
        assert_eq!(reason(&told), "SERVER_STOPPING");
        assert!(database.is_withdrawn());
    }
}

#[tokio::test]
async fn a_match_that_nobody_has_is_looked_for_at_once_when_its_bot_comes() {
    /// Looks, and the time in which a server looks less often when nobody asks: it does every two
    /// seconds. Asked for, they take a quarter of a second each.
    const LOOKS: u32 = 8;
    const TOO_LONG: Duration = Duration::from_secs(12);
    let (server, database) = PlantedNode::start().await;
    let mut looks = database.looks();
    // The first is made as it starts.
    timeout(PATIENCE, looks.wait_for(|looks| *looks > 0))
        .await
        .unwrap()
        .unwrap();
    database.leaves("left");
    let begun = Instant::now();
    for _ in 0..LOOKS {
        let before = *looks.borrow_and_update();
        let bot = RawBot::open(&server, "left-ticket", request(Message::Hello(hello()))).await;
        assert_eq!(reason(&bot.err().unwrap()), "NODE_SUPERSEDED");
        timeout(PATIENCE, looks.wait_for(|looks| *looks > before))
            .await
            .unwrap()
            .unwrap();
    }
    assert!(begun.elapsed() < TOO_LONG, "{:?}", begun.elapsed());
}
