//! A server that drains beside others: which matches it releases to them, and when.

use std::time::Duration;

use bridgemaster_proto::v1::{
    MatchConfig, Viewer, WatchMatchRequest, WatchPositionsRequest, play_response::Message,
    watch_positions_request::Source,
};
use bridgemaster_server::Limits;
use tokio::time::timeout;
use tonic::{Status, Streaming};

use crate::{
    late_spectators::{AN_HOUR_MS, seen_late},
    planted_node::{Ending, PlantedNode},
    raw_bot::{RawBot, reason},
    test_server::{GAMES, PATIENCE, Seated, TestServer, config},
};

fn without_drain_time() -> Limits {
    Limits {
        drain_time: Duration::ZERO,
        ..Limits::default()
    }
}

/// A match with one bot, which has come.
async fn with_a_bot(server: &TestServer, config: MatchConfig) -> (Seated, RawBot) {
    let seated = server.create(config).await;
    let bot = RawBot::join(server, &seated.tickets[0]).await;
    (seated, bot)
}

/// How a stream ends.
async fn end<T>(mut news: Streaming<T>) -> Status {
    let ended = async {
        loop {
            match news.message().await {
                Ok(told) => assert!(told.is_some(), "the match is not over"),
                Err(status) => return status,
            }
        }
    };
    timeout(PATIENCE, ended).await.expect("the stream ends")
}

#[tokio::test]
async fn matches_that_bots_play_are_released_and_what_stays_goes_with_the_server() {
    let (mut server, database) = PlantedNode::start_with(without_drain_time()).await;
    database.has_other();
    server.create(config(GAMES[0], 2)).await;
    let (_, late) = with_a_bot(&server, seen_late(GAMES[0], AN_HOUR_MS)).await;
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
    let news = matches.watch_match(watch).await.unwrap().into_inner();
    let look = WatchPositionsRequest {
        source: Some(Source::MatchId(match_id())),
        viewers: vec![Viewer::default()],
        from_decision: 0,
    };
    let positions = matches.watch_positions(look).await.unwrap().into_inner();

    server.drain.cancel();
    assert!(matches!(bot.next().await, Ok(Some(Message::Draining(_)))));
    for told in [
        bot.end().await.unwrap(),
        end(news).await,
        end(positions).await,
    ] {
        assert_eq!(reason(&told), "SERVER_STOPPING");
    }
    assert_eq!(reason(&late.end().await.unwrap()), "SERVER_STOPPING");
    let ended = timeout(PATIENCE, &mut server.running).await.unwrap();
    assert!(ended.unwrap().is_ok());
    let expected = [
        Ending::Releases(vec![match_id()]),
        Ending::Asks(1),
        Ending::Asks(0),
        Ending::Withdraws,
    ];
    assert_eq!(database.ending(), expected);
}

#[tokio::test]
async fn more_matches_are_released_once_others_have_taken_those_before() {
    const MATCHES: usize = 130;
    let (mut server, database) = PlantedNode::start_with(without_drain_time()).await;
    database.has_other();
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
    let counts = database.ending().into_iter().map(|ending| match ending {
        Ending::Releases(ids) => format!("releases {}", ids.len()),
        Ending::Asks(left) => format!("{left} left"),
        Ending::Withdraws => "withdraws".to_owned(),
    });
    let expected = [
        "releases 128",
        "128 left",
        "0 left",
        "releases 2",
        "2 left",
        "0 left",
        "withdraws",
    ];
    assert_eq!(counts.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn no_match_is_released_where_no_other_server_is_there_to_take_it() {
    let (mut server, database) = PlantedNode::start_with(without_drain_time()).await;
    let (_, bot) = with_a_bot(&server, config(GAMES[0], 2)).await;
    server.drain.cancel();
    assert_eq!(reason(&bot.end().await.unwrap()), "SERVER_STOPPING");
    let ended = timeout(PATIENCE, &mut server.running).await.unwrap();
    assert!(ended.unwrap().is_ok());
    assert_eq!(database.ending(), [Ending::Withdraws]);
}
