//! The first messages of a stream: which are refused, and with which reason.

use std::time::Duration;

use bridgemaster_proto::v1::{Hello, Pong, play_request};
use bridgemaster_server::Limits;
use tonic::Code;

use crate::{
    raw_bot::{RawBot, hello, reason, request},
    test_server::{GAMES, TestServer, config},
};

async fn refused_hello(server: &TestServer, ticket: &str, hello: Hello) -> tonic::Status {
    let first = request(play_request::Message::Hello(hello));
    RawBot::open(server, ticket, first)
        .await
        .unwrap()
        .end()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_call_without_a_well_formed_ticket_is_refused() {
    let server = TestServer::open().await;
    let first = || request(play_request::Message::Hello(hello()));
    for authorization in [None, Some("abc"), Some("Basic abc")] {
        let refused = RawBot::open_with(server.player().await, authorization, first())
            .await
            .err()
            .unwrap();
        assert_eq!(refused.code(), Code::Unauthenticated);
        assert_eq!(reason(&refused), "TICKET_MISSING", "{authorization:?}");
    }
}

#[tokio::test]
async fn an_unknown_ticket_is_refused() {
    let server = TestServer::open().await;
    let first = request(play_request::Message::Hello(hello()));
    let refused = RawBot::open(&server, "0123456789abcdef", first)
        .await
        .err()
        .unwrap();
    assert_eq!(reason(&refused), "TICKET_UNKNOWN");
}

#[tokio::test]
async fn an_invalid_hello_is_refused_with_its_field() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let ticket = &seated.tickets[0];

    let mut future = hello();
    future.protocol_revision = 99;
    let refused = refused_hello(&server, ticket, future).await;
    assert_eq!(reason(&refused), "PROTOCOL_REVISION_UNSUPPORTED");

    let mut nameless = hello();
    nameless.bot_name.clear();
    let refused = refused_hello(&server, ticket, nameless).await;
    assert_eq!(reason(&refused), "INVALID_FIELD");
    assert!(
        refused.message().starts_with("hello.bot_name"),
        "{refused:?}"
    );

    let mut long = hello();
    long.bot_version = "v".repeat(65);
    let refused = refused_hello(&server, ticket, long).await;
    assert!(refused.message().contains("at most 64"), "{refused:?}");

    for name in ["a\u{1b}[2J", "a\u{202e}b", "\u{200b}"] {
        let mut unprintable = hello();
        unprintable.bot_name = name.to_owned();
        let refused = refused_hello(&server, ticket, unprintable).await;
        assert!(refused.message().contains("printable"), "{refused:?}");
    }

    let mut other_game = hello();
    other_game.games = vec!["chess".to_owned()];
    let refused = refused_hello(&server, ticket, other_game).await;
    assert_eq!(reason(&refused), "GAME_NOT_PLAYED");

    let mut right = hello();
    right.games = vec!["chess".to_owned(), GAMES[0].to_owned()];
    RawBot::join_with(&server, ticket, right).await;
}

#[tokio::test]
async fn a_second_hello_ends_the_stream_but_keeps_the_seat() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let bot = RawBot::join(&server, &seated.tickets[0]).await;
    bot.send(play_request::Message::Hello(hello())).await;
    assert_eq!(reason(&bot.end().await.unwrap()), "HELLO_REPEATED");
    let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
    for bot in bots {
        let result = bot.await.unwrap().unwrap();
        assert!(result.seats.iter().all(|seat| seat.fault_count == 0));
    }
}

#[tokio::test]
async fn a_bot_that_joins_an_ended_match_gets_its_result() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let bots: Vec<_> = seated.tickets.iter().map(|t| server.good_bot(t)).collect();
    let mut results = Vec::new();
    for bot in bots {
        results.push(bot.await.unwrap().unwrap());
    }
    let again = server.good_bot(&seated.tickets[1]).await.unwrap().unwrap();
    assert_eq!(again, results[1]);
}

#[tokio::test]
async fn a_burst_of_late_pongs_is_no_flood() {
    let limits = Limits {
        ping_interval: Duration::from_millis(1),
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut thinking = RawBot::join(&server, &seated.tickets[1]).await;
    // More than the number of useless messages that counts as a flood.
    for nonce in thinking.pings(150).await {
        thinking
            .send(play_request::Message::Pong(Pong { nonce }))
            .await;
    }
    let good = server.good_bot(&seated.tickets[0]);
    thinking.play_on().await;
    let result = good.await.unwrap().unwrap();
    assert!(
        result.seats.iter().all(|seat| seat.fault_count == 0),
        "{result:?}"
    );
}
