//! A bot inside this program that checks every message. It decides by its request alone, and
//! forgets more or less of what it was told between streams.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use bridgemaster_games::{ChanceStream, Seed};
use bridgemaster_proto::v1::{
    Decision, DecisionRequest, Hello, PlayRequest, PlayResponse, Pong, decision::Choice,
    play_request, play_response::Message, play_service_client::PlayServiceClient,
};
use bridgemaster_sdk::{Advice, Refusal};
use prost::Message as _;
use tokio::{
    sync::{mpsc, watch},
    time::{sleep, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Status, Streaming, transport::Endpoint};
use xxhash_rust::xxh64::xxh64;

use crate::sequence_watch::{Received, SequenceWatch};

/// Name of these bots.
pub(crate) const WATCHED_NAME: &str = "watched";
/// Interval of the transport's pings and time for their answer: a silent link is left after the
/// sum.
const KEEP_ALIVE: Duration = Duration::from_secs(2);
/// Time to connect, for the Welcome, and for the end of a stream after MatchEnded.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// Longest pause between streams, in ms.
const PAUSE_MS: u32 = 150;
/// A bot with a bad memory is told up to so many messages once more, of those that it has not yet
/// shown to have.
const FORGOTTEN: u32 = 4;

/// A seat that is watched.
pub(crate) struct WatchedBot {
    url: String,
    ticket: String,
    watch: Arc<Mutex<SequenceWatch>>,
    /// Counts the requests of all watched bots.
    progress: Arc<watch::Sender<u64>>,
    chance: ChanceStream,
}

/// End of a stream before the end of the match.
enum Failure {
    /// As streams do in a storm.
    Lost,
    /// As none may.
    Wrong(String),
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        match Refusal::from_status(&status) {
            Some(refusal) if refusal.advice != Advice::Retry => {
                Self::Wrong(format!("{}: {}", refusal.reason, refusal.message))
            }
            _ => Self::Lost,
        }
    }
}

impl WatchedBot {
    /// A bot for a seat; `watch` goes on where another bot of the seat left off.
    pub(crate) fn new(
        url: &str,
        ticket: &str,
        seed: &Seed,
        watch: Arc<Mutex<SequenceWatch>>,
        progress: Arc<watch::Sender<u64>>,
    ) -> Self {
        Self {
            url: url.to_owned(),
            ticket: ticket.to_owned(),
            watch,
            progress,
            chance: ChanceStream::new(seed, 0),
        }
    }

    /// Plays to the end of the match.
    ///
    /// # Errors
    /// In words, what the server did that it must not.
    pub(crate) async fn play(mut self) -> Result<(), String> {
        let mut known = None;
        loop {
            match self.one_stream(known).await {
                Ok(()) => return Ok(()),
                Err(Failure::Wrong(words)) => return Err(words),
                Err(Failure::Lost) => {}
            }
            let pause = self.chance.below(PAUSE_MS);
            sleep(Duration::from_millis(pause.into())).await;
            known = self.remembered();
        }
    }

    /// The number that the next Hello names.
    fn remembered(&mut self) -> Option<u32> {
        let watch = self.watch.lock().unwrap();
        let (newest, acknowledged) = (watch.newest(), watch.acknowledged());
        drop(watch);
        let remembered = match self.chance.below(8) {
            0 => 0,
            1 | 2 => {
                let forgotten = self.chance.below(FORGOTTEN + 1);
                newest.saturating_sub(forgotten).max(acknowledged)
            }
            _ => newest,
        };
        (remembered > 0).then_some(remembered)
    }

    async fn one_stream(&mut self, known: Option<u32>) -> Result<(), Failure> {
        let (open, history_id) = {
            let mut watch = self.watch.lock().unwrap();
            watch.stream_begins(known);
            (watch.last_request().cloned(), watch.history_id())
        };
        let (outbound, messages) = mpsc::channel(8);
        let hello = Hello {
            protocol_revision: bridgemaster_proto::PROTOCOL_REVISION,
            bot_name: WATCHED_NAME.to_owned(),
            last_sequence: known,
            history_id: history_id.filter(|_| known.is_some()),
            ..Hello::default()
        };
        send(&outbound, play_request::Message::Hello(hello)).await;
        let mut inbound = timeout(ANSWER_TIME, self.call(messages))
            .await
            .map_err(|_| Failure::Lost)??;
        let welcome = timeout(ANSWER_TIME, inbound.message());
        let welcome = welcome.await.map_err(|_| Failure::Lost)??;
        let welcome = welcome.ok_or(Failure::Lost)?;
        let Some(Message::Welcome(welcome)) = welcome.message else {
            let words = format!("a stream began with {welcome:?}");
            return Err(Failure::Wrong(words));
        };
        {
            let mut watch = self.watch.lock().unwrap();
            watch.welcomed(&welcome).map_err(Failure::Wrong)?;
        }
        if let Some(request) = open.filter(|_| known.is_some()) {
            // The answer may have been lost; if not, this one is ignored.
            send(&outbound, answer(&request)).await;
        }
        self.converse(inbound, outbound).await
    }

    async fn call(
        &self,
        messages: mpsc::Receiver<PlayRequest>,
    ) -> Result<Streaming<PlayResponse>, Failure> {
        let channel = Endpoint::from_shared(self.url.clone())
            .map_err(|error| Failure::Wrong(error.to_string()))?
            .connect_timeout(ANSWER_TIME)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE)
            .connect()
            .await
            .map_err(|_| Failure::Lost)?;
        let mut call = Request::new(ReceiverStream::new(messages));
        let bearer = format!("Bearer {}", self.ticket).parse();
        let bearer = bearer.map_err(|_| Failure::Wrong("a ticket is no metadata".to_owned()))?;
        call.metadata_mut().insert("authorization", bearer);
        Ok(PlayServiceClient::new(channel)
            .play(call)
            .await?
            .into_inner())
    }

    async fn converse(
        &mut self,
        mut inbound: Streaming<PlayResponse>,
        outbound: mpsc::Sender<PlayRequest>,
    ) -> Result<(), Failure> {
        loop {
            let response = inbound.message().await?.ok_or(Failure::Lost)?;
            if response.sequence == 0 {
                if let Some(Message::Ping(ping)) = response.message {
                    let pong = Pong { nonce: ping.nonce };
                    send(&outbound, play_request::Message::Pong(pong)).await;
                }
                continue;
            }
            let received = {
                let mut watch = self.watch.lock().unwrap();
                watch.receive(&response).map_err(Failure::Wrong)?
            };
            match response.message {
                Some(Message::DecisionRequest(request)) => {
                    if received == Received::New {
                        self.progress.send_modify(|requests| *requests += 1);
                    }
                    let is_newest = {
                        let mut watch = self.watch.lock().unwrap();
                        watch.acknowledge(response.sequence);
                        request.request_id == watch.requests()
                    };
                    if is_newest {
                        send(&outbound, answer(&request)).await;
                    }
                }
                Some(Message::DecisionRejected(rejected)) => {
                    let words = format!("a good answer was refused: {rejected:?}");
                    return Err(Failure::Wrong(words));
                }
                Some(Message::MatchEnded(_)) => {
                    drop(outbound);
                    // The result is known, however the stream ends.
                    let _ = timeout(ANSWER_TIME, inbound.message()).await;
                    return Ok(());
                }
                _ => {}
            }
        }
    }
}

/// Sends a message; that the stream is gone is seen on its other half.
async fn send(outbound: &mpsc::Sender<PlayRequest>, message: play_request::Message) {
    let request = PlayRequest {
        message: Some(message),
    };
    let _ = outbound.send(request).await;
}

/// Any listed decision, by what is listed. The events of a request have no part in it: they may
/// come in another order where seats decide at once.
fn answer(request: &DecisionRequest) -> play_request::Message {
    let mut listed = Vec::new();
    let game = request.game.as_ref();
    for index in 0..request.legal_count as usize {
        let decision = game.and_then(|game| game.legal_decision(index));
        listed.extend(decision.unwrap_or_default().encode_to_vec());
    }
    let index = xxh64(&listed, 0) % u64::from(request.legal_count.max(1));
    play_request::Message::Decision(Decision {
        request_id: request.request_id,
        choice: Some(Choice::Index(index as u32)),
        ..Decision::default()
    })
}
