//! Resources of the server that callers hold: unread responses, incomplete requests, and open
//! calls.

use std::{pin::pin, time::Duration};

use bridgemaster_proto::v1::{
    ListMatchesRequest, PlayResponse, Pong, SeatState, play_request, play_response,
};
use bridgemaster_server::{
    Limits,
    identity::KeyScope::{Create, Play, Read},
};
use h2::RecvStream;
use prost::Message;
use tokio::{select, time::timeout};
use tonic::{Code, codegen::Bytes};

use crate::{
    raw_bot::{RawBot, bearer, hello_message, request},
    raw_call::{
        CREATE_MATCH, LIST_GAMES, LIST_MATCHES, NarrowClient, PLAY, PendingResponse, framed,
        framed_message, read_on,
    },
    streams::{PATIENCE, end, limit, reason, until},
    test_server::{GAMES, TestServer, assert_faultless, config, of_two, with_limits},
};

/// A short timeout that is long enough for a reader on a busy machine.
const SHORT_TIMEOUT: Duration = Duration::from_secs(1);

/// Starts a call whose response is large.
async fn list(client: &mut NarrowClient) -> PendingResponse {
    let request = framed_message(&ListMatchesRequest::default());
    let (mut body, response) = client.start(LIST_MATCHES, &[], request).await;
    body.send_data(Bytes::new(), true).unwrap();
    response
}

/// Reads the next bytes of a response, without increasing the server's window.
async fn next_bytes(body: &mut RecvStream) -> Bytes {
    let bytes = timeout(PATIENCE, body.data()).await.unwrap();
    bytes.expect("the stream continues").unwrap()
}

/// Reads the first message of a response, of which `read` was already read.
async fn first_message<M: Message + Default>(mut read: Vec<u8>, body: &mut RecvStream) -> M {
    loop {
        if let Some((head, rest)) = read.split_at_checked(5) {
            let length = u32::from_be_bytes(head[1..].try_into().unwrap());
            if let Some(message) = rest.get(..length as usize) {
                return M::decode(message).unwrap();
            }
        }
        read.extend(next_bytes(body).await);
    }
}

/// Starts a server with enough matches to make a list a large response.
async fn server_with_matches(limits: Limits) -> TestServer {
    let server = TestServer::with_limits(limits).await;
    for _ in 0..40 {
        server.create(of_two()).await;
    }
    server
}

#[tokio::test]
async fn an_unread_response_is_dropped_and_then_its_stream_is_reset() {
    let limits = Limits { unread_time: SHORT_TIMEOUT, ..Limits::default() };
    let server = server_with_matches(limits).await;
    let mut held = Vec::new();
    for window in [0, 1, 10_000] {
        let mut client = NarrowClient::connect(&server, window).await;
        let (_, body) = list(&mut client).await.head().await;
        held.push((client, window, body));
    }
    for (_client, window, mut body) in held {
        let mut taken = 0;
        let error = loop {
            match timeout(PATIENCE, body.data()).await.unwrap() {
                Some(Ok(data)) => taken += data.len(),
                Some(Err(error)) => break error,
                None => panic!("the response is incomplete"),
            }
        };
        assert_eq!(taken, window as usize);
        assert_eq!(error.reason(), Some(h2::Reason::CANCEL), "{error}");
    }
    // A caller that reads receives its response.
    let mut client = NarrowClient::connect(&server, 10_000).await;
    assert_eq!(list(&mut client).await.read().await.code(), Code::Ok);
}

#[tokio::test]
async fn a_reader_that_resumes_after_a_dropped_response_gets_the_reason() {
    let limits = Limits {
        unread_time: Duration::from_secs(4),
        unread_answer_bytes_per_connection: 1,
        ..Limits::default()
    };
    let server = server_with_matches(limits).await;
    let mut client = NarrowClient::connect(&server, 0).await;
    let (_, mut body) = list(&mut client).await.head().await;
    // Starts once the first response is dropped, which is half the time until its stream is reset.
    let (_, _second) = list(&mut client).await.head().await;
    client.windows.send(100_000).unwrap();
    assert_eq!(limit(&read_on(&mut body).await.unwrap()), "unread_time");
}

#[tokio::test]
async fn a_list_waits_for_unread_lists_and_other_calls_do_not() {
    let limits = Limits { unread_answer_bytes_per_connection: 1, ..Limits::default() };
    let server = server_with_matches(limits).await;
    let mut client = NarrowClient::connect(&server, 0).await;
    let (_, unread) = list(&mut client).await.head().await;
    let mut waiting = pin!(list(&mut client).await.head());
    // Another connection does not wait.
    let mut other = NarrowClient::connect(&server, 100_000).await;
    select! {
        status = list(&mut other).await.read() => assert_eq!(status.code(), Code::Ok),
        _ = &mut waiting => panic!("the call has to wait"),
    }
    drop(unread);
    let (_, mut body) = waiting.await;
    client.windows.send(100_000).unwrap();
    assert_eq!(read_on(&mut body).await.unwrap().code(), Code::Ok);
}

#[tokio::test]
async fn calls_in_progress_of_a_caller_are_limited() {
    let limits =
        Limits { other_calls_per_caller: 2, bot_streams_per_caller: 1, ..Limits::default() };
    let server = TestServer::locked(with_limits(limits.clone())).await;
    let busy = server.caller("busy", &[Create, Read, Play]).await;
    let other = server.caller("other", &[Create, Read, Play]).await;
    let made = busy.create(of_two()).await;
    let mut watching = Vec::new();
    while watching.len() < 2 {
        // The permit of the previous call may not be released yet.
        watching.extend(busy.watch(&made.match_id).await);
    }
    let refused = busy.list().await.unwrap_err();
    assert_eq!(limit(&refused), "other_calls_per_caller");
    other.list().await.unwrap();

    let _playing = busy.join(&made.tickets[0]).await;
    let refused = RawBot::try_join(&busy, &made.tickets[1]).await;
    assert_eq!(limit(&refused.err().unwrap()), "bot_streams_per_caller");
    other.join(&made.tickets[1]).await;

    // Without keys, other streams from an address do not keep a bot from its seat.
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(of_two()).await;
    for bot in &mut server.join_all(&seated).await {
        bot.started().await;
    }
}

#[tokio::test]
async fn calls_without_a_key_use_no_quota_of_a_key_at_their_address() {
    let limits = Limits { other_calls_per_caller: 2, ..Limits::default() };
    let server = TestServer::locked(with_limits(limits)).await;
    let judge = server.caller("judge", &[Create, Read]).await;
    // From here on, the server has cached the key.
    judge.list().await.unwrap();
    let mut deaf = NarrowClient::connect(&server, 0).await;
    let mut held = Vec::new();
    let refused = loop {
        held.push(deaf.start(LIST_GAMES, &[], framed(0, &[])).await);
        if let Err(refused) = server.list_games().await {
            break refused;
        }
    };
    assert_eq!(limit(&refused), "other_calls_per_caller");
    judge.list().await.unwrap();
    judge.create(of_two()).await;
    // The identifier of a key alone does not authenticate.
    let forged = format!("bmk_{}_{}", judge.key().id(), "0".repeat(64));
    let refused = server.with(&forged.parse().unwrap()).list().await;
    assert_eq!(limit(&refused.unwrap_err()), "other_calls_per_caller");
}

#[tokio::test]
async fn a_caller_that_fills_the_server_does_not_lock_out_another() {
    let limits = Limits { other_calls: 4, ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let id = server.create(of_two()).await.match_id;
    // Calls from 127.0.0.1 that are read.
    let mut watching = Vec::new();
    while watching.len() < 4 {
        // The permit of the previous call may not be released yet.
        watching.extend(server.watch(&id).await);
    }
    server.at("127.0.0.2").list_games().await.unwrap();
    assert_eq!(end(&mut watching[0]).await.code(), Code::Cancelled);
}

#[tokio::test]
async fn a_server_full_of_unread_calls_serves_a_new_caller_after_a_timeout() {
    let limits = Limits { other_calls: 3, ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let mut deaf = Vec::new();
    for _ in 0..3 {
        let mut client = NarrowClient::connect(&server, 0).await;
        let answering = client.start(LIST_GAMES, &[], framed(0, &[])).await;
        deaf.push((client, answering));
    }
    // A caller at the same address.
    until("the new caller is served", async || server.list_games().await.is_ok()).await;
}

#[tokio::test]
async fn a_connection_keeps_working_with_an_unread_message_on_each_stream() {
    let limits = Limits {
        // Nothing is dropped while a busy machine opens the streams.
        unread_time: PATIENCE,
        ..Limits::default()
    };
    let streams = limits.streams_per_connection as usize;
    let server = TestServer::with_limits(limits).await;
    let mut client = NarrowClient::connect(&server, 1).await;
    let mut opened = Vec::new();
    while opened.len() < streams {
        for ticket in server.create(config(GAMES[0], 4)).await.tickets {
            let headers = [("authorization", &*bearer(&ticket))];
            let hello = framed_message(&request(hello_message()));
            opened.push(client.start(PLAY, &headers, hello).await);
        }
    }
    // One byte of the Welcome proves that the Hello was read. The server reads nothing more from
    // the stream until the rest of the Welcome is sent.
    let mut bots = Vec::new();
    for (outbound, answering) in opened {
        let (_, mut inbound) = answering.head().await;
        let begun = next_bytes(&mut inbound).await.to_vec();
        bots.push((outbound, inbound, begun));
    }
    for (outbound, ..) in &mut bots {
        let pong = request(play_request::Message::Pong(Pong { nonce: 0 }));
        let pong = framed_message(&pong);
        outbound.send_data(pong.into(), false).unwrap();
    }
    client.windows.send(1_000).unwrap();
    for (_, inbound, begun) in &mut bots {
        let first: PlayResponse = first_message(std::mem::take(begun), inbound).await;
        let is_welcome = matches!(first.message, Some(play_response::Message::Welcome(_)));
        assert!(is_welcome, "{first:?}");
    }
}

#[tokio::test]
async fn the_bytes_of_incomplete_requests_are_limited_and_small_ones_are_exempt() {
    let limits = Limits { unfinished_request_bytes_per_caller: 40_000, ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    // Once the server has answered later calls, it has probably handled all earlier messages.
    let until_idle = async || {
        for _ in 0..20 {
            server.list_games().await.unwrap();
        }
    };
    let mut client = NarrowClient::connect(&server, 65_535).await;
    let mut held = Vec::new();
    let refused = loop {
        assert!(held.len() < 10, "the third request exceeds the limit");
        let begun = framed(60_000, &[0; 8_000]);
        let (mut body, answering) = client.start(CREATE_MATCH, &[], begun).await;
        body.send_data(vec![0; 20_000].into(), false).unwrap();
        let mut answering = Box::pin(answering.read());
        select! {
            status = &mut answering => break status,
            () = until_idle() => held.push((body, answering)),
        }
    };
    assert_eq!(limit(&refused), "unfinished_request_bytes_per_caller");
    server.create(of_two()).await;
}

#[tokio::test]
async fn spectators_that_read_nothing_are_evicted_for_new_ones() {
    let limits = Limits { watchers_per_match: 4, ..Limits::default() };
    let most = limits.watchers_per_match;
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(of_two()).await;
    let id = &seated.match_id;
    let narrow = server.with_window(0);
    let mut deaf = Vec::new();
    for _ in 0..most {
        deaf.push(narrow.watch(id).await.unwrap());
    }
    // From the time when they have not read for long enough.
    let mut watching = None;
    until("it watches", async || {
        watching = server.watch(id).await.ok();
        watching.is_some()
    })
    .await;
    let mut updates = watching.unwrap();
    updates.message().await.unwrap().unwrap();
    let _bot = server.join(&seated.tickets[0]).await;
    updates.message().await.unwrap().unwrap();
}

#[tokio::test]
async fn one_caller_does_not_lock_out_the_spectators_of_another() {
    let limits = Limits { watchers_per_match: 4, ..Limits::default() };
    let server = TestServer::locked(with_limits(limits)).await;
    let busy = server.caller("busy", &[Create, Read]).await;
    let other = server.caller("other", &[Create, Read]).await;
    let id = busy.create(of_two()).await.match_id;
    let mut watching = Vec::new();
    for _ in 0..4 {
        watching.push(busy.watch(&id).await.unwrap());
    }
    let refused = busy.watch(&id).await.unwrap_err();
    assert_eq!(limit(&refused), "watchers_per_match");
    for _ in 0..2 {
        other.watch(&id).await.unwrap();
    }
    assert_eq!(reason(&end(&mut watching[0]).await), "SLOW_CONSUMER");
}

#[tokio::test]
async fn a_bot_that_reads_nothing_loses_its_stream_and_not_its_seat() {
    let unread = Limits { unread_time: SHORT_TIMEOUT, ..Limits::default() };
    let full = Limits { outbound_queue: 4, ..Limits::default() };
    // The windows are so small that few or no messages are in transit to a bot that does not read.
    for (limits, window) in [(unread, 0), (full, 1_000)] {
        let server = TestServer::with_limits(limits).await;
        let seated = server.create(of_two()).await;
        let mut other = server.join(&seated.tickets[0]).await;
        let narrow = server.with_window(window);
        let mut deaf = RawBot::open(&narrow, &seated.tickets[1], hello_message()).await.unwrap();
        if window > 0 {
            deaf.next_request().await;
            // The other seat is joined and left, each of which sends a message to the unread
            // stream.
            let state = async || server.info(&seated.match_id).await.seats[1].state();
            let rejoining = async {
                while state().await == SeatState::Connected {
                    drop(other);
                    other = server.join(&seated.tickets[0]).await;
                }
                other
            };
            let rejoined = timeout(PATIENCE, rejoining).await;
            other = rejoined.expect("the unread stream is dropped");
            assert_eq!(reason(&deaf.end().await.unwrap()), "SLOW_CONSUMER");
        } else {
            other.started().await;
            // The other bots are notified of the lost stream.
            other.next_seat_status().await;
        }
        drop(other);
        assert_faultless(&server.play(&seated).await);
    }
}
