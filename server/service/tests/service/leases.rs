//! A node that loses its lease or stops: what its bots and callers see.

use std::time::{Duration, Instant};

use bridgemaster_proto::v1::{FaultReason, MatchConfig, SeatState};
use bridgemaster_server::Limits;
use tokio::{sync::watch, time::timeout};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus,
    health_client::HealthClient,
};

use crate::{
    caller::Caller,
    intercepted_store::InterceptedStore,
    metrics::scrape,
    planted_node::PlantedNode,
    raw_bot::RawBot,
    streams::{PATIENCE, find, outcome, reason, until},
    test_server::{TestServer, assert_faultless, memory, of_two, with_clock},
};

/// Returns a config that gives bots one second to reconnect.
fn one_second_to_reconnect() -> MatchConfig {
    with_clock(of_two(), |clock| clock.reconnect_ms = Some(1_000))
}

#[tokio::test]
async fn a_bot_is_not_blamed_for_a_stream_lost_with_the_lease() {
    let (server, database) = PlantedNode::start().await;
    let seated = server.create(one_second_to_reconnect()).await;
    let mut bots = server.join_all(&seated).await;
    for bot in &mut bots {
        bot.started().await;
    }
    database.set_reachable(false);
    for bot in bots {
        assert_eq!(reason(&bot.end().await.unwrap()), "NODE_SUPERSEDED");
    }
    database.set_reachable(true);

    // By now, a bot that disconnected on its own would have exceeded the time.
    let mut other = None;
    until("the node answers again", async || {
        match server.try_create(one_second_to_reconnect()).await {
            Ok(seated) => other = Some(seated),
            Err(refused) => assert_eq!(reason(&refused), "NODE_SUPERSEDED"),
        }
        other.is_some()
    })
    .await;
    let [mut stays, mut leaves] = server.join_all(&other.unwrap()).await;
    stays.started().await;
    leaves.started().await;
    drop(leaves);
    let result = stays.play_on().await.result.unwrap();
    assert_eq!(result.seats[1].forfeit(), FaultReason::Disconnected);

    let info = server.info(&seated.match_id).await;
    for seat in &info.seats {
        assert_eq!(seat.state(), SeatState::Paused, "{info:?}");
    }
    assert_faultless(&server.play(&seated).await);
}

/// Waits until the health service reports this status for the server and for the service of bots.
async fn until_health(server: &TestServer, status: ServingStatus) {
    let status = i32::from(status);
    let mut health = HealthClient::new(server.channel.clone());
    for service in ["", "bridgemaster.v1.PlayService"] {
        let service = service.to_owned();
        let watched = health.watch(HealthCheckRequest { service }).await;
        let mut watched = watched.unwrap().into_inner();
        let is_it = |response: HealthCheckResponse| (response.status == status).then_some(());
        find(&mut watched, is_it).await;
    }
}

#[tokio::test]
async fn a_server_reports_not_serving_while_its_database_is_down() {
    let (server, database) = PlantedNode::start().await;
    until_health(&server, ServingStatus::Serving).await;
    database.set_reachable(false);
    until_health(&server, ServingStatus::NotServing).await;
    assert_eq!(outcome(server.try_create(of_two()).await), "NODE_SUPERSEDED");
    database.set_reachable(true);
    until_health(&server, ServingStatus::Serving).await;
}

#[tokio::test]
async fn a_server_reports_not_serving_while_a_commit_hangs() {
    let hangs = watch::Sender::new(false);
    let released = hangs.subscribe();
    let store = InterceptedStore::before_commits(memory(), move || {
        let mut released = released.clone();
        async move {
            released.wait_for(|hangs| !hangs).await.unwrap();
            Ok(())
        }
    });
    let server = TestServer::over(&store, Limits::default()).await;
    until_health(&server, ServingStatus::Serving).await;
    hangs.send_replace(true);
    let caller = Caller::clone(&server);
    let creating = tokio::spawn(async move { caller.try_create(of_two()).await });
    until_health(&server, ServingStatus::NotServing).await;
    let age = scrape(&server).await["bridgemaster_journal_commit_age_seconds"];
    assert!(age >= 10.0, "{age}");
    hangs.send_replace(false);
    until_health(&server, ServingStatus::Serving).await;
    creating.await.unwrap().unwrap();
    let age = scrape(&server).await["bridgemaster_journal_commit_age_seconds"];
    assert!(age < 10.0, "{age}");
}

#[tokio::test]
async fn an_orphan_is_taken_over_immediately_when_its_bot_connects() {
    /// The number of polls for orphans. A server polls every two seconds, or after a quarter of a
    /// second if a caller requests an orphan.
    const POLLS: u32 = 8;
    const TOO_LONG: Duration = Duration::from_secs(12);
    let (server, database) = PlantedNode::start().await;
    let mut polls = database.takeover_polls();
    // The first poll happens at startup.
    timeout(PATIENCE, polls.wait_for(|polls| *polls > 0)).await.unwrap().unwrap();
    database.add_orphan("left");
    let begun = Instant::now();
    for _ in 0..POLLS {
        let before = *polls.borrow_and_update();
        let bot = RawBot::try_join(&server, "left-ticket").await;
        assert_eq!(outcome(bot), "NODE_SUPERSEDED");
        timeout(PATIENCE, polls.wait_for(|polls| *polls > before)).await.unwrap().unwrap();
    }
    assert!(begun.elapsed() < TOO_LONG, "{:?}", begun.elapsed());
}
