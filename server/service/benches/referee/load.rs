//! Refereed matches of bots that answer every request at once.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{
        CreateMatchRequest, Decision, GameConfig, Hello, MatchConfig, PlayRequest, Pong,
        decision::Choice, match_service_client::MatchServiceClient,
        play_request::Message as Outgoing,
    },
};
use prost::Message as _;
use tokio::{sync::mpsc, task::JoinSet, time::sleep};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Streaming, client::Grpc, transport::Channel};

use crate::{
    SEATS,
    thin::{self, ThinCodec},
    turn::Turn,
};

/// Mean message sizes in a match, and numbers of decisions.
#[derive(Clone, Copy)]
pub(crate) struct MessageSizes {
    pub(crate) request_bytes: usize,
    pub(crate) answer_bytes: usize,
    /// Number of decisions of all seats in the match.
    pub(crate) decisions: u64,
}

impl MessageSizes {
    /// Returns the number of decisions of one seat in the match.
    pub(crate) fn of_a_seat(self) -> u64 {
        self.decisions / u64::from(SEATS)
    }
}

/// Maximum time from reading a request to writing the answer for which the answer counts as prompt.
pub(crate) const PROMPT: Duration = Duration::from_millis(40);

/// Counters shared by all bots.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) decisions: AtomicU64,
    request_bytes: AtomicU64,
    answer_bytes: AtomicU64,
    stopping: AtomicBool,
    /// The time for which a bot thinks about each decision.
    thinking: Duration,
    /// Time of the last decision, until the next request arrives.
    decided: Mutex<Option<Instant>>,
    /// Durations from a decision to the next request.
    answers: Mutex<Vec<Duration>>,
}

impl Counters {
    /// Creates counters for bots that think for this time about each decision.
    pub(crate) fn thinking(time: Duration) -> Self {
        Self { thinking: time, ..Self::default() }
    }

    /// Records that a bot has made a decision.
    fn record_decision(&self) {
        *self.decided.lock().unwrap() = Some(Instant::now());
    }

    /// Records that a bot received a request.
    fn record_request(&self) {
        if let Some(decided) = self.decided.lock().unwrap().take() {
            self.answers.lock().unwrap().push(decided.elapsed());
        }
    }

    /// Removes and returns the times from each decision to the next request, for bots that play one
    /// match at a time.
    pub(crate) fn take_answers(&self) -> Vec<Duration> {
        std::mem::take(&mut self.answers.lock().unwrap())
    }
}

/// Plays one match to its end to measure the mean sizes of its messages.
pub(crate) async fn message_sizes(channel: &Channel, game: &str, seats: u32) -> MessageSizes {
    let counters = Arc::new(Counters::default());
    play_match(channel, game, seats, &counters).await;
    let decisions = counters.decisions.load(Ordering::Relaxed).max(1);
    let mean = |sum: &AtomicU64| (sum.load(Ordering::Relaxed) / decisions) as usize;
    MessageSizes {
        request_bytes: mean(&counters.request_bytes),
        answer_bytes: mean(&counters.answer_bytes),
        decisions,
    }
}

/// Keeps `matches` matches running, one after the other at each table, for `turn` after a
/// warm-up, and counts the decisions.
pub(crate) async fn decisions(
    channels: &[Channel],
    game: &'static str,
    seats: u32,
    matches: usize,
    turn: Duration,
    cpu_time: impl Fn() -> Duration,
) -> Turn {
    let counters = Arc::new(Counters::default());
    let mut tables = JoinSet::new();
    for table in 0..matches {
        let channel = channels[table % channels.len()].clone();
        let counters = Arc::clone(&counters);
        tables.spawn(async move {
            while !counters.stopping.load(Ordering::Relaxed) {
                play_match(&channel, game, seats, &counters).await;
            }
        });
    }
    let turn = Turn::of(turn, &counters.decisions, cpu_time).await;
    counters.stopping.store(true, Ordering::Relaxed);
    tables.shutdown().await;
    turn
}

async fn play_match(channel: &Channel, game: &str, seats: u32, counters: &Arc<Counters>) {
    let tickets = create_match(channel, default_match(game, seats)).await.tickets;
    play_seats(channel, tickets, counters).await;
}

/// Requests that a bot did not answer promptly, according to its own clock.
pub(crate) type SlowAnswers = Vec<u32>;

/// Plays all seats of a match to its end, and returns the slow answers of each bot, in seat order.
pub(crate) async fn play_seats(
    channel: &Channel,
    tickets: Vec<String>,
    counters: &Arc<Counters>,
) -> Vec<SlowAnswers> {
    let mut bots = JoinSet::new();
    for (seat, ticket) in tickets.into_iter().enumerate() {
        let bot = play_seat(channel.clone(), ticket, Arc::clone(counters));
        bots.spawn(async move { (seat, bot.await) });
    }
    let mut slow = bots.join_all().await;
    slow.sort_unstable_by_key(|(seat, _)| *seat);
    slow.into_iter().map(|(_, slow)| slow).collect()
}

/// Returns a match with the default options of its game.
pub(crate) fn default_match(game: &str, seats: u32) -> MatchConfig {
    let nothing_chosen = |config: GameConfig| {
        // The field number of the game's entry, and the empty content of the entry.
        let mut bytes = config.encode_to_vec();
        let key_bytes = 1 + bytes.iter().take_while(|byte| **byte >= 0x80).count();
        bytes.truncate(key_bytes);
        bytes.push(0);
        GameConfig::decode(bytes.as_slice()).unwrap()
    };
    let config = with_game!(game, G => G::config_to_wire(&Default::default()));
    MatchConfig { game: config.map(nothing_chosen), seats, ..MatchConfig::default() }
}

/// A created match.
pub(crate) struct Made {
    pub(crate) match_id: String,
    /// The tickets for the match's seats, in seat order.
    pub(crate) tickets: Vec<String>,
}

/// Creates a match.
pub(crate) async fn create_match(channel: &Channel, config: MatchConfig) -> Made {
    let request = CreateMatchRequest {
        config: Some(config),
        // Contests and ladders set this field, too.
        without_config: true,
        ..CreateMatchRequest::default()
    };
    let created = MatchServiceClient::new(channel.clone()).create_match(request).await.unwrap();
    let created = created.into_inner();
    Made {
        match_id: created.r#match.unwrap().match_id,
        tickets: created.tickets.into_iter().map(|seat| seat.ticket).collect(),
    }
}

/// The two halves of a bot's stream.
pub(crate) type StreamHalves = (mpsc::Sender<PlayRequest>, Streaming<(usize, thin::Response)>);

async fn join(channel: &Channel, ticket: String) -> StreamHalves {
    let (outbound, messages) = mpsc::channel(4);
    let hello = Hello { protocol_revision: 1, bot_name: "bench".to_owned(), ..Hello::default() };
    outbound.send(say(Outgoing::Hello(hello))).await.unwrap();
    let mut call = Request::new(ReceiverStream::new(messages));
    let bearer = format!("Bearer {ticket}").parse().unwrap();
    call.metadata_mut().insert("authorization", bearer);
    let mut client = Grpc::new(channel.clone());
    client.ready().await.unwrap();
    let path = "/bridgemaster.v1.PlayService/Play".parse().unwrap();
    let inbound = client.streaming(call, path, ThinCodec).await.unwrap().into_inner();
    (outbound, inbound)
}

/// Takes a seat and leaves all requests unanswered.
pub(crate) async fn join_and_wait(channel: &Channel, ticket: String) -> StreamHalves {
    let (outbound, mut inbound) = join(channel, ticket).await;
    inbound.message().await.unwrap().expect("a Welcome");
    (outbound, inbound)
}

fn say(message: Outgoing) -> PlayRequest {
    PlayRequest { message: Some(message) }
}

/// Plays a seat until the server ends its stream, and returns the slow answers of the bot.
pub(crate) async fn play_seat(
    channel: Channel,
    ticket: String,
    counters: Arc<Counters>,
) -> SlowAnswers {
    let (outbound, mut inbound) = join(&channel, ticket).await;
    let mut chooser = FIRST_CHOOSER;
    let mut slow = Vec::new();
    while let Ok(Some((size, response))) = inbound.message().await {
        let read = Instant::now();
        let mut request_id = None;
        let answer = if let Some(request) = response.request {
            request_id = Some(request.request_id);
            if !counters.thinking.is_zero() {
                counters.record_request();
                sleep(counters.thinking).await;
                counters.record_decision();
            }
            let answer = say(Outgoing::Decision(answer(request, &mut chooser)));
            counters.decisions.fetch_add(1, Ordering::Relaxed);
            counters.request_bytes.fetch_add(size as u64, Ordering::Relaxed);
            counters.answer_bytes.fetch_add(answer.encoded_len() as u64, Ordering::Relaxed);
            answer
        } else if let Some(ping) = response.ping {
            say(Outgoing::Pong(Pong { nonce: ping.nonce }))
        } else {
            continue;
        };
        if outbound.send(answer).await.is_err() {
            break;
        }
        if read.elapsed() > PROMPT {
            slow.extend(request_id);
        }
    }
    slow
}

/// Returns a legal decision.
fn answer(request: thin::Request, chooser: &mut u64) -> Decision {
    Decision {
        request_id: request.request_id,
        choice: Some(Choice::Index(choose(chooser, request.legal_count))),
        ..Decision::default()
    }
}

/// The initial state for [`choose`]. The state must not be 0, since 0 is a fixed point of the
/// generator.
pub(crate) const FIRST_CHOOSER: u64 = 0x2545_f491_4f6c_dd1d;

/// Chooses a number below `count` with a small xorshift generator.
pub(crate) fn choose(chooser: &mut u64, count: u32) -> u32 {
    *chooser ^= *chooser << 13;
    *chooser ^= *chooser >> 7;
    *chooser ^= *chooser << 17;
    (*chooser % u64::from(count.max(1))) as u32
}
