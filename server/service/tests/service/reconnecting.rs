//! Streams that are lost, replaced, reset or not read: the seat stays, and its bot may come back.

use bridgemaster_proto::v1::{
    Hello, SeatState, decision::Choice, play_request, play_response::Message,
    play_service_client::PlayServiceClient,
};
use tonic::{
    codegen::{Bytes, http},
    transport::Channel,
};

use crate::{
    raw_bot::{RawBot, hello, reason, request},
    test_server::{GAMES, TestServer, config},
};

#[tokio::test]
async fn a_second_connection_with_the_same_ticket_takes_over_the_seat() {
    let server = TestServer::open().await;
    for game in GAMES {
        let seated = server.create(config(game, 2)).await;
        let good = server.good_bot(&seated.tickets[0]);
        let mut older = RawBot::join(&server, &seated.tickets[1]).await;
        let asked = older.next_request().await;

        let mut newer = RawBot::join(&server, &seated.tickets[1]).await;
        assert_eq!(newer.started().await.seat, 1);
        let again = newer.next_request().await;
        assert_eq!(again.request_id, asked.request_id);
        assert_eq!(again.game, asked.game);
        assert_eq!(reason(&older.end().await.unwrap()), "SUPERSEDED");

        newer.answer(&again, Choice::Index(0)).await;
        let result = newer.play_on().await.result.unwrap();
        assert!(
            result.seats.iter().all(|seat| seat.fault_count == 0),
            "{result:?}"
        );
        good.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_reconnecting_bot_gets_missed_messages_with_the_same_numbers() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let good = server.good_bot(&seated.tickets[0]);
    let mut bot = RawBot::join(&server, &seated.tickets[1]).await;
    bot.started().await;
    let before = bot.last_sequence;
    let asked = bot.next_request().await;
    let asked_sequence = bot.last_sequence;
    let hello = bot.hello_after(before);
    drop(bot);

    let mut back = RawBot::join_with(&server, &seated.tickets[1], hello).await;
    let again = back.next_request().await;
    assert!(back.resumed);
    assert_eq!(back.last_sequence, asked_sequence);
    assert_eq!(
        (again.request_id, &again.game),
        (asked.request_id, &asked.game)
    );
    let (left, left_before) = (again.clock.unwrap(), asked.clock.unwrap());
    assert!(left.decision_left_ms <= left_before.decision_left_ms);
    back.answer(&again, Choice::Index(0)).await;
    back.play_on().await;
    good.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_bot_with_an_unknown_resume_point_starts_over_without_a_fault() {
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let good = server.good_bot(&seated.tickets[0]);
    let mut bot = RawBot::join(&server, &seated.tickets[1]).await;
    assert!(!bot.resumed, "it had nothing");
    let asked = bot.next_request().await;
    let last = bot.last_sequence;
    let with_history = |history_id: Option<&str>| Hello {
        last_sequence: Some(last),
        history_id: history_id.map(str::to_owned),
        ..hello()
    };
    for (hello, resumed) in [
        (bot.hello_after(last), true),
        (bot.hello_after(last + 1), false),
        (bot.hello_after(u32::MAX), false),
        (with_history(None), false),
        (
            with_history(Some("00112233445566778899aabbccddeeff")),
            false,
        ),
        (with_history(Some("no history at all")), false),
        (
            Hello {
                last_sequence: None,
                ..bot.hello_after(0)
            },
            false,
        ),
    ] {
        let said = format!("{hello:?}");
        let mut back = RawBot::join_with(&server, &seated.tickets[1], hello).await;
        assert_eq!(
            (back.resumed, &back.history_id),
            (resumed, &bot.history_id),
            "{said}"
        );
        if !resumed {
            let Some(Message::MatchStarted(_)) = back.next().await.unwrap() else {
                panic!("a bot that starts over gets the start first: {said}")
            };
            let again = back.next_request().await;
            assert_eq!(again.request_id, asked.request_id);
            assert_eq!(back.last_sequence, last);
        }
    }
    let back = RawBot::join_with(&server, &seated.tickets[1], bot.hello_after(last)).await;
    back.answer(&asked, Choice::Index(0)).await;
    let result = back.play_on().await.result.unwrap();
    for seat in &result.seats {
        assert_eq!(seat.fault_count, 0, "{:?}", seat.faults);
    }
    good.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_bot_that_reads_nothing_loses_its_stream_and_not_its_seat() {
    let limits = bridgemaster_server::Limits {
        outbound_queue: 4,
        ..Default::default()
    };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut other = RawBot::join(&server, &seated.tickets[0]).await;
    // A small window, so that few messages are in flight to a bot that has stopped reading.
    let narrow = Channel::from_shared(server.url.clone())
        .unwrap()
        .initial_stream_window_size(1_000)
        .connect()
        .await
        .unwrap();
    let bearer = format!("Bearer {}", seated.tickets[1]);
    let first = request(play_request::Message::Hello(hello()));
    let client = PlayServiceClient::new(narrow);
    let mut deaf = RawBot::open_with(client, Some(&bearer), first)
        .await
        .unwrap();
    deaf.next_request().await;

    // The other seat joins and leaves, which sends a message to the unread stream each time.
    while server.info(&seated.match_id).await.seats[1].state() == SeatState::Connected {
        drop(other);
        other = RawBot::join(&server, &seated.tickets[0]).await;
    }
    assert_eq!(reason(&deaf.end().await.unwrap()), "SLOW_CONSUMER");

    drop(other);
    let (good, back) = (
        server.good_bot(&seated.tickets[0]),
        server.good_bot(&seated.tickets[1]),
    );
    let result = back.await.unwrap().unwrap();
    assert!(
        result.seats.iter().all(|seat| seat.fault_count == 0),
        "{result:?}"
    );
    good.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_reset_stream_is_lost_whatever_its_error_code() {
    let server = TestServer::open().await;
    for code in [
        h2::Reason::NO_ERROR,
        h2::Reason::PROTOCOL_ERROR,
        h2::Reason::INTERNAL_ERROR,
        h2::Reason::CANCEL,
    ] {
        let seated = server.create(config(GAMES[0], 2)).await;
        let address = server.url.strip_prefix("http://").unwrap();
        let socket = tokio::net::TcpStream::connect(address).await.unwrap();
        let (mut client, connection) = h2::client::handshake(socket).await.unwrap();
        tokio::spawn(connection);
        let call = http::Request::post(format!("{}/bridgemaster.v1.PlayService/Play", server.url))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header("authorization", format!("Bearer {}", seated.tickets[1]))
            .body(())
            .unwrap();
        let (_response, mut body) = client.send_request(call, false).unwrap();
        let message =
            prost::Message::encode_to_vec(&request(play_request::Message::Hello(hello())));
        let mut frame = vec![0];
        frame.extend_from_slice(&(message.len() as u32).to_be_bytes());
        frame.extend(message);
        body.send_data(Bytes::from(frame), false).unwrap();
        let seat = async || server.info(&seated.match_id).await.seats[1].state();
        while seat().await != SeatState::Connected {}
        body.send_reset(code);
        while seat().await != SeatState::Paused {}

        let (good, back) = (
            server.good_bot(&seated.tickets[0]),
            server.good_bot(&seated.tickets[1]),
        );
        let result = back.await.unwrap().unwrap();
        assert_eq!(result.seats[1].fault_count, 0, "{code:?}: {result:?}");
        good.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_bot_that_replays_the_whole_history_is_no_slow_reader() {
    const KEPT: u32 = bridgemaster_referee::MAX_RETAINED_MESSAGES as u32;
    let server = TestServer::open().await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut bot = RawBot::join(&server, &seated.tickets[1]).await;
    let mut other = RawBot::join(&server, &seated.tickets[0]).await;
    // The other seat joins and leaves, which sends the bot two messages each time.
    for _ in 0..=KEPT / 2 {
        drop(other);
        assert_eq!(
            bot.next_seat_status().await.seat.unwrap().state(),
            SeatState::Paused
        );
        other = RawBot::join(&server, &seated.tickets[0]).await;
        bot.next_seat_status().await;
    }
    let last = bot.last_sequence;
    let hello = bot.hello_after(last - KEPT);
    drop(bot);
    let state = async |seat: usize| server.info(&seated.match_id).await.seats[seat].state();
    while state(1).await != SeatState::Paused {}
    drop(other);
    while state(0).await != SeatState::Paused {}

    let mut back = RawBot::join_with(&server, &seated.tickets[1], hello).await;
    for sequence in last - KEPT + 1..=last + 1 {
        back.next().await.unwrap().unwrap();
        assert_eq!(back.last_sequence, sequence);
    }
}
