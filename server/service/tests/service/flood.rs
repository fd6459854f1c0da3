//! Malicious callers: whatever they send, the matches of others are not disturbed.

use std::time::Duration;

use bridgemaster_proto::v1::{
    CreateMatchRequest, FaultAction, FaultPolicy, ListMatchesRequest, MatchConfig,
    WatchMatchRequest, catalog_service_client::CatalogServiceClient,
    match_service_client::MatchServiceClient, play_service_client::PlayServiceClient,
};
use bridgemaster_server::{Limits, Rate};
use tokio::{
    io::AsyncWriteExt as _,
    task::{JoinSet, yield_now},
};
use tonic::transport::Channel;

use crate::{
    connections::{PREFACE, channel_from, connect_from},
    raw_bot::{RawBot, hello, request},
    test_server::{GAMES, TestServer, config, with_clock},
};

/// The address of malicious callers. Matches are played from 127.0.0.1.
const ATTACKER: &str = "127.0.0.2";

/// Returns high limits, so that the load reaches the server instead of being refused early.
fn limits() -> Limits {
    Limits {
        calls_per_address: Rate {
            per_second: 500,
            burst: 2_000,
        },
        connections_per_address: 200,
        ..Limits::default()
    }
}

/// Returns a config in which a single late answer forfeits.
fn strict(game: &str) -> MatchConfig {
    let faults = FaultPolicy {
        late: FaultAction::Forfeit.into(),
        ..FaultPolicy::default()
    };
    MatchConfig {
        faults: Some(faults),
        ..with_clock(config(game, 2), |clock| clock.cap_ms = Some(3_000))
    }
}

/// Plays strict matches of these games to their ends, and asserts that there are no faults.
async fn play_matches(server: &TestServer, games: &[&str]) {
    for game in games {
        let seated = server.create(strict(game)).await;
        let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
        for bot in bots {
            let result = bot.await.unwrap().unwrap();
            for seat in &result.seats {
                assert_eq!(
                    (seat.fault_count, seat.house_decisions),
                    (0, 0),
                    "{result:?}"
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_open_connections_do_not_disturb_matches() {
    let server = TestServer::with_limits(limits()).await;
    let mut held = Vec::new();
    // More than the address may have; the others are refused.
    for number in 0..600 {
        let mut connection = connect_from(ATTACKER, &server).await;
        if number % 2 == 0 {
            // Fails if the server has refused the connection.
            let _ = connection.write_all(PREFACE).await;
        }
        held.push(connection);
    }
    play_matches(&server, GAMES).await;
    drop(held);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_calls_and_messages_does_not_disturb_matches() {
    let server = TestServer::with_limits(limits()).await;
    let mut flood = JoinSet::new();
    for _ in 0..4 {
        let channel = channel_from(ATTACKER, &server);
        flood.spawn(async move {
            let mut client = MatchServiceClient::new(channel);
            loop {
                let config = Some(config(GAMES[0], 2));
                let _ = client
                    .create_match(CreateMatchRequest {
                        config,
                        ..CreateMatchRequest::default()
                    })
                    .await;
                let _ = client.list_matches(ListMatchesRequest::default()).await;
                // Without a server, both fail immediately and the task could not be aborted.
                yield_now().await;
            }
        });
    }
    // A bot that floods its own match, and reconnects whenever its stream is ended.
    let seated = server.create(config(GAMES[0], 2)).await;
    let channel = channel_from(ATTACKER, &server);
    let bearer = format!("Bearer {}", seated.tickets[0]);
    flood.spawn(async move {
        use bridgemaster_proto::v1::play_request::Message;
        loop {
            let client = PlayServiceClient::new(channel.clone());
            let first = request(Message::Hello(hello()));
            if let Ok(bot) = RawBot::open_with(client, Some(&bearer), first).await {
                for _ in 0..10_000 {
                    bot.send_empty().await;
                }
            }
            yield_now().await;
        }
    });
    // Only one game, since the flood uses much CPU and other tests run in parallel.
    play_matches(&server, &GAMES[..1]).await;
    assert_eq!(flood.len(), 5, "the flood has not ended before the matches");
    assert!(flood.try_join_next().is_none());
}

/// The number of spectators that read nothing.
const STALLED_SPECTATORS: usize = 32;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stalled_readers_do_not_disturb_matches() {
    let server = TestServer::with_limits(limits()).await;
    let watched = server.create(strict(GAMES[0])).await;
    let mut deaf = Vec::new();
    for _ in 0..STALLED_SPECTATORS {
        // With a zero window, the server has to buffer everything.
        let narrow = Channel::from_shared(server.url.clone())
            .unwrap()
            .initial_stream_window_size(1)
            .connect_timeout(Duration::from_secs(10))
            .connect()
            .await
            .unwrap();
        let match_id = watched.match_id.clone();
        let request = WatchMatchRequest { match_id };
        let updates = MatchServiceClient::new(narrow).watch_match(request).await;
        deaf.push(updates.unwrap().into_inner());
    }
    let bots: Vec<_> = watched.tickets.iter().map(|t| server.good_bot(t)).collect();
    for bot in bots {
        let result = bot.await.unwrap().unwrap();
        assert!(result.seats.iter().all(|seat| seat.fault_count == 0));
    }
    play_matches(&server, GAMES).await;
    let mut catalog = CatalogServiceClient::new(server.channel.clone());
    catalog
        .list_games(bridgemaster_proto::v1::ListGamesRequest {})
        .await
        .unwrap();
    drop(deaf);
}
