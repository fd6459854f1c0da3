//! A PlayService whose messages the test scripts.

use std::{net::SocketAddr, pin::Pin, time::Duration};

use bridgemaster_sdk::v1::{
    self, play_request, play_response,
    play_service_server::{PlayService, PlayServiceServer},
};
use tokio::{net::TcpListener, sync::mpsc, task::JoinHandle, time::timeout};
use tokio_stream::{Stream, wrappers::ReceiverStream, wrappers::TcpListenerStream};
use tonic::{Request, Response, Status, Streaming, transport::Server};

/// The longest that a test waits for any one event.
pub(crate) const TEST_TIMEOUT: Duration = Duration::from_secs(120);

/// Awaits a future that must complete within [`TEST_TIMEOUT`].
pub(crate) async fn within_timeout<T>(event: &str, future: impl Future<Output = T>) -> T {
    match timeout(TEST_TIMEOUT, future).await {
        Ok(value) => value,
        Err(_) => panic!("timed out waiting for {event}"),
    }
}

pub(crate) struct ScriptedServer {
    pub(crate) url: String,
    streams: mpsc::Receiver<ServerStream>,
    serving: JoinHandle<()>,
}

impl ScriptedServer {
    /// Starts a server on a free loopback port.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        Self::start_on(listener)
    }

    pub(crate) fn start_on(listener: TcpListener) -> Self {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (calls, streams) = mpsc::channel(4);
        let service = PlayServiceServer::new(Script { calls });
        let serving = tokio::spawn(async move {
            let incoming = TcpListenerStream::new(listener);
            Server::builder().add_service(service).serve_with_incoming(incoming).await.unwrap();
        });
        Self { url, streams, serving }
    }

    /// Waits for the next stream that a bot opens.
    pub(crate) async fn next_stream(&mut self) -> ServerStream {
        within_timeout("a stream", self.streams.recv()).await.unwrap()
    }

    /// Waits for the next stream, reads its Hello and sends a Welcome.
    pub(crate) async fn next_welcomed(&mut self) -> (v1::Hello, ServerStream) {
        let mut stream = self.next_stream().await;
        let hello = stream.hello().await;
        stream.welcome(HISTORY_ID, hello.last_sequence.is_some()).await;
        (hello, stream)
    }

    /// Waits for the next stream and makes its bot start over, in another history.
    pub(crate) async fn next_not_resumed(&mut self, history_id: &str) -> (v1::Hello, ServerStream) {
        let mut stream = self.next_stream().await;
        let hello = stream.hello().await;
        stream.welcome(history_id, false).await;
        (hello, stream)
    }

    /// Stops listening and drops every connection.
    pub(crate) fn stop(self) {
        self.serving.abort();
    }
}

/// The server's side of one stream. Dropping it ends the stream without an error.
pub(crate) struct ServerStream {
    pub(crate) authorization: Option<String>,
    requests: Streaming<v1::PlayRequest>,
    responses: mpsc::Sender<Result<v1::PlayResponse, Status>>,
}

impl ServerStream {
    /// Sends a Ping, and waits for its Pong.
    pub(crate) async fn ping(&mut self, nonce: u64) {
        let ping = play_response::Message::Ping(v1::Ping { nonce });
        self.send(0, ping).await;
        let pong = play_request::Message::Pong(v1::Pong { nonce });
        assert_eq!(self.next().await, pong);
    }

    /// Waits for the next message of the bot.
    pub(crate) async fn next(&mut self) -> play_request::Message {
        let request = within_timeout("a message of the bot", self.requests.message()).await;
        request.unwrap().expect("the bot ended its stream").message.unwrap()
    }

    /// Returns whether the bot closes its side without another message.
    pub(crate) async fn is_closed_by_bot(&mut self) -> bool {
        matches!(within_timeout("the bot's end", self.requests.message()).await, Ok(None) | Err(_))
    }

    pub(crate) async fn hello(&mut self) -> v1::Hello {
        match self.next().await {
            play_request::Message::Hello(hello) => hello,
            other => panic!("expected a Hello, got {other:?}"),
        }
    }

    /// Waits for the next message, which must be a decision by index; returns request id and index.
    pub(crate) async fn decision(&mut self) -> (u32, u32) {
        match self.next().await {
            play_request::Message::Decision(v1::Decision {
                request_id,
                choice: Some(v1::decision::Choice::Index(index)),
                ..
            }) => (request_id, index),
            other => panic!("expected a decision by index, got {other:?}"),
        }
    }

    pub(crate) async fn send(&self, sequence: u32, message: play_response::Message) {
        let response = v1::PlayResponse { sequence, message: Some(message) };
        self.responses.send(Ok(response)).await.unwrap();
    }

    pub(crate) async fn welcome(&self, history_id: &str, resumed: bool) {
        let welcome = v1::Welcome {
            protocol_revision: 1,
            match_id: MATCH_ID.to_owned(),
            seat: SEAT,
            history_id: history_id.to_owned(),
            resumed,
            ..Default::default()
        };
        self.send(0, play_response::Message::Welcome(welcome)).await;
    }

    /// Ends the stream with an error.
    pub(crate) async fn fail(self, status: Status) {
        self.responses.send(Err(status)).await.unwrap();
    }
}

pub(crate) const MATCH_ID: &str = "m1";
pub(crate) const SEAT: u32 = 2;
pub(crate) const HISTORY_ID: &str = "00112233445566778899aabbccddeeff";

pub(crate) fn match_started() -> play_response::Message {
    play_response::Message::MatchStarted(v1::MatchStarted {
        match_id: MATCH_ID.to_owned(),
        seat: SEAT,
        ..Default::default()
    })
}

/// A request with three legal decisions.
pub(crate) fn decision_request(request_id: u32) -> play_response::Message {
    let clock = v1::Clock { bank_left_ms: 60_000, decision_left_ms: 10_000, last_charge: None };
    play_response::Message::DecisionRequest(v1::DecisionRequest {
        request_id,
        legal_count: 3,
        clock: Some(clock),
        ..Default::default()
    })
}

/// A refusal of the answer to a request that stays open.
pub(crate) fn decision_rejected(request_id: u32) -> play_response::Message {
    play_response::Message::DecisionRejected(v1::DecisionRejected {
        request_id,
        reason: v1::RefusalReason::IndexOutOfRange.into(),
        field: "index".to_owned(),
        detail: "valid: 0 to 2".to_owned(),
        open_request_id: request_id,
        strikes: 1,
    })
}

pub(crate) fn seat_status(strikes: u32) -> play_response::Message {
    let seat = v1::SeatInfo { seat: 0, strikes, ..Default::default() };
    play_response::Message::SeatStatus(v1::SeatStatus { seat: Some(seat), ..Default::default() })
}

pub(crate) fn match_result() -> v1::MatchResult {
    v1::MatchResult { match_id: MATCH_ID.to_owned(), decisions: 7, ..Default::default() }
}

pub(crate) fn match_ended() -> play_response::Message {
    play_response::Message::MatchEnded(v1::MatchEnded {
        result: Some(match_result()),
        ..Default::default()
    })
}

struct Script {
    calls: mpsc::Sender<ServerStream>,
}

#[tonic::async_trait]
impl PlayService for Script {
    type PlayStream = Pin<Box<dyn Stream<Item = Result<v1::PlayResponse, Status>> + Send>>;

    async fn play(
        &self,
        request: Request<Streaming<v1::PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let authorization = request.metadata().get("authorization");
        let authorization = authorization.and_then(|v| v.to_str().ok()).map(str::to_owned);
        let (responses, outbound) = mpsc::channel(16);
        let stream = ServerStream { authorization, requests: request.into_inner(), responses };
        self.calls.send(stream).await.map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(Box::pin(ReceiverStream::new(outbound))))
    }
}
