//! A bot that uses the protocol without the SDK, so that it can misbehave.

use std::pin::Pin;

use bridgemaster_proto::v1::{
    Decision, DecisionRejected, DecisionRequest, Hello, MatchEnded, MatchResult, MatchStarted,
    PlayRequest, PlayResponse, Pong, Resign, SeatStatus, decision::Choice, play_request,
    play_response::Message,
};
use tokio::{select, sync::mpsc, time::timeout};
use tokio_stream::{Stream, StreamExt as _, wrappers::ReceiverStream};
use tonic::{Request, Status};

use crate::{caller::Caller, streams::PATIENCE};

type Responses = Pin<Box<dyn Stream<Item = Result<PlayResponse, Status>> + Send + Sync>>;

pub(crate) struct RawBot {
    outbound: mpsc::Sender<PlayRequest>,
    inbound: Responses,
    /// Sequence of the last counted message.
    pub(crate) last_sequence: u32,
    /// The history in the Welcome; empty before it.
    pub(crate) history_id: String,
    /// Whether the stream continued after the messages of an earlier one.
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
        ..Hello::default()
    }
}

/// Returns the first message of a stream.
pub(crate) fn hello_message() -> play_request::Message {
    play_request::Message::Hello(hello())
}

pub(crate) fn request(message: play_request::Message) -> PlayRequest {
    PlayRequest { message: Some(message) }
}

pub(crate) fn bearer(ticket: &str) -> String {
    format!("Bearer {ticket}")
}

impl RawBot {
    /// Creates a bot over these messages.
    pub(crate) fn new(outbound: mpsc::Sender<PlayRequest>, inbound: Responses) -> Self {
        Self {
            outbound,
            inbound,
            last_sequence: 0,
            history_id: String::new(),
            resumed: false,
            note_bytes_left: 0,
            last_request: None,
        }
    }

    /// Opens a stream with this metadata. If `first` is set, it is the first message; otherwise
    /// nothing is sent.
    pub(crate) async fn open_with(
        caller: &Caller,
        metadata: &[(&'static str, &str)],
        first: Option<play_request::Message>,
    ) -> Result<Self, Status> {
        let (outbound, messages) = mpsc::channel(1024);
        if let Some(first) = first {
            outbound.send(request(first)).await.unwrap();
        }
        let mut request = Request::new(ReceiverStream::new(messages));
        for (name, value) in metadata {
            request.metadata_mut().append(*name, value.parse().unwrap());
        }
        let inbound = caller.player().play(request).await?.into_inner();
        Ok(Self::new(outbound, Box::pin(inbound)))
    }

    /// Opens a stream with a ticket, whose first message is `first`.
    pub(crate) async fn open(
        caller: &Caller,
        ticket: &str,
        first: play_request::Message,
    ) -> Result<Self, Status> {
        let metadata = [("authorization", &*bearer(ticket))];
        Self::open_with(caller, &metadata, Some(first)).await
    }

    /// Opens a stream with a ticket, and sends nothing.
    pub(crate) async fn open_silently(caller: &Caller, ticket: &str) -> Self {
        let metadata = [("authorization", &*bearer(ticket))];
        Self::open_with(caller, &metadata, None).await.unwrap()
    }

    /// Joins with a valid Hello and reads the Welcome.
    pub(crate) async fn join(caller: &Caller, ticket: &str) -> Self {
        Self::join_with(caller, ticket, hello()).await
    }

    pub(crate) async fn join_with(caller: &Caller, ticket: &str, hello: Hello) -> Self {
        let first = play_request::Message::Hello(hello);
        let bot = Self::open(caller, ticket, first).await.unwrap();
        bot.welcomed().await.unwrap()
    }

    /// As [`RawBot::join`], for a server that may refuse or stop.
    pub(crate) async fn try_join(caller: &Caller, ticket: &str) -> Result<Self, Status> {
        let bot = Self::open(caller, ticket, hello_message()).await?;
        bot.welcomed().await
    }

    /// Returns the refusal of a stream with a ticket, whose first message is `first`.
    pub(crate) async fn refused(
        caller: &Caller,
        ticket: &str,
        first: play_request::Message,
    ) -> Status {
        match Self::open(caller, ticket, first).await {
            Ok(bot) => bot.end().await.expect("the stream ends with a reason"),
            Err(refused) => refused,
        }
    }

    /// Reads the Welcome.
    pub(crate) async fn welcomed(mut self) -> Result<Self, Status> {
        let first = self.next().await?;
        assert!(matches!(first, Some(Message::Welcome(_))), "{first:?}");
        Ok(self)
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

    pub(crate) async fn resign(&self) {
        self.send(play_request::Message::Resign(Resign {})).await;
    }

    async fn response(&mut self) -> Result<Option<PlayResponse>, Status> {
        let response = timeout(PATIENCE, self.inbound.next()).await;
        response.expect("the server sends a message").transpose()
    }

    /// Answers Pings, and returns the next other message; `None` if the stream ended without an
    /// error.
    pub(crate) async fn next(&mut self) -> Result<Option<Message>, Status> {
        loop {
            let Some(response) = self.response().await? else {
                return Ok(None);
            };
            if response.sequence > 0 {
                self.last_sequence = response.sequence;
            }
            match response.message.unwrap() {
                Message::Ping(ping) => {
                    self.send(play_request::Message::Pong(Pong { nonce: ping.nonce })).await;
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
            let response = self.response().await.unwrap().unwrap();
            if let Some(Message::Ping(ping)) = response.message {
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
        let found = |message| match message {
            Message::MatchStarted(started) => Some(started),
            _ => None,
        };
        self.until(found).await
    }

    pub(crate) async fn next_request(&mut self) -> DecisionRequest {
        let found = |message| match message {
            Message::DecisionRequest(request) => Some(request),
            _ => None,
        };
        self.until(found).await
    }

    pub(crate) async fn next_rejection(&mut self) -> DecisionRejected {
        let found = |message| match message {
            Message::DecisionRejected(rejected) => Some(rejected),
            _ => None,
        };
        self.until(found).await
    }

    pub(crate) async fn next_seat_status(&mut self) -> SeatStatus {
        let found = |message| match message {
            Message::SeatStatus(status) => Some(status),
            _ => None,
        };
        self.until(found).await
    }

    /// Answers requests with their first legal decision until `other` completes. In a game with
    /// turns, the other seat gets its request only then.
    pub(crate) async fn answer_until<T>(&mut self, other: impl Future<Output = T>) -> T {
        tokio::pin!(other);
        loop {
            select! {
                biased;
                done = &mut other => return done,
                message = self.next() => {
                    if let Ok(Some(Message::DecisionRequest(request))) = message {
                        self.answer_first(&request).await;
                    }
                }
            }
        }
    }

    /// Answers a request with its first legal decision.
    pub(crate) async fn answer_first(&self, request: &DecisionRequest) {
        self.answer(request, Choice::Index(0)).await;
    }

    /// Answers every request with its first legal decision until the match ends.
    pub(crate) async fn play_on(mut self) -> MatchEnded {
        self.play_to_end().await
    }

    pub(crate) async fn play_to_end(&mut self) -> MatchEnded {
        loop {
            match self.next().await.unwrap().expect("the match continues") {
                Message::DecisionRequest(request) => self.answer_first(&request).await,
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
    pub(crate) async fn resume(caller: &Caller, ticket: &str, known: ResumePoint) -> MatchEnded {
        let mut back = hello();
        if known.last_sequence > 0 {
            back.last_sequence = Some(known.last_sequence);
            back.history_id = Some(known.history_id);
        }
        let mut bot = Self::join_with(caller, ticket, back).await;
        assert_eq!(bot.resumed, known.last_sequence > 0);
        bot.last_sequence = known.last_sequence;
        if let Some(request) = &known.last_request {
            // Has no effect if the answer was committed.
            bot.answer_first(request).await;
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
                Message::DecisionRequest(request) => bot.answer_first(&request).await,
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

/// Resumes both bots of a match and plays it to its end. Returns the result, which both get.
pub(crate) async fn resume_all(
    caller: &Caller,
    tickets: &[String],
    [first, second]: [ResumePoint; 2],
) -> MatchResult {
    let (first, second) = tokio::join!(
        RawBot::resume(caller, &tickets[0], first),
        RawBot::resume(caller, &tickets[1], second),
    );
    assert_eq!(first.result, second.result);
    first.result.unwrap()
}
