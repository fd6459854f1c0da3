//! Callers that mean harm: whatever they do to the server, the matches of others go on as if they
//! were not there.

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

/// Where the harm comes from; the match is played from 127.0.0.1.
const HARMFUL: &str = "127.0.0.2";

/// Limits that let much through, so that the harm is done and not refused at once.
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

/// A match in which one answer that comes late forfeits.
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

/// Plays strict matches of games to their ends, in which nobody commits a fault.
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
async fn half_open_connections_leave_matches_alone() {
    let server = TestServer::with_limits(limits()).await;
    let mut held = Vec::new();
    // More than the address may have: the rest is turned away.
    for number in 0..600 {
        let mut connection = connect_from(HARMFUL, &server).await;
        if number % 2 == 0 {
            // It is an error where the server has turned it away.
            let _ = connection.write_all(PREFACE).await;
        }
        held.push(connection);
    }
    play_matches(&server, GAMES).await;
    drop(held);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_calls_and_messages_leaves_matches_alone() {
    let server = TestServer::with_limits(limits()).await;
    let mut flood = JoinSet::new();
    for _ in 0..4 {
        let channel = channel_from(HARMFUL, &server);
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
                // When the server is gone both fail at once, and the task could not be ended.
                yield_now().await;
            }
        });
    }
    // A bot that floods its own match, and comes back whenever it is thrown out.
    let seated = server.create(config(GAMES[0], 2)).await;
    let channel = channel_from(HARMFUL, &server);
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
    // One game: the flood takes its share of the processor, and the tests run beside others.
    play_matches(&server, &GAMES[..1]).await;
    assert_eq!(flood.len(), 5, "the flood has not ended before the matches");
    assert!(flood.try_join_next().is_none());
}

/// Spectators that read nothing.
const DEAF: usize = 32;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_that_do_not_read_leave_matches_alone() {
    let server = TestServer::with_limits(limits()).await;
    let watched = server.create(strict(GAMES[0])).await;
    let mut deaf = Vec::new();
    for _ in 0..DEAF {
        // A window of nothing: what the server sends stays with it.
        let narrow = Channel::from_shared(server.url.clone())
            .unwrap()
            .initial_stream_window_size(1)
            .connect_timeout(Duration::from_secs(10))
            .connect()
            .await
            .unwrap();
        let match_id = watched.match_id.clone();
        let request = WatchMatchRequest { match_id };
        let news = MatchServiceClient::new(narrow).watch_match(request).await;
        deaf.push(news.unwrap().into_inner());
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
