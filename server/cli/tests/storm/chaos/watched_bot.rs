//! A bot inside this program that checks every message. It decides by its request alone, and
//! forgets more or less of what it received between streams.

use std::{
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use bridgemaster_games::{ChanceStream, Seed};
use bridgemaster_proto::v1::{DecisionRequest, Hello, play_response::Message};
use bridgemaster_sdk::{Advice, Refusal};
use prost::Message as _;
use tokio::{
    sync::watch,
    time::{error::Elapsed, sleep, timeout},
};
use tonic::{
    Status,
    transport::{self, Endpoint},
};
use xxhash_rust::xxh64::xxh64;

use super::sequence_watch::{Received, SequenceWatch};
use crate::kit::seat_stream::{SeatStream, hello};

/// Interval of the transport's pings and time for their answer: a silent link is left after the
/// sum.
const KEEP_ALIVE: Duration = Duration::from_secs(2);
/// Time to connect, for the Welcome, and for the end of a stream after MatchEnded.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// Longest pause between streams, in ms.
const PAUSE_MS: u32 = 150;
/// A forgetful bot asks for at most this many messages again, out of those that it has not
/// acknowledged yet.
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

impl From<transport::Error> for Failure {
    fn from(_: transport::Error) -> Self {
        Self::Lost
    }
}

impl From<Elapsed> for Failure {
    fn from(_: Elapsed) -> Self {
        Self::Lost
    }
}

impl WatchedBot {
    /// A bot for a seat. `watch` continues the checks of the seat's previous bot.
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
    /// With the mistake of the server.
    pub(crate) async fn play(mut self) -> Result<(), String> {
        let mut known = None;
        loop {
            match self.one_stream(known).await {
                Ok(()) => return Ok(()),
                Err(Failure::Wrong(problem)) => return Err(problem),
                Err(Failure::Lost) => {}
            }
            let pause = self.chance.below(PAUSE_MS);
            sleep(Duration::from_millis(pause.into())).await;
            known = self.remembered();
        }
    }

    fn watch(&self) -> MutexGuard<'_, SequenceWatch> {
        self.watch.lock().unwrap()
    }

    /// The number that the next Hello names.
    fn remembered(&mut self) -> Option<u32> {
        let newest = self.watch().newest();
        let acknowledged = self.watch().acknowledged();
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
        self.watch().stream_begins(known);
        let open = self.watch().last_request().cloned();
        let hello = Hello {
            last_sequence: known,
            history_id: self.watch().history_id().filter(|_| known.is_some()),
            ..hello("watched")
        };
        let endpoint = Endpoint::from_shared(self.url.clone())?
            .connect_timeout(ANSWER_TIME)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE);
        let opened = async {
            let channel = endpoint.connect().await?;
            Ok::<_, Failure>(SeatStream::open(channel, &self.ticket, "", hello).await?)
        };
        let mut stream = timeout(ANSWER_TIME, opened).await??;
        let welcome = timeout(ANSWER_TIME, stream.next()).await??;
        match welcome.ok_or(Failure::Lost)?.message {
            Some(Message::Welcome(welcome)) => {
                self.watch().welcomed(&welcome).map_err(Failure::Wrong)?;
            }
            other => return Err(Failure::Wrong(format!("a stream began with {other:?}"))),
        }
        if let Some(request) = open.filter(|_| known.is_some()) {
            // The answer may have been lost; if not, this one is ignored.
            answer(&stream, &request).await;
        }
        self.converse(stream).await
    }

    async fn converse(&mut self, mut stream: SeatStream) -> Result<(), Failure> {
        loop {
            let response = stream.next().await?.ok_or(Failure::Lost)?;
            if response.sequence == 0 {
                continue;
            }
            let received = self.watch().receive(&response).map_err(Failure::Wrong)?;
            match response.message {
                Some(Message::DecisionRequest(request)) => {
                    if received == Received::New {
                        self.progress.send_modify(|requests| *requests += 1);
                    }
                    self.watch().acknowledge(response.sequence);
                    let newest = self.watch().requests();
                    if request.request_id == newest {
                        answer(&stream, &request).await;
                    }
                }
                Some(Message::DecisionRejected(rejected)) => {
                    let problem = format!("a good answer was refused: {rejected:?}");
                    return Err(Failure::Wrong(problem));
                }
                Some(Message::MatchEnded(_)) => {
                    stream.close();
                    // The result is known, however the stream ends.
                    let _ = timeout(ANSWER_TIME, stream.next()).await;
                    return Ok(());
                }
                _ => {}
            }
        }
    }
}

/// Sends any listed decision, by what is listed. The events of a request have no part in it: they
/// may come in another order where seats decide at once.
async fn answer(stream: &SeatStream, request: &DecisionRequest) {
    let mut listed = Vec::new();
    let game = request.game.as_ref();
    for index in 0..request.legal_count as usize {
        let decision = game.and_then(|game| game.legal_decision(index));
        listed.extend(decision.unwrap_or_default().encode_to_vec());
    }
    let index = xxh64(&listed, 0) % u64::from(request.legal_count.max(1));
    // A lost stream is detected on its receiving half.
    let _ = stream.decide(request.request_id, index as u32).await;
}
