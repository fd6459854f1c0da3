//! A node that drains: which matches it releases to others, and when.

use std::time::Duration;

use bridgemaster_proto::v1::{
    MatchConfig, Viewer, WatchMatchRequest, WatchPositionsRequest, play_response::Message,
    watch_positions_request::Source,
};
use bridgemaster_server::Limits;
use tokio::time::timeout;
use tonic::{Status, Streaming};

use crate::{
    delayed_spectators::{AN_HOUR_MS, with_delay},
    planted_node::{PlantedNode, ShutdownStep},
    raw_bot::{RawBot, reason},
    test_server::{GAMES, PATIENCE, Seated, TestServer, config},
};

fn without_drain_time() -> Limits {
    Limits {
        drain_time: Duration::ZERO,
        ..Limits::default()
    }
}

/// Creates a match that one bot has joined.
async fn with_a_bot(server: &TestServer, config: MatchConfig) -> (Seated, RawBot) {
    let seated = server.create(config).await;
    let bot = RawBot::join(server, &seated.tickets[0]).await;
    (seated, bot)
}

/// Returns the status at the end of a stream.
async fn end<T>(mut updates: Streaming<T>) -> Status {
    let ended = async {
        loop {
            match updates.message().await {
                Ok(message) => assert!(message.is_some(), "the match is not over"),
                Err(status) => return status,
            }
        }
    };
    timeout(PATIENCE, ended).await.expect("the stream ends")
}

#[tokio::test]
async fn matches_in_play_are_released_and_the_rest_ends_with_the_server() {
    let (mut server, database) = PlantedNode::start_with(without_drain_time()).await;
    database.add_successor();
    server.create(config(GAMES[0], 2)).await;
    let (_, late) = with_a_bot(&server, with_delay(GAMES[0], AN_HOUR_MS)).await;
    let (played, mut bot) = with_a_bot(&server, config(GAMES[0], 2)).await;
    let over = server.create(config(GAMES[0], 2)).await;
    let bots = over.tickets.iter().map(|ticket| server.good_bot(ticket));
    for bot in bots.collect::<Vec<_>>() {
        bot.await.unwrap().unwrap();
    }
    let match_id = || played.match_id.clone();
    let mut matches = server.matches();
    let watch = WatchMatchRequest {
        match_id: match_id(),
    };
    let updates = matches.watch_match(watch).await.unwrap().into_inner();
    let look = WatchPositionsRequest {
        source: Some(Source::MatchId(match_id())),
        viewers: vec![Viewer::default()],
        from_decision: 0,
    };
    let positions = matches.watch_positions(look).await.unwrap().into_inner();

    server.drain.cancel();
    assert!(matches!(bot.next().await, Ok(Some(Message::Draining(_)))));
    for end in [
        bot.end().await.unwrap(),
        end(updates).await,
        end(positions).await,
    ] {
        assert_eq!(reason(&end), "SERVER_STOPPING");
    }
    assert_eq!(reason(&late.end().await.unwrap()), "SERVER_STOPPING");
    let ended = timeout(PATIENCE, &mut server.running).await.unwrap();
    assert!(ended.unwrap().is_ok());
    let expected = [
        ShutdownStep::Released(vec![match_id()]),
        ShutdownStep::CountedReleased(1),
        ShutdownStep::CountedReleased(0),
    ];
    assert_eq!(database.shutdown_steps(), expected);
}

#[tokio::test]
async fn more_matches_are_released_once_the_previous_ones_are_taken_over() {
    const MATCHES: usize = 130;
    let (mut server, database) = PlantedNode::start_with(without_drain_time()).await;
    database.add_successor();
    let mut bots = Vec::new();
    for _ in 0..MATCHES {
        bots.push(with_a_bot(&server, config(GAMES[0], 2)).await);
    }
    server.drain.cancel();
    for (_, bot) in bots {
        assert_eq!(reason(&bot.end().await.unwrap()), "SERVER_STOPPING");
    }
    let ended = timeout(PATIENCE, &mut server.running).await.unwrap();
    assert!(ended.unwrap().is_ok());
    let counts = database
        .shutdown_steps()
        .into_iter()
        .map(|ending| match ending {
            ShutdownStep::Released(ids) => format!("releases {}", ids.len()),
            ShutdownStep::CountedReleased(left) => format!("{left} left"),
        });
    let expected = [
        "releases 128",
        "128 left",
        "0 left",
        "releases 2",
        "2 left",
        "0 left",
    ];
    assert_eq!(counts.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn no_match_is_released_without_a_successor() {
    let (mut server, database) = PlantedNode::start_with(without_drain_time()).await;
    let (_, bot) = with_a_bot(&server, config(GAMES[0], 2)).await;
    server.drain.cancel();
    assert_eq!(reason(&bot.end().await.unwrap()), "SERVER_STOPPING");
    let ended = timeout(PATIENCE, &mut server.running).await.unwrap();
    assert!(ended.unwrap().is_ok());
    assert_eq!(database.shutdown_steps(), []);
}
