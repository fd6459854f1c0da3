//! Limits on connections and on the rate of calls, tested with callers at several addresses.

use std::time::Duration;

use bridgemaster_proto::v1::{Resign, play_request};
use bridgemaster_server::{
    Limits, Rate, Server,
    identity::KeyScope::{Create, Play, Read},
};
use tokio::{io::AsyncWriteExt as _, net::TcpStream, select, time::timeout};
use tokio_util::sync::CancellationToken;
use tonic::{
    Code, Status,
    codegen::{Bytes, http},
};
use tonic_types::StatusExt as _;

use crate::{
    caller::Caller,
    raw_bot::{RawBot, hello_message},
    raw_call::{NarrowClient, PREFACE, assert_closed, connect_from},
    streams::{PATIENCE, limit, outcome, reason},
    test_server::{TestServer, of_two, with_limits},
};

/// An address that several callers share.
const SHARED: &str = "127.0.0.2";

/// A rate that is soon exceeded.
const fn slow(burst: u32) -> Rate {
    Rate { per_second: 1, burst }
}

/// Asserts that a refusal names this limit and, for a rate limit, the time after which to retry.
fn assert_limit(status: &Status, expected: &str, is_rate: bool) {
    assert_eq!(limit(status), expected);
    assert_eq!(status.code(), Code::ResourceExhausted);
    let details = status.get_error_details();
    let metadata = &details.error_info().unwrap().metadata;
    let hint = details.retry_info().and_then(|info| info.retry_delay);
    assert_eq!(hint.is_some_and(|delay| !delay.is_zero()), is_rate);
    assert_eq!(metadata.contains_key("retry_after_ms"), is_rate);
}

/// Repeats a call until it is refused. Repetition is needed because one more call is allowed each
/// second.
async fn exhaust<T>(call: impl AsyncFn() -> Result<T, Status>) -> Status {
    loop {
        if let Err(refused) = call().await {
            return refused;
        }
    }
}

#[tokio::test]
async fn a_silent_peer_is_disconnected_after_the_preface_timeout() {
    let limits = Limits { preface_time: Duration::from_millis(500), ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    server.list_games().await.unwrap();
    assert_closed(connect_from("127.0.0.1", &server).await).await;
    let mut trickling = connect_from("127.0.0.1", &server).await;
    trickling.write_all(&PREFACE[..10]).await.unwrap();
    assert_closed(trickling).await;
    // Clients that send the preface in time stay connected.
    server.list_games().await.unwrap();
}

#[tokio::test]
async fn a_peer_that_does_not_answer_keepalives_is_disconnected() {
    let limits = Limits { keepalive: Duration::from_millis(30), ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let mut silent = connect_from("127.0.0.1", &server).await;
    silent.write_all(PREFACE).await.unwrap();
    assert_closed(silent).await;
}

#[tokio::test]
async fn a_client_may_ping_at_any_rate_and_learns_the_stream_limit() {
    let limits = Limits { streams_per_connection: 7, ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let socket = connect_from("127.0.0.1", &server).await;
    let (client, mut connection) = h2::client::handshake(socket).await.unwrap();
    let mut pings = connection.ping_pong().unwrap();
    let answered = async {
        // Far more than a client sends in the longest match. h2 sends each one immediately.
        for _ in 0..5_000 {
            pings.ping(h2::Ping::opaque()).await.unwrap();
        }
    };
    select! {
        ended = connection => panic!("the connection ends: {ended:?}"),
        answered = timeout(PATIENCE, answered) => answered.unwrap(),
    }
    assert_eq!(client.current_max_send_streams(), 7);
}

#[tokio::test]
async fn metadata_over_its_limit_is_refused_and_the_connection_stays_open() {
    let server = TestServer::open().await;
    let mut client = NarrowClient::connect(&server, 65_535).await;
    for (bytes, status) in [(7 * 1024, 200), (9 * 1024, 431), (7 * 1024, 200)] {
        let padding = "x".repeat(bytes);
        let headers = [("x-large", padding.as_str())];
        let (_body, response) = client.start("/nothing", &headers, Vec::new()).await;
        let (head, _) = response.head().await;
        assert_eq!(head.status.as_u16(), status);
    }
}

#[tokio::test]
async fn connections_of_an_address_and_of_a_server_are_limited() {
    let limits = Limits { connections_per_address: 3, ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    server.list_games().await.unwrap();
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(connect_from(SHARED, &server).await);
    }
    // One more connection evicts the oldest one from its address, and none from another address.
    let newest = connect_from(SHARED, &server).await;
    assert_closed(held.remove(0)).await;
    server.at("127.0.0.3").list_games().await.unwrap();
    server.list_games().await.unwrap();
    drop(newest);

    let limits = Limits { connections: 2, ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    server.list_games().await.unwrap();
    let held = connect_from(SHARED, &server).await;
    // The connection of the test is the oldest one, followed by the other.
    for address in ["127.0.0.3", "127.0.0.4"] {
        server.at(address).list_games().await.unwrap();
    }
    assert_closed(held).await;
}

/// Plays a match with bots that join from this caller's address.
async fn assert_playable(maker: &Caller, player: &Caller) {
    let seated = maker.create(of_two()).await;
    let [first, second] = player.join_all(&seated).await;
    tokio::join!(first.play_on(), second.play_on());
}

#[tokio::test]
async fn connections_that_carry_bots_are_kept_and_others_are_evicted() {
    let limits = Limits { connections_per_address: 4, ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let shared = server.at(SHARED);
    let seated = server.create(of_two()).await;
    let mut first = shared.join(&seated.tickets[0]).await;
    // A refused stream does not end the protection of the stream that holds the seat.
    let resign = play_request::Message::Resign(Resign {});
    let refused = RawBot::refused(&server.at(SHARED), &seated.tickets[0], resign).await;
    assert_eq!(reason(&refused), "HELLO_EXPECTED");
    // Other callers fill the address and keep it full.
    let mut held = Vec::new();
    for _ in 0..9 {
        held.push(connect_from(SHARED, &server).await);
    }
    let second = shared.join(&seated.tickets[1]).await;
    first.started().await;
    for connection in held {
        assert_closed(connection).await;
        let _newest = connect_from(SHARED, &server).await;
    }
    tokio::join!(first.play_on(), second.play_on());

    // A bot can reconnect although bots of other callers fill its address.
    let seated = server.create(of_two()).await;
    drop(shared.join(&seated.tickets[0]).await);
    let mut others = Vec::new();
    for _ in 0..2 {
        others.extend(shared.join_all(&server.create(of_two()).await).await);
    }
    let back = shared.join(&seated.tickets[0]).await;
    let second = server.join(&seated.tickets[1]).await;
    tokio::join!(back.play_on(), second.play_on());
}

#[tokio::test]
async fn a_key_cannot_fill_all_connections_of_an_address_with_bots() {
    let limits = Limits {
        connections_per_address: 4,
        protected_connections_per_key: 2,
        ..Limits::default()
    };
    let server = TestServer::locked(with_limits(limits)).await;
    let greedy = server.caller("greedy", &[Create, Play]).await;
    let honest = server.caller("honest", &[Create, Play]).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let seated = greedy.create(of_two()).await;
        held.extend(greedy.at(SHARED).join_all(&seated).await);
    }
    assert_playable(&honest, &honest.at(SHARED)).await;
}

#[tokio::test]
async fn calls_of_an_address_are_rate_limited_apart_from_others() {
    let limits = Limits { calls_per_address: slow(3), ..Limits::default() };
    let server = TestServer::with_limits(limits.clone()).await;
    let shared = server.at(SHARED);
    for _ in 0..3 {
        shared.list_games().await.unwrap();
    }
    // The limit holds across connections and methods.
    let again = server.at(SHARED);
    let refused = exhaust(async || again.list_games().await).await;
    assert_limit(&refused, "calls_per_address", true);
    let refused = RawBot::refused(&again, "x", hello_message()).await;
    assert_limit(&refused, "calls_per_address", true);
    server.at("127.0.0.3").list_games().await.unwrap();

    // A key is served although others exceed the rate of its address.
    let server = TestServer::locked(with_limits(limits)).await;
    let judge = server.caller("judge", &[Read]).await;
    judge.list().await.unwrap();
    exhaust(async || server.list_games().await).await;
    for _ in 0..5 {
        judge.list().await.unwrap();
    }
}

#[tokio::test]
async fn calls_of_a_key_are_rate_limited_apart_from_others() {
    let limits = Limits { calls_per_key: slow(2), ..Limits::default() };
    let server = TestServer::locked(with_limits(limits)).await;
    let busy = server.caller("busy", &[Read]).await;
    let other = server.caller("other", &[Read]).await;
    for _ in 0..2 {
        busy.list().await.unwrap();
    }
    let refused = exhaust(async || busy.list().await).await;
    assert_limit(&refused, "calls_per_key", true);
    other.list().await.unwrap();
    // Calls without the secret of a key do not count against the key.
    let forged = format!("bmk_{}_{}", other.key().id(), "0".repeat(64));
    let forged = server.with(&forged.parse().unwrap());
    for _ in 0..3 {
        assert_eq!(outcome(forged.list().await), "KEY_UNKNOWN");
    }
    other.list().await.unwrap();
}

#[tokio::test]
async fn a_key_is_limited_in_match_creations_and_open_matches() {
    let limits = Limits { creates_per_key: slow(2), ..Limits::default() };
    let server = TestServer::locked(with_limits(limits)).await;
    let maker = server.caller("maker", &[Create]).await;
    for _ in 0..2 {
        maker.create(of_two()).await;
    }
    let refused = exhaust(async || maker.try_create(of_two()).await).await;
    assert_limit(&refused, "creates_per_key", true);

    let limits = Limits { open_matches: 3, open_matches_per_key: 2, ..Limits::default() };
    let server = TestServer::locked(with_limits(limits)).await;
    let maker = server.caller("maker", &[Create, Play]).await;
    let other = server.caller("other", &[Create]).await;
    let first = maker.create(of_two()).await;
    maker.create(of_two()).await;
    let refused = maker.try_create(of_two()).await.err().unwrap();
    assert_limit(&refused, "open_matches_per_key", false);
    other.create(of_two()).await;
    let refused = other.try_create(of_two()).await.err().unwrap();
    assert_limit(&refused, "open_matches", false);
    // A finished match no longer counts.
    maker.play(&first).await;
    maker.create(of_two()).await;
}

#[tokio::test]
async fn a_bot_joins_when_others_at_its_address_exceed_the_rate() {
    let limits =
        Limits { calls_per_address: slow(3), calls_per_seat: slow(2), ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(of_two()).await;
    let shared = server.at(SHARED);
    let exhausted = || exhaust(async || shared.list_games().await);
    exhausted().await;
    for _ in 0..2 {
        shared.join(&seated.tickets[0]).await;
    }
    // Exhausts the rate limit of the seat, which allows one more call per second. An invalid ticket
    // counts against the address.
    for ticket in [&seated.tickets[0], &"0".repeat(32)] {
        let mut reasons = Vec::new();
        for _ in 0..20 {
            exhausted().await;
            let joined = RawBot::try_join(&shared, ticket).await;
            reasons.push(outcome(joined));
        }
        let is_limited = reasons.iter().any(|reason| reason == "LIMIT_REACHED");
        assert!(is_limited, "{reasons:?}");
    }
}

#[tokio::test]
async fn a_silent_peer_does_not_delay_shutdown() {
    let limits = Limits { stop_time: Duration::from_millis(50), ..Limits::default() };
    let free = "127.0.0.1:0".parse().unwrap();
    let server = Server::bind(free, with_limits(limits)).await.unwrap();
    let address = server.local_addr();
    let stop = CancellationToken::new();
    let running = tokio::spawn(server.run(stop.clone()));

    let socket = TcpStream::connect(address).await.unwrap();
    let (mut client, mut connection) = h2::client::handshake(socket).await.unwrap();
    let path = "/grpc.health.v1.Health/Watch";
    let call = http::Request::post(format!("http://{address}{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(())
        .unwrap();
    let (response, mut body) = client.send_request(call, false).unwrap();
    body.send_data(Bytes::from_static(&[0; 5]), true).unwrap();
    select! {
        head = response => assert!(head.unwrap().status().is_success()),
        ended = &mut connection => panic!("the stream stays open: {ended:?}"),
    }
    // From here on, the peer neither reads nor responds.
    stop.cancel();
    let ended = timeout(PATIENCE, running).await;
    ended.expect("the server ends").unwrap().unwrap();
    drop(connection);
}
