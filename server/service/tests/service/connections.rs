//! Limits on connections and calls, tested with callers at two addresses.

use std::{net::SocketAddr, time::Duration};

use bridgemaster_proto::v1::{
    ListGamesRequest, ListMatchesRequest, catalog_service_client::CatalogServiceClient,
    play_service_client::PlayServiceClient,
};
use bridgemaster_server::{
    Limits, Rate, Server, ServerOptions,
    identity::{ApiKey, KEY_METADATA, KeyScope},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    select,
    time::timeout,
};
use tokio_util::sync::CancellationToken;
use tonic::{
    Code, Status,
    codegen::{Bytes, http},
    transport::Channel,
};
use tonic_types::StatusExt as _;

use crate::{
    locked_server::LockedServer,
    raw_bot::{RawBot, hello, reason, request},
    test_server::{GAMES, PATIENCE, TestServer, config},
};

/// The first bytes of an HTTP/2 client: the preface, and an empty SETTINGS frame.
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// Opens a TCP connection to a server from a loopback address. On Linux, all of 127.0.0.0/8 is
/// loopback.
pub(crate) async fn connect_from(address: &str, server: &TestServer) -> TcpStream {
    let to: SocketAddr = server.url["http://".len()..].parse().unwrap();
    let socket = TcpSocket::new_v4().unwrap();
    socket
        .bind(SocketAddr::new(address.parse().unwrap(), 0))
        .unwrap();
    socket.connect(to).await.unwrap()
}

/// Opens a channel to a server from a loopback address.
pub(crate) fn channel_from(address: &str, server: &TestServer) -> Channel {
    Channel::from_shared(server.url.clone())
        .unwrap()
        .local_address(Some(address.parse().unwrap()))
        .connect_lazy()
}

/// Waits until the server closes a connection.
async fn assert_closed(mut connection: TcpStream) {
    let mut heard = Vec::new();
    let end = timeout(PATIENCE, connection.read_to_end(&mut heard)).await;
    // Closing a connection with unread bytes resets it.
    let _closed_or_reset = end.expect("the server closes the connection");
}

async fn list_games(channel: &Channel) -> Result<(), Status> {
    let mut client = CatalogServiceClient::new(channel.clone());
    client.list_games(ListGamesRequest {}).await.map(|_| ())
}

/// Asserts that a refusal names this limit and, if it is a rate limit, the time to retry after.
fn assert_limit(status: &Status, limit: &str, is_rate: bool) {
    assert_eq!(reason(status), "LIMIT_REACHED", "{status:?}");
    assert_eq!(status.code(), Code::ResourceExhausted);
    let details = status.get_error_details();
    let metadata = &details.error_info().unwrap().metadata;
    assert_eq!(metadata["limit"], limit);
    let hint = details.retry_info().and_then(|info| info.retry_delay);
    assert_eq!(hint.is_some_and(|delay| !delay.is_zero()), is_rate);
    assert_eq!(metadata.contains_key("retry_after_ms"), is_rate);
}

#[tokio::test]
async fn a_silent_peer_is_disconnected_after_the_preface_timeout() {
    let limits = Limits {
        preface_time: Duration::from_millis(500),
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    assert_closed(connect_from("127.0.0.1", &server).await).await;
    let mut trickling = connect_from("127.0.0.1", &server).await;
    trickling.write_all(&PREFACE[..10]).await.unwrap();
    assert_closed(trickling).await;
    // Clients that send the preface in time stay connected.
    list_games(&server.channel).await.unwrap();
}

#[tokio::test]
async fn a_peer_that_answers_no_keepalive_is_disconnected() {
    let limits = Limits {
        keepalive: Duration::from_millis(30),
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let mut silent = connect_from("127.0.0.1", &server).await;
    silent.write_all(PREFACE).await.unwrap();
    assert_closed(silent).await;
}

#[tokio::test]
async fn a_client_may_ping_at_any_rate_with_and_without_a_call() {
    let server = TestServer::open().await;
    let socket = connect_from("127.0.0.1", &server).await;
    let (_client, mut connection) = h2::client::handshake(socket).await.unwrap();
    let mut pings = connection.ping_pong().unwrap();
    let answered = async {
        // Many more than a client sends in the longest match. h2 sends each one immediately.
        for _ in 0..5_000 {
            pings.ping(h2::Ping::opaque()).await.unwrap();
        }
    };
    select! {
        ended = connection => panic!("the connection ends: {ended:?}"),
        answered = timeout(PATIENCE, answered) => answered.unwrap(),
    }
}

#[tokio::test]
async fn metadata_over_its_limit_is_refused_and_the_connection_stays_open() {
    let server = TestServer::open().await;
    let socket = connect_from("127.0.0.1", &server).await;
    let (mut client, mut connection) = h2::client::handshake(socket).await.unwrap();
    let statuses = async {
        let mut statuses = Vec::new();
        for bytes in [7 * 1024, 9 * 1024] {
            let call = http::Request::post(format!("{}/nothing", server.url))
                .header("x-large", "x".repeat(bytes))
                .body(())
                .unwrap();
            let (response, _) = client.send_request(call, true).unwrap();
            statuses.push(response.await.unwrap().status().as_u16());
            client = client.ready().await.unwrap();
        }
        statuses
    };
    let statuses = select! {
        statuses = timeout(PATIENCE, statuses) => statuses.unwrap(),
        ended = &mut connection => panic!("the connection ends: {ended:?}"),
    };
    assert_eq!(statuses, [200, 431]);
}

#[tokio::test]
async fn connections_of_one_address_are_limited() {
    let limits = Limits {
        connections_per_address: 3,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let from = "127.0.0.2";
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(connect_from(from, &server).await);
    }
    // One more connection evicts the oldest of its address, and none of another address.
    let newest = connect_from(from, &server).await;
    assert_closed(held.remove(0)).await;
    list_games(&channel_from("127.0.0.3", &server))
        .await
        .unwrap();
    list_games(&server.channel).await.unwrap();
    drop(newest);
}

#[tokio::test]
async fn a_connection_that_carries_a_bot_is_never_evicted() {
    let limits = Limits {
        connections_per_address: 3,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let from = "127.0.0.2";
    let join = async |seat: usize| {
        let client = PlayServiceClient::new(channel_from(from, &server));
        let first = request(bridgemaster_proto::v1::play_request::Message::Hello(hello()));
        let bearer = format!("Bearer {}", seated.tickets[seat]);
        let mut bot = RawBot::open_with(client, Some(&bearer), first).await?;
        bot.next().await.map(|_| bot)
    };
    let mut first = join(0).await.unwrap();
    // Others fill the address and keep it full.
    let mut held = Vec::new();
    for _ in 0..9 {
        held.push(connect_from(from, &server).await);
    }
    let second = join(1).await.unwrap();
    first.started().await;
    for connection in held {
        assert_closed(connection).await;
        let _newest = connect_from(from, &server).await;
    }
    tokio::join!(first.play_on(), second.play_on());
}

#[tokio::test]
async fn a_bot_reconnects_though_bots_of_others_fill_its_address() {
    let limits = Limits {
        connections_per_address: 4,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let join = async |ticket: &str| {
        let client = PlayServiceClient::new(channel_from("127.0.0.2", &server));
        RawBot::try_join(client, ticket).await
    };
    let seated = server.create(config(GAMES[0], 2)).await;
    drop(join(&seated.tickets[0]).await.unwrap());
    let mut others = Vec::new();
    for _ in 0..2 {
        for ticket in server.create(config(GAMES[0], 2)).await.tickets {
            others.push(join(&ticket).await.unwrap());
        }
    }
    let back = join(&seated.tickets[0]).await.unwrap();
    let second = RawBot::join(&server, &seated.tickets[1]).await;
    tokio::join!(back.play_on(), second.play_on());
}

#[tokio::test]
async fn a_key_cannot_fill_all_connections_of_an_address_with_bots() {
    let limits = Limits {
        connections_per_address: 4,
        protected_connections_per_key: 2,
        ..Limits::default()
    };
    let locked = LockedServer::with_limits(limits).await;
    let scopes = [KeyScope::Create, KeyScope::Play];
    let greedy = locked.key("greedy", &scopes).await;
    let honest = locked.key("honest", &scopes).await;
    let from = "127.0.0.2";
    let join = async |key: &ApiKey, ticket: &str| {
        let client = PlayServiceClient::new(channel_from(from, &locked.server));
        let metadata = [
            ("authorization", format!("Bearer {ticket}")),
            (KEY_METADATA, key.reveal()),
        ];
        let first = request(bridgemaster_proto::v1::play_request::Message::Hello(hello()));
        let mut bot = RawBot::open_with_metadata(client, metadata, first).await?;
        bot.next().await.map(|_| bot)
    };
    let mut held = Vec::new();
    for _ in 0..2 {
        let seated = locked.with(&greedy).create(config(GAMES[0], 2)).await;
        for ticket in seated.unwrap().tickets {
            held.push(join(&greedy, &ticket).await.unwrap());
        }
    }
    let seated = locked.with(&honest).create(config(GAMES[0], 2)).await;
    let [first, second] = &seated.unwrap().tickets[..] else {
        panic!("two seats");
    };
    let first = join(&honest, first).await.unwrap();
    let second = join(&honest, second).await.unwrap();
    tokio::join!(first.play_on(), second.play_on());
}

#[tokio::test]
async fn connections_of_a_server_are_limited() {
    let limits = Limits {
        connections: 2,
        ..Limits::default()
    };
    // The channel of the test holds the first one.
    let server = TestServer::with_limits(limits).await;
    list_games(&server.channel).await.unwrap();
    let held = connect_from("127.0.0.2", &server).await;
    // The test's own connection is the oldest, then the other one.
    list_games(&channel_from("127.0.0.3", &server))
        .await
        .unwrap();
    list_games(&channel_from("127.0.0.4", &server))
        .await
        .unwrap();
    assert_closed(held).await;
}

#[tokio::test]
async fn the_stream_limit_of_a_connection_is_announced() {
    let limits = Limits {
        streams_per_connection: 7,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let socket = connect_from("127.0.0.1", &server).await;
    let (client, mut connection) = h2::client::handshake(socket).await.unwrap();
    let announced = async {
        while client.current_max_send_streams() != 7 {
            tokio::select! {
                ended = &mut connection => ended.unwrap(),
                () = tokio::task::yield_now() => {}
            }
        }
    };
    timeout(PATIENCE, announced).await.unwrap();
}

#[tokio::test]
async fn calls_of_an_address_are_rate_limited_apart_from_others() {
    let limits = Limits {
        calls_per_address: Rate {
            per_second: 1,
            burst: 3,
        },
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let channel = channel_from("127.0.0.2", &server);
    for _ in 0..3 {
        list_games(&channel).await.unwrap();
    }
    // The limit holds across connections and methods.
    let again = channel_from("127.0.0.2", &server);
    let refused = loop {
        // One more call is allowed each second.
        if let Err(refused) = list_games(&again).await {
            break refused;
        }
    };
    assert_limit(&refused, "calls_per_address", true);
    let client = bridgemaster_proto::v1::play_service_client::PlayServiceClient::new(again);
    let first = request(bridgemaster_proto::v1::play_request::Message::Hello(hello()));
    let refused = RawBot::open_with(client, Some("Bearer x"), first).await;
    assert_limit(&refused.err().unwrap(), "calls_per_address", true);
    list_games(&channel_from("127.0.0.3", &server))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_key_is_served_when_others_exceed_the_rate_of_its_address() {
    let limits = Limits {
        calls_per_address: Rate {
            per_second: 1,
            burst: 3,
        },
        ..Limits::default()
    };
    let locked = LockedServer::with_limits(limits).await;
    let key = locked.key("judge", &[KeyScope::Read]).await;
    locked.with(&key).list().await.unwrap();
    let others = channel_from("127.0.0.1", &locked.server);
    while list_games(&others).await.is_ok() {}
    for _ in 0..5 {
        locked.with(&key).list().await.unwrap();
    }
}

#[tokio::test]
async fn calls_of_a_key_are_rate_limited_apart_from_others() {
    let slow = Rate {
        per_second: 1,
        burst: 2,
    };
    let limits = Limits {
        calls_per_key: slow,
        ..Limits::default()
    };
    let locked = LockedServer::with_limits(limits).await;
    let busy = locked.key("busy", &[KeyScope::Read]).await;
    let other = locked.key("other", &[KeyScope::Read]).await;
    for _ in 0..2 {
        locked.with(&busy).list().await.unwrap();
    }
    let refused = loop {
        // One more call is allowed each second.
        if let Err(refused) = locked.with(&busy).list().await {
            break refused;
        }
    };
    assert_limit(&refused, "calls_per_key", true);
    locked.with(&other).list().await.unwrap();
    // The calls of a key cannot be used up without its secret.
    let forged = format!("bmk_{}_{}", other.id(), "0".repeat(64));
    for _ in 0..3 {
        let mut request = tonic::Request::new(ListMatchesRequest::default());
        let key = forged.parse().unwrap();
        request.metadata_mut().insert("x-bridgemaster-key", key);
        let refused = locked.server.matches().list_matches(request).await;
        assert_eq!(reason(&refused.unwrap_err()), "KEY_UNKNOWN");
    }
    locked.with(&other).list().await.unwrap();
}

#[tokio::test]
async fn a_key_is_limited_in_match_creations_and_open_matches() {
    let limits = Limits {
        creates_per_key: Rate {
            per_second: 1,
            burst: 2,
        },
        ..Limits::default()
    };
    let locked = LockedServer::with_limits(limits).await;
    let maker = locked.key("maker", &[KeyScope::Create]).await;
    let make = async |locked: &LockedServer, key| {
        let made = locked.with(key).create(config(GAMES[0], 2)).await;
        made.map(|_| ())
    };
    for _ in 0..2 {
        make(&locked, &maker).await.unwrap();
    }
    let refused = loop {
        // One more match is allowed each second.
        if let Err(refused) = make(&locked, &maker).await {
            break refused;
        }
    };
    assert_limit(&refused, "creates_per_key", true);

    let limits = Limits {
        open_matches_per_key: 2,
        ..Limits::default()
    };
    let locked = LockedServer::with_limits(limits).await;
    let maker = locked
        .key("maker", &[KeyScope::Create, KeyScope::Play])
        .await;
    let other = locked.key("other", &[KeyScope::Create]).await;
    let first = locked
        .with(&maker)
        .create(config(GAMES[0], 2))
        .await
        .unwrap();
    make(&locked, &maker).await.unwrap();
    let refused = make(&locked, &maker).await.unwrap_err();
    assert_limit(&refused, "open_matches_per_key", false);
    make(&locked, &other).await.unwrap();
    // An ended match no longer counts.
    let bots = [0, 1].map(|seat| locked.with(&maker).good_bot(&first.tickets[seat]));
    for bot in bots {
        bot.await.unwrap().unwrap();
    }
    make(&locked, &maker).await.unwrap();
}

#[tokio::test]
async fn a_silent_peer_does_not_delay_shutdown() {
    let limits = Limits {
        stop_time: Duration::from_millis(50),
        ..Limits::default()
    };
    let options = ServerOptions {
        limits,
        ..ServerOptions::default()
    };
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), options)
        .await
        .unwrap();
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
    // From here on, the peer neither reads nor answers.
    stop.cancel();
    let ended = timeout(PATIENCE, running).await;
    ended.expect("the server ends").unwrap().unwrap();
    drop(connection);
}
