//! Malicious callers: whatever they send, the matches of others are not disturbed.

use bridgemaster_proto::v1::{FaultAction, FaultPolicy, MatchConfig};
use bridgemaster_server::{Limits, Rate};
use tokio::{
    io::AsyncWriteExt as _,
    task::{JoinSet, yield_now},
};

use crate::{
    raw_bot::{RawBot, hello_message},
    raw_call::{PREFACE, connect_from},
    test_server::{GAMES, TestServer, assert_faultless, config, of_two, with_cap},
};

/// The address of malicious callers. Matches are played from 127.0.0.1.
const ATTACKER: &str = "127.0.0.2";
/// The number of spectators that read nothing.
const STALLED_SPECTATORS: usize = 32;

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
        ..with_cap(config(game, 2), 3_000)
    }
}

/// Plays strict matches of these games to their ends, and asserts that there are no faults.
async fn play_matches(server: &TestServer, games: &[&str]) {
    for game in games {
        let seated = server.create(strict(game)).await;
        assert_faultless(&server.play(&seated).await);
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
    play_matches(&server, &GAMES[..2]).await;
    drop(held);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_calls_and_messages_does_not_disturb_matches() {
    let server = TestServer::with_limits(limits()).await;
    let mut flood = JoinSet::new();
    for _ in 0..4 {
        let attacker = server.at(ATTACKER);
        flood.spawn(async move {
            loop {
                let _ = attacker.try_create(of_two()).await;
                let _ = attacker.list().await;
                // Without a server, both fail immediately and the task could not be aborted.
                yield_now().await;
            }
        });
    }
    // A bot that floods its own match, and reconnects whenever its stream is ended.
    let ticket = server.create(of_two()).await.tickets.remove(0);
    let attacker = server.at(ATTACKER);
    flood.spawn(async move {
        loop {
            if let Ok(bot) = RawBot::open(&attacker, &ticket, hello_message()).await {
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stalled_readers_do_not_disturb_matches() {
    let server = TestServer::with_limits(limits()).await;
    let watched = server.create(strict(GAMES[0])).await;
    let mut deaf = Vec::new();
    for _ in 0..STALLED_SPECTATORS {
        // The server has to buffer nearly everything.
        let narrow = server.with_window(1);
        deaf.push(narrow.watch(&watched.match_id).await.unwrap());
    }
    assert_faultless(&server.play(&watched).await);
    play_matches(&server, &GAMES[..2]).await;
    server.list_games().await.unwrap();
    drop(deaf);
}
