//! Resources of the server that callers hold: unread responses, incomplete requests, and open
//! calls.

use std::{pin::pin, time::Duration};

use bridgemaster_proto::v1::{
    ListGamesRequest, ListMatchesRequest, PlayResponse, Pong, WatchMatchRequest,
    catalog_service_client::CatalogServiceClient, match_service_client::MatchServiceClient,
    play_request, play_response,
};
use bridgemaster_server::{Limits, identity::KeyScope};
use h2::{RecvStream, client::SendRequest};
use prost::Message;
use tokio::{select, sync::mpsc, time::timeout};
use tokio_util::task::AbortOnDropHandle;
use tonic::{
    Status,
    codegen::{Bytes, http},
    transport::Channel,
};
use tonic_types::StatusExt as _;

use crate::{
    connections::{channel_from, connect_from},
    locked_server::LockedServer,
    raw_bot::{RawBot, hello, reason, request},
    test_server::{GAMES, PATIENCE, TestServer, config},
};

const LIST: &str = "/bridgemaster.v1.MatchService/ListMatches";
const GAMES_LISTED: &str = "/bridgemaster.v1.CatalogService/ListGames";
const PLAY: &str = "/bridgemaster.v1.PlayService/Play";
const CREATE: &str = "/bridgemaster.v1.MatchService/CreateMatch";
/// A short timeout that is long enough for a reader on a busy machine.
const SHORT_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection with a small window: the server may send only this number of bytes of each
/// response.
struct NarrowClient {
    sender: SendRequest<Bytes>,
    url: String,
    windows: mpsc::UnboundedSender<u32>,
    _connection: AbortOnDropHandle<()>,
}

impl NarrowClient {
    async fn connect(server: &TestServer, window: u32) -> Self {
        let socket = connect_from("127.0.0.1", server).await;
        let (sender, mut connection) = h2::client::Builder::new()
            .initial_window_size(window)
            // An unread stream does not block the others.
            .initial_connection_window_size(16 * 1024 * 1024)
            .handshake(socket)
            .await
            .unwrap();
        let (windows, mut opened) = mpsc::unbounded_channel();
        let connection = tokio::spawn(async move {
            loop {
                select! {
                    _ = &mut connection => return,
                    Some(window) = opened.recv() => {
                        connection.set_initial_window_size(window).unwrap();
                    }
                }
            }
        });
        Self {
            sender,
            url: server.url.clone(),
            windows,
            _connection: AbortOnDropHandle::new(connection),
        }
    }

    /// Starts a call with these bytes, without ending the request.
    async fn start(
        &mut self,
        path: &str,
        bytes: Vec<u8>,
    ) -> (h2::SendStream<Bytes>, PendingResponse) {
        self.start_with_ticket(None, path, bytes).await
    }

    /// As [`Self::start`], with the ticket of a seat.
    async fn start_with_ticket(
        &mut self,
        ticket: Option<&str>,
        path: &str,
        bytes: Vec<u8>,
    ) -> (h2::SendStream<Bytes>, PendingResponse) {
        let mut call = http::Request::post(format!("{}{path}", self.url))
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        if let Some(ticket) = ticket {
            call = call.header("authorization", format!("Bearer {ticket}"));
        }
        let call = call.body(()).unwrap();
        self.sender = self.sender.clone().ready().await.unwrap();
        let (response, mut body) = self.sender.send_request(call, false).unwrap();
        body.send_data(bytes.into(), false).unwrap();
        (body, PendingResponse(response))
    }

    async fn list(&mut self) -> PendingResponse {
        let list = ListMatchesRequest::default().encode_to_vec();
        let (mut body, answering) = self.start(LIST, framed(list.len(), list)).await;
        body.send_data(Bytes::new(), true).unwrap();
        answering
    }
}

/// Frames a message whose header announces this length.
fn framed(bytes: usize, sent: Vec<u8>) -> Vec<u8> {
    let mut framed = vec![0];
    framed.extend(u32::try_from(bytes).unwrap().to_be_bytes());
    framed.extend(sent);
    framed
}

struct PendingResponse(h2::client::ResponseFuture);

impl PendingResponse {
    /// Waits for the headers, and returns them with the body.
    async fn head(self) -> (http::HeaderMap, RecvStream) {
        let response = timeout(PATIENCE, self.0).await.unwrap().unwrap();
        let (head, body) = response.into_parts();
        (head.headers, body)
    }

    /// Reads the whole response and returns its status.
    async fn read(self) -> Status {
        let (head, mut body) = self.head().await;
        if let Some(status) = Status::from_header_map(&head) {
            return status;
        }
        read_on(&mut body).await.unwrap()
    }
}

/// Reads the next bytes of a response, without granting the server more window.
async fn next_bytes(body: &mut RecvStream) -> Bytes {
    let bytes = timeout(PATIENCE, body.data()).await.unwrap();
    bytes.expect("the stream continues").unwrap()
}

/// Reads the first message of a response that starts with `read`.
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

/// Reads the rest of a response, and returns its status.
async fn read_on(body: &mut RecvStream) -> Result<Status, h2::Error> {
    while let Some(data) = timeout(PATIENCE, body.data()).await.unwrap() {
        body.flow_control().release_capacity(data?.len()).unwrap();
    }
    let trailers = timeout(PATIENCE, body.trailers()).await.unwrap()?;
    Ok(Status::from_header_map(&trailers.unwrap()).unwrap())
}

fn limit(status: &Status) -> String {
    assert_eq!(reason(status), "LIMIT_REACHED", "{status:?}");
    let details = status.get_error_details();
    details.error_info().unwrap().metadata["limit"].clone()
}

/// Starts a server with enough matches to make a list a large response.
async fn server_with_matches(limits: Limits) -> TestServer {
    let server = TestServer::with_limits(limits).await;
    for _ in 0..40 {
        server.create(config(GAMES[0], 2)).await;
    }
    server
}

#[tokio::test]
async fn an_unread_response_is_dropped_and_then_its_stream_is_reset() {
    let limits = Limits {
        unread_time: SHORT_TIMEOUT,
        ..Limits::default()
    };
    let server = server_with_matches(limits).await;
    for window in [0, 1, 10_000] {
        let mut client = NarrowClient::connect(&server, window).await;
        let (_, mut body) = client.list().await.head().await;
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
    // A caller that reads gets its response.
    let mut client = NarrowClient::connect(&server, 10_000).await;
    assert_eq!(client.list().await.read().await.code(), tonic::Code::Ok);
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
    let (_, mut body) = client.list().await.head().await;
    // Starts once the first response is dropped, halfway to the reset of its stream.
    let (_, _second) = client.list().await.head().await;
    client.windows.send(100_000).unwrap();
    assert_eq!(limit(&read_on(&mut body).await.unwrap()), "unread_time");
}

#[tokio::test]
async fn a_list_waits_for_unread_lists_and_other_calls_do_not() {
    let limits = Limits {
        unread_answer_bytes_per_connection: 1,
        ..Limits::default()
    };
    let server = server_with_matches(limits).await;
    let mut client = NarrowClient::connect(&server, 0).await;
    let (_, unread) = client.list().await.head().await;
    let mut waiting = pin!(client.list().await.head());
    // Another connection does not wait.
    let mut other = NarrowClient::connect(&server, 100_000).await;
    select! {
        status = other.list().await.read() => assert_eq!(status.code(), tonic::Code::Ok),
        _ = &mut waiting => panic!("it has to wait"),
    }
    drop(unread);
    let (_, mut body) = waiting.await;
    client.windows.send(100_000).unwrap();
    assert_eq!(read_on(&mut body).await.unwrap().code(), tonic::Code::Ok);
}

#[tokio::test]
async fn calls_in_progress_of_a_caller_are_limited() {
    let limits = Limits {
        other_calls_per_caller: 2,
        bot_streams_per_caller: 1,
        ..Limits::default()
    };
    let locked = LockedServer::with_limits(limits).await;
    let scopes = [KeyScope::Create, KeyScope::Read, KeyScope::Play];
    let busy = locked.key("busy", &scopes).await;
    let other = locked.key("other", &scopes).await;
    let made = locked
        .with(&busy)
        .create(config(GAMES[0], 2))
        .await
        .unwrap();
    let id = &made.match_id;
    let mut watching = Vec::new();
    while watching.len() < 2 {
        // The permit of the previous call may not be released yet.
        watching.extend(locked.with(&busy).watch(id).await);
    }
    let refused = locked.with(&busy).list().await.unwrap_err();
    assert_eq!(limit(&refused), "other_calls_per_caller");
    locked.with(&other).list().await.unwrap();

    let _playing = locked.with(&busy).open(&made.tickets[0]).await.unwrap();
    let refused = locked.with(&busy).open(&made.tickets[1]).await;
    assert_eq!(limit(&refused.err().unwrap()), "bot_streams_per_caller");
    locked.with(&other).open(&made.tickets[1]).await.unwrap();
}

#[tokio::test]
async fn calls_without_a_key_use_no_quota_of_a_key_at_their_address() {
    let limits = Limits {
        other_calls_per_caller: 2,
        ..Limits::default()
    };
    let locked = LockedServer::with_limits(limits).await;
    let key = locked
        .key("judge", &[KeyScope::Create, KeyScope::Read])
        .await;
    // From here on, the server has cached the key.
    locked.with(&key).list().await.unwrap();
    let mut deaf = NarrowClient::connect(&locked.server, 0).await;
    let mut held = Vec::new();
    let refused = loop {
        held.push(deaf.start(GAMES_LISTED, framed(0, Vec::new())).await);
        let mut catalog = locked.server.catalog();
        if let Err(refused) = catalog.list_games(ListGamesRequest {}).await {
            break refused;
        }
    };
    assert_eq!(limit(&refused), "other_calls_per_caller");
    locked.with(&key).list().await.unwrap();
    locked.with(&key).create(config(GAMES[0], 2)).await.unwrap();
    // The identifier of a key does not authenticate.
    let forged = format!("bmk_{}_{}", key.id(), "0".repeat(64));
    let forged = forged.parse().unwrap();
    let refused = locked.with(&forged).list().await;
    assert_eq!(limit(&refused.unwrap_err()), "other_calls_per_caller");
}

#[tokio::test]
async fn a_caller_that_fills_the_server_does_not_lock_out_another() {
    let limits = Limits {
        other_calls: 4,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let watch = WatchMatchRequest {
        match_id: seated.match_id,
    };
    // Calls from 127.0.0.1 that are read.
    let mut watching = Vec::new();
    while watching.len() < 4 {
        // The permit of the previous call may not be released yet.
        watching.extend(server.matches().watch_match(watch.clone()).await);
    }
    let mut other = CatalogServiceClient::new(channel_from("127.0.0.2", &server));
    other.list_games(ListGamesRequest {}).await.unwrap();
    let mut oldest = watching.remove(0).into_inner();
    oldest.message().await.unwrap().unwrap();
    let ended = timeout(PATIENCE, oldest.message()).await.unwrap();
    assert_eq!(ended.unwrap_err().code(), tonic::Code::Cancelled);
}

#[tokio::test]
async fn a_server_full_of_unread_calls_serves_a_new_caller_after_a_timeout() {
    let limits = Limits {
        other_calls: 3,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let mut deaf = Vec::new();
    for _ in 0..3 {
        let mut client = NarrowClient::connect(&server, 0).await;
        let answering = client.start(GAMES_LISTED, framed(0, Vec::new())).await;
        deaf.push((client, answering));
    }
    // A caller at the same address.
    let served = async {
        while server
            .catalog()
            .list_games(ListGamesRequest {})
            .await
            .is_err()
        {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, served).await.unwrap();
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
    let framed = |message| {
        let bytes = request(message).encode_to_vec();
        framed(bytes.len(), bytes)
    };
    let mut opened = Vec::new();
    while opened.len() < streams {
        for ticket in server.create(config(GAMES[0], 4)).await.tickets {
            let hello = framed(play_request::Message::Hello(hello()));
            opened.push(client.start_with_ticket(Some(&ticket), PLAY, hello).await);
        }
    }
    // One byte of the Welcome shows that the Hello was read. The server reads nothing more of the
    // stream until the rest of the Welcome is sent.
    let mut bots = Vec::new();
    for (outbound, answering) in opened {
        let (_, mut inbound) = answering.head().await;
        let begun = next_bytes(&mut inbound).await.to_vec();
        bots.push((outbound, inbound, begun));
    }
    for (outbound, ..) in &mut bots {
        let pong = framed(play_request::Message::Pong(Pong { nonce: 0 }));
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
    let limits = Limits {
        unfinished_request_bytes_per_caller: 40_000,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let mut client = NarrowClient::connect(&server, 65_535).await;
    let mut held = Vec::new();
    let refused = loop {
        assert!(held.len() < 10, "the third is too much");
        let (mut body, answering) = client.start(CREATE, framed(60_000, vec![0; 8_000])).await;
        body.send_data(vec![0; 20_000].into(), false).unwrap();
        let mut answering = Box::pin(answering.read());
        select! {
            status = &mut answering => break status,
            () = until_idle(&server) => held.push((body, answering)),
        }
    };
    assert_eq!(limit(&refused), "unfinished_request_bytes_per_caller");
    server.create(config(GAMES[0], 2)).await;
}

/// Waits until the server has probably handled all messages: it has answered later calls.
async fn until_idle(server: &TestServer) {
    for _ in 0..20 {
        server
            .catalog()
            .list_games(ListGamesRequest {})
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn spectators_that_read_nothing_are_evicted_for_new_ones() {
    let limits = Limits {
        watchers_per_match: 4,
        ..Limits::default()
    };
    let most = limits.watchers_per_match;
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let watch = || WatchMatchRequest {
        match_id: seated.match_id.clone(),
    };
    let narrow = Channel::from_shared(server.url.clone())
        .unwrap()
        .initial_stream_window_size(0)
        .connect()
        .await
        .unwrap();
    let mut deaf = Vec::new();
    for _ in 0..most {
        let mut client = MatchServiceClient::new(narrow.clone());
        deaf.push(client.watch_match(watch()).await.unwrap());
    }
    // From the moment when they have not read for long enough.
    let watching = async {
        loop {
            if let Ok(updates) = server.matches().watch_match(watch()).await {
                return updates.into_inner();
            }
        }
    };
    let mut updates = timeout(PATIENCE, watching).await.unwrap();
    updates.message().await.unwrap().unwrap();
    let bot = RawBot::join(&server, &seated.tickets[0]).await;
    updates.message().await.unwrap().unwrap();
    drop(bot);
}

#[tokio::test]
async fn one_caller_does_not_lock_out_the_spectators_of_another() {
    let limits = Limits {
        watchers_per_match: 4,
        ..Limits::default()
    };
    let locked = LockedServer::with_limits(limits).await;
    let scopes = [KeyScope::Create, KeyScope::Read];
    let [busy, other] = [
        locked.key("busy", &scopes).await,
        locked.key("other", &scopes).await,
    ];
    let made = locked.with(&busy).create(config(GAMES[0], 2)).await;
    let id = made.unwrap().match_id;
    let mut watching = Vec::new();
    for _ in 0..4 {
        watching.push(locked.with(&busy).watch(&id).await.unwrap());
    }
    let refused = locked.with(&busy).watch(&id).await.unwrap_err();
    assert_eq!(limit(&refused), "watchers_per_match");
    for _ in 0..2 {
        locked.with(&other).watch(&id).await.unwrap();
    }
    let mut first = watching.remove(0);
    first.message().await.unwrap().unwrap();
    let ended = timeout(PATIENCE, first.message()).await.unwrap();
    assert_eq!(reason(&ended.unwrap_err()), "SLOW_CONSUMER");
}

#[tokio::test]
async fn a_bot_that_reads_nothing_loses_its_stream_and_may_reconnect() {
    let limits = Limits {
        unread_time: SHORT_TIMEOUT,
        ..Limits::default()
    };
    let server = TestServer::with_limits(limits).await;
    let seated = server.create(config(GAMES[0], 2)).await;
    let mut other = RawBot::join(&server, &seated.tickets[1]).await;
    let deaf = Channel::from_shared(server.url.clone())
        .unwrap()
        .initial_stream_window_size(0)
        .connect()
        .await
        .unwrap();
    let client = bridgemaster_proto::v1::play_service_client::PlayServiceClient::new(deaf);
    let first = request(play_request::Message::Hello(hello()));
    let bearer = format!("Bearer {}", seated.tickets[0]);
    let bot = RawBot::open_with(client, Some(&bearer), first)
        .await
        .unwrap();
    other.started().await;
    // The other bots are notified of the lost stream.
    other.next_seat_status().await;
    drop(bot);
    let mut back = RawBot::join(&server, &seated.tickets[0]).await;
    back.next_request().await;
}
