//! A bot that speaks the raw protocol, so that it can misbehave.

use bridgemaster_proto::v1::{
    Decision, DecisionRejected, DecisionRequest, Hello, MatchEnded, MatchStarted, PlayRequest,
    PlayResponse, Pong, SeatStatus, decision::Choice, play_request, play_response::Message,
    play_service_client::PlayServiceClient,
};
use tokio::{select, sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Status, Streaming, transport::Channel};
use tonic_types::StatusExt as _;

use crate::test_server::{PATIENCE, TestServer};

pub(crate) struct RawBot {
    outbound: mpsc::Sender<PlayRequest>,
    inbound: Streaming<PlayResponse>,
    /// Sequence of the last counted message.
    pub(crate) last_sequence: u32,
    /// The history in the Welcome; empty before it.
    pub(crate) history_id: String,
    /// Whether the stream resumed after the messages of another.
    pub(crate) resumed: bool,
    /// Bytes left for notes, from the last Welcome.
    pub(crate) note_bytes_left: u32,
    last_request: Option<DecisionRequest>,
}

/// The state that a bot needs to resume on another stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResumePoint {
    last_sequence: u32,
    history_id: String,
    /// The last request; its answer may be lost.
    last_request: Option<DecisionRequest>,
}

pub(crate) fn hello() -> Hello {
    Hello {
        protocol_revision: 1,
        bot_name: "raw".to_owned(),
        bot_version: "1".to_owned(),
        games: Vec::new(),
        last_sequence: None,
        history_id: None,
    }
}

pub(crate) fn request(message: play_request::Message) -> PlayRequest {
    PlayRequest {
        message: Some(message),
    }
}

/// Returns the stable reason of a refusal.
pub(crate) fn reason(status: &Status) -> String {
    status
        .get_details_error_info()
        .unwrap_or_else(|| panic!("no ErrorInfo in {status:?}"))
        .reason
}

impl RawBot {
    /// Opens a stream with a ticket, whose first message is `first`.
    pub(crate) async fn open(
        server: &TestServer,
        ticket: &str,
        first: PlayRequest,
    ) -> Result<Self, Status> {
        Self::open_with(
            server.player().await,
            Some(&format!("Bearer {ticket}")),
            first,
        )
        .await
    }

    pub(crate) async fn open_with(
        client: PlayServiceClient<Channel>,
        authorization: Option<&str>,
        first: PlayRequest,
    ) -> Result<Self, Status> {
        let metadata = authorization.map(|value| ("authorization", value.to_owned()));
        Self::open_with_metadata(client, metadata, first).await
    }

    /// Opens a stream with this metadata.
    pub(crate) async fn open_with_metadata(
        mut client: PlayServiceClient<Channel>,
        metadata: impl IntoIterator<Item = (&'static str, String)>,
        first: PlayRequest,
    ) -> Result<Self, Status> {
        let (outbound, messages) = mpsc::channel(1024);
        outbound.send(first).await.unwrap();
        let mut request = Request::new(ReceiverStream::new(messages));
        for (name, value) in metadata {
            request.metadata_mut().append(name, value.parse().unwrap());
        }
        let inbound = client.play(request).await?.into_inner();
        Ok(Self {
            outbound,
            inbound,
            last_sequence: 0,
            history_id: String::new(),
            resumed: false,
            note_bytes_left: 0,
            last_request: None,
        })
    }

    /// Joins with a valid Hello and reads the Welcome.
    pub(crate) async fn join(server: &TestServer, ticket: &str) -> Self {
        Self::join_with(server, ticket, hello()).await
    }

    /// As [`RawBot::join`], with a server that may stop meanwhile.
    pub(crate) async fn try_join(
        client: PlayServiceClient<Channel>,
        ticket: &str,
    ) -> Result<Self, Status> {
        let first = request(play_request::Message::Hello(hello()));
        let bearer = format!("Bearer {ticket}");
        let mut bot = Self::open_with(client, Some(&bearer), first).await?;
        bot.next().await?;
        Ok(bot)
    }

    pub(crate) async fn join_with(server: &TestServer, ticket: &str, hello: Hello) -> Self {
        let first = request(play_request::Message::Hello(hello));
        let mut bot = Self::open(server, ticket, first).await.unwrap();
        assert!(matches!(bot.next().await, Ok(Some(Message::Welcome(_)))));
        bot
    }

    pub(crate) async fn send(&self, message: play_request::Message) {
        // Some tests wait for a closed stream on the other half.
        let _ = self.outbound.send(request(message)).await;
    }

    pub(crate) async fn send_empty(&self) {
        let _ = self.outbound.send(PlayRequest { message: None }).await;
    }

    pub(crate) async fn answer(&self, request: &DecisionRequest, choice: Choice) {
        self.send(play_request::Message::Decision(Decision {
            request_id: request.request_id,
            choice: Some(choice),
            ..Decision::default()
        }))
        .await;
    }

    /// Answers Pings, and returns the next other message; `None` if the stream ended without an
    /// error.
    pub(crate) async fn next(&mut self) -> Result<Option<Message>, Status> {
        loop {
            let response = timeout(PATIENCE, self.inbound.message())
                .await
                .expect("the server sends a message")?;
            let Some(response) = response else {
                return Ok(None);
            };
            if response.sequence > 0 {
                self.last_sequence = response.sequence;
            }
            match response.message.unwrap() {
                Message::Ping(ping) => {
                    self.send(play_request::Message::Pong(Pong { nonce: ping.nonce }))
                        .await;
                }
                other => {
                    match &other {
                        Message::DecisionRequest(request) => {
                            self.last_request = Some(request.clone());
                        }
                        Message::Welcome(welcome) => {
                            self.history_id.clone_from(&welcome.history_id);
                            self.resumed = welcome.resumed;
                            self.note_bytes_left = welcome.note_bytes_left;
                        }
                        _ => {}
                    }
                    return Ok(Some(other));
                }
            }
        }
    }

    /// Returns the nonces of this number of Pings, which are left unanswered; other messages are
    /// skipped.
    pub(crate) async fn pings(&mut self, count: usize) -> Vec<u64> {
        let mut nonces = Vec::new();
        while nonces.len() < count {
            let response = timeout(PATIENCE, self.inbound.message()).await;
            let response = response.expect("the server sends a message").unwrap();
            if let Some(Message::Ping(ping)) = response.unwrap().message {
                nonces.push(ping.nonce);
            }
        }
        nonces
    }

    /// Reads until `pick` accepts a message.
    async fn until<T>(&mut self, mut pick: impl FnMut(Message) -> Option<T>) -> T {
        loop {
            let message = self.next().await.unwrap().expect("the stream continues");
            if let Some(found) = pick(message) {
                return found;
            }
        }
    }

    pub(crate) async fn started(&mut self) -> MatchStarted {
        self.until(|m| match m {
            Message::MatchStarted(started) => Some(started),
            _ => None,
        })
        .await
    }

    pub(crate) async fn next_request(&mut self) -> DecisionRequest {
        self.until(|m| match m {
            Message::DecisionRequest(request) => Some(request),
            _ => None,
        })
        .await
    }

    pub(crate) async fn next_rejection(&mut self) -> DecisionRejected {
        self.until(|m| match m {
            Message::DecisionRejected(rejected) => Some(rejected),
            _ => None,
        })
        .await
    }

    pub(crate) async fn next_seat_status(&mut self) -> SeatStatus {
        self.until(|m| match m {
            Message::SeatStatus(status) => Some(status),
            _ => None,
        })
        .await
    }

    /// Answers requests with their first legal decision until `other` completes. In games with
    /// turns, another seat gets its request only then.
    pub(crate) async fn answer_until<T>(&mut self, other: impl Future<Output = T>) -> T {
        tokio::pin!(other);
        loop {
            select! {
                biased;
                done = &mut other => return done,
                message = self.next() => {
                    if let Ok(Some(Message::DecisionRequest(request))) = message {
                        self.answer(&request, Choice::Index(0)).await;
                    }
                }
            }
        }
    }

    /// Answers every request with its first legal decision until the match ends.
    pub(crate) async fn play_on(mut self) -> MatchEnded {
        loop {
            match self.next().await.unwrap().expect("the match continues") {
                Message::DecisionRequest(request) => {
                    self.answer(&request, Choice::Index(0)).await;
                }
                Message::MatchEnded(ended) => return ended,
                _ => {}
            }
        }
    }

    /// Returns the Hello that resumes after this message.
    pub(crate) fn hello_after(&self, last_sequence: u32) -> Hello {
        Hello {
            last_sequence: Some(last_sequence),
            history_id: Some(self.history_id.clone()),
            ..hello()
        }
    }

    /// Returns the state to resume from.
    pub(crate) fn resume_point(&self) -> ResumePoint {
        ResumePoint {
            last_sequence: self.last_sequence,
            history_id: self.history_id.clone(),
            last_request: self.last_request.clone(),
        }
    }

    /// Resumes from `known` and plays like [`RawBot::play_on`]. Asserts that no sequence number is
    /// skipped or repeated, and that a bot with a history is resumed.
    pub(crate) async fn resume(
        server: &TestServer,
        ticket: &str,
        known: ResumePoint,
    ) -> MatchEnded {
        let mut back = hello();
        if known.last_sequence > 0 {
            back.last_sequence = Some(known.last_sequence);
            back.history_id = Some(known.history_id);
        }
        let mut bot = Self::join_with(server, ticket, back).await;
        assert_eq!(bot.resumed, known.last_sequence > 0);
        bot.last_sequence = known.last_sequence;
        if let Some(request) = &known.last_request {
            // Has no effect if it was committed.
            bot.answer(request, Choice::Index(0)).await;
        }
        loop {
            let before = bot.last_sequence;
            let message = bot.next().await.unwrap().expect("the match continues");
            match message {
                Message::Draining(_) => {}
                _ if bot.resumed => assert_eq!(bot.last_sequence, before + 1, "{message:?}"),
                _ => assert!(bot.last_sequence > before, "{message:?}"),
            }
            match message {
                Message::DecisionRequest(request) => {
                    bot.answer(&request, Choice::Index(0)).await;
                }
                Message::MatchEnded(ended) => return ended,
                _ => {}
            }
        }
    }

    /// Returns the refusal at the end of the stream; `None` if it ended without an error.
    pub(crate) async fn end(mut self) -> Option<Status> {
        loop {
            match self.next().await {
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(status) => return Some(status),
            }
        }
    }
}

/// Raw bytes on the wire in field 1, the field of a Hello.
#[derive(Clone, PartialEq, prost::Message)]
struct AsHello {
    #[prost(bytes = "vec", tag = "1")]
    bytes: Vec<u8>,
}

/// A bot that sends a valid Hello and then malformed messages.
pub(crate) struct GarbageBot {
    outbound: mpsc::Sender<AsHello>,
    inbound: Streaming<PlayResponse>,
}

impl GarbageBot {
    /// Joins and waits for a request.
    pub(crate) async fn join(server: &TestServer, ticket: &str) -> Self {
        let (outbound, messages) = mpsc::channel(2);
        let bytes = prost::Message::encode_to_vec(&hello());
        outbound.send(AsHello { bytes }).await.unwrap();
        let mut call = Request::new(ReceiverStream::new(messages));
        let bearer = format!("Bearer {ticket}").parse().unwrap();
        call.metadata_mut().insert("authorization", bearer);
        let mut client = tonic::client::Grpc::new(server.channel.clone());
        client.ready().await.unwrap();
        let path = "/bridgemaster.v1.PlayService/Play".parse().unwrap();
        let codec = tonic_prost::ProstCodec::<AsHello, PlayResponse>::default();
        let mut inbound = client
            .streaming(call, path, codec)
            .await
            .unwrap()
            .into_inner();
        loop {
            let message = inbound.message().await.unwrap().unwrap().message;
            if matches!(message, Some(Message::DecisionRequest(_))) {
                return Self { outbound, inbound };
            }
        }
    }

    /// Sends a malformed message, and returns how the server ends the stream.
    pub(crate) async fn send_garbage(mut self) -> Status {
        let bytes = vec![0xff; 16];
        self.outbound.send(AsHello { bytes }).await.unwrap();
        loop {
            if let Err(status) = self.inbound.message().await {
                return status;
            }
        }
    }
}
