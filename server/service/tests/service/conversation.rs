//! The first messages of a stream, and unsolicited messages: which are refused, and with which
//! reason.

use std::time::Duration;

use bridgemaster_proto::v1::{Hello, Pong, RefusalReason, decision::Choice, play_request};
use bridgemaster_server::Limits;
use tokio::time::timeout;

use crate::{
    raw_bot::{RawBot, hello, hello_message},
    raw_call::{CREATE_MATCH, LIST_GAMES, metadata, start},
    streams::{PATIENCE, reason},
    test_server::{GAMES, TestServer, assert_faultless, config, of_two, with_cap},
};

#[tokio::test]
async fn an_invalid_hello_is_refused_with_its_field() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let ticket = &seated.tickets[0];
    let with = |change: &dyn Fn(&mut Hello)| {
        let mut hello = hello();
        change(&mut hello);
        hello
    };
    let named = |name: &str| with(&|hello| name.clone_into(&mut hello.bot_name));
    let revision = "PROTOCOL_REVISION_UNSUPPORTED";
    for (bad, why, message) in [
        (with(&|hello| hello.protocol_revision = 99), revision, ""),
        (named(""), "INVALID_FIELD", "hello.bot_name"),
        (with(&|hello| hello.bot_version = "v".repeat(65)), "INVALID_FIELD", "at most 64"),
        (named("a\u{1b}[2J"), "INVALID_FIELD", "printable"),
        (named("a\u{202e}b"), "INVALID_FIELD", "printable"),
        (named("\u{200b}"), "INVALID_FIELD", "printable"),
        (with(&|hello| hello.games = vec!["chess".to_owned()]), "GAME_NOT_PLAYED", ""),
    ] {
        let first = play_request::Message::Hello(bad);
        let refused = RawBot::refused(&server, ticket, first).await;
        assert_eq!(reason(&refused), why, "{refused:?}");
        assert!(refused.message().contains(message), "{refused:?}");
    }
    let right = with(&|hello| hello.games = vec!["chess".to_owned(), GAMES[0].to_owned()]);
    RawBot::join_with(&server, ticket, right).await;
}

#[tokio::test]
async fn a_stream_without_exactly_one_hello_ends_and_leaves_its_seat_free() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let ticket = &seated.tickets[0];
    let bot = server.join(ticket).await;
    bot.send(hello_message()).await;
    assert_eq!(reason(&bot.end().await.unwrap()), "HELLO_REPEATED");
    let pong = play_request::Message::Pong(Pong { nonce: 0 });
    let refused = RawBot::refused(&server, ticket, pong).await;
    assert_eq!(reason(&refused), "HELLO_EXPECTED");
    let result = server.play(&seated).await;
    assert_faultless(&result);
    let late = server.good_bot(&seated.tickets[1]).await.unwrap().unwrap();
    assert_eq!(late, result, "a bot that joins a finished match");
}

#[tokio::test]
async fn a_silent_call_is_ended_after_the_hello_timeout() {
    let limits = Limits { hello_time: Duration::from_millis(200), ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(of_two()).await;
    let silent = RawBot::open_silently(&server, &seated.tickets[0]).await;
    assert_eq!(reason(&silent.end().await.unwrap()), "HELLO_LATE");
    // One method of each other service, with a request that is announced but not sent.
    for path in [
        LIST_GAMES,
        CREATE_MATCH,
        "/bridgemaster.v1.MatchService/WatchMatch",
        "/grpc.health.v1.Health/Check",
    ] {
        let called = start(&server, path, metadata(&[]), tokio_stream::pending());
        let status = timeout(PATIENCE / 2, called).await.expect(path);
        let status = status.expect_err(path);
        assert_eq!(reason(&status), "LIMIT_REACHED", "{path}");
        assert!(status.message().contains("hello_time"), "{status}");
    }
}

#[tokio::test]
async fn a_ticket_has_at_most_one_stream_before_hello() {
    let server = TestServer::open().await;
    let seated = server.create(of_two()).await;
    let ticket = &seated.tickets[0];
    let mut bot = server.join(ticket).await;
    let older = RawBot::open_silently(&server, ticket).await;
    let mut newer = RawBot::open_silently(&server, ticket).await;
    assert_eq!(reason(&older.end().await.unwrap()), "SUPERSEDED");
    // Neither the newer stream nor the one that holds the seat ends.
    let _other = server.join(&seated.tickets[1]).await;
    tokio::select! {
        ended = newer.next() => panic!("{ended:?}"),
        _started = bot.started() => {}
    }
}

#[tokio::test]
async fn a_burst_of_late_pongs_does_not_count_as_a_flood() {
    let limits = Limits { ping_interval: Duration::from_millis(1), ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(of_two()).await;
    let mut thinking = server.join(&seated.tickets[1]).await;
    // More useless messages than the limit that counts as a flood.
    for nonce in thinking.pings(150).await {
        thinking.send(play_request::Message::Pong(Pong { nonce })).await;
    }
    let good = server.good_bot(&seated.tickets[0]);
    thinking.play_on().await;
    assert_faultless(&good.await.unwrap().unwrap());
}

#[tokio::test]
async fn stray_answers_are_refused_without_penalty_and_the_match_continues() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let good = server.good_bot(&seated.tickets[0]);
        let mut stray = server.join(&seated.tickets[1]).await;
        let mut asked = stray.next_request().await;
        let open = asked.request_id;
        asked.request_id += 1;
        stray.answer_first(&asked).await;
        let rejected = stray.next_rejection().await;
        assert_eq!(rejected.reason(), RefusalReason::UnknownRequest);
        assert_eq!((rejected.open_request_id, rejected.strikes), (open, 0));

        asked.request_id = open;
        stray.answer_first(&asked).await;
        stray.answer_first(&asked).await;
        stray.answer(&asked, Choice::Index(1)).await;
        let rejected = stray.next_rejection().await;
        assert_eq!(rejected.reason(), RefusalReason::StaleRequest, "{game}");
        assert_eq!((rejected.request_id, rejected.strikes), (open, 0));
        drop(stray);
        let result = server.good_bot(&seated.tickets[1]).await.unwrap().unwrap();
        assert_faultless(&result);
        good.await.unwrap().unwrap();
    }
    // Also after its deadline; enough time for the good bot on a busy machine.
    let slow = with_cap(of_two(), 1_000);
    let seated = server.create(slow).await;
    let _good = server.good_bot(&seated.tickets[0]);
    let mut late = server.join(&seated.tickets[1]).await;
    let missed = late.next_request().await;
    late.next_request().await;
    late.answer_first(&missed).await;
    let rejected = late.next_rejection().await;
    assert_eq!(rejected.reason(), RefusalReason::StaleRequest);
    assert_eq!(rejected.request_id, missed.request_id);
}
