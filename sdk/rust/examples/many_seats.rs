//! The load generator for `.ci/cluster-bench`: plays many concurrent two-seat matches, with all
//! bots in one process. The bots answer by index and ignore the game.
//!
//! `many_seats play URLS GAME MATCHES THINK_MS CONNECTED` keeps `MATCHES` matches in progress,
//! spread over the comma-separated servers, with bots that wait `THINK_MS` before each answer.
//! `CONNECTED` is the server that each bot uses: `direct` for that of its match, `forwarded` for
//! another one, or `spread` for any, as behind a load balancer. For each line on
//! standard input, it prints the number of decisions and the round trips in µs since the previous
//! line. A round trip is the time from a bot's answer to the next request of its match. At the end
//! of its input, it creates no more matches, and exits once the last match has ended. It exits with
//! code 1 if a bot fails.
//!
//! `many_seats wait URLS GAME MATCHES` creates `MATCHES` matches, leaves their seats vacant and
//! exits.

#![allow(clippy::print_stdout, reason = "measurements are the output of the program")]

use std::{
    env,
    error::Error,
    fmt::Write as _,
    io::{BufRead as _, stdin},
    process::ExitCode,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use bridgemaster_sdk::v1::{
    self, catalog_service_client::CatalogServiceClient, decision::Choice,
    match_service_client::MatchServiceClient, play_request, play_response,
    play_service_client::PlayServiceClient,
};
use tokio::{sync::mpsc, task::JoinSet, time::sleep};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, transport::Channel};

/// The number of seats in each match.
const SEATS: usize = 2;
/// The number of streams on one connection, as an SDK would use.
const STREAMS_PER_CONNECTION: usize = 100;
/// The number of concurrent calls per server while `wait` creates matches.
const CONCURRENT_CALLS: usize = 32;
/// The longest allowed time on a clock: one hour. No bot exceeds it, even on a slow machine or
/// while a server is down.
const HOUR_MS: u32 = 3_600_000;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["play", urls, game, matches, think_ms, connected] => {
            play(urls, game, matches, think_ms, connected).await
        }
        ["wait", urls, game, matches] => wait(urls, game, matches).await,
        _ => Err("play URLS GAME MATCHES THINK_MS CONNECTED, or wait URLS GAME MATCHES".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The server that a bot uses.
#[derive(Clone, Copy)]
enum Connected {
    /// The server of its match.
    Direct,
    /// Another server, which forwards the stream.
    Forwarded,
    /// Each server for an equal share of the bots.
    Spread,
}

impl Connected {
    fn parse(text: &str) -> Outcome<Self> {
        match text {
            "direct" => Ok(Self::Direct),
            "forwarded" => Ok(Self::Forwarded),
            "spread" => Ok(Self::Spread),
            other => Err(format!("{other}: use direct, forwarded or spread").into()),
        }
    }

    /// Returns the number of the server for a seat of a table, whose matches are on server `table`
    /// modulo `servers`.
    fn server(self, table: usize, seat: usize, servers: usize) -> usize {
        let offset = match self {
            Self::Direct => 0,
            Self::Forwarded => 1,
            Self::Spread => table / servers + seat,
        };
        (table + offset) % servers
    }
}

/// Keeps matches in progress until the input ends, and then finishes the last matches.
async fn play(
    urls: &str,
    game: &str,
    matches: &str,
    think_ms: &str,
    connected: &str,
) -> Outcome<()> {
    let connected = Connected::parse(connected)?;
    let (matches, think) = (matches.parse::<usize>()?, think_ms.parse()?);
    let think = Duration::from_millis(think);
    let urls: Vec<&str> = urls.split(',').collect();
    let streams = matches.div_ceil(urls.len()) * SEATS;
    let mut servers = Vec::new();
    for url in &urls {
        servers.push(connect(url, streams.div_ceil(STREAMS_PER_CONNECTION)).await?);
    }
    let config = match_config(&servers[0][0], game).await?;
    let activity = Arc::new(Activity::default());
    let reported = Arc::clone(&activity);
    thread::spawn(move || {
        for _ in stdin().lock().lines() {
            println!("{}", reported.take_line());
        }
        reported.is_over.store(true, Ordering::Relaxed);
    });
    let mut tables = JoinSet::new();
    for table in 0..matches {
        let channel = |server: usize| {
            let channels = &servers[server];
            channels[table / servers.len() % channels.len()].clone()
        };
        let maker = channel(table % servers.len());
        let seats = [0, 1].map(|seat| channel(connected.server(table, seat, servers.len())));
        let (config, activity) = (config.clone(), Arc::clone(&activity));
        tables.spawn(async move {
            while !activity.is_over.load(Ordering::Relaxed) {
                play_match(&maker, &seats, &config, think, &activity).await?;
            }
            Ok(())
        });
    }
    all_ended(tables).await
}

/// Waits until all tasks have ended, or until one of them has failed.
async fn all_ended(mut tasks: JoinSet<Outcome<()>>) -> Outcome<()> {
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

/// Creates matches whose seats stay vacant.
async fn wait(urls: &str, game: &str, matches: &str) -> Outcome<()> {
    let matches = matches.parse::<usize>()?;
    let mut channels = Vec::new();
    for url in urls.split(',') {
        channels.extend(connect(url, 1).await?);
    }
    let config = match_config(&channels[0], game).await?;
    let made = Arc::new(AtomicUsize::new(0));
    let mut calls = JoinSet::new();
    for place in 0..channels.len() * CONCURRENT_CALLS {
        let channel = channels[place % channels.len()].clone();
        let (config, made) = (config.clone(), Arc::clone(&made));
        calls.spawn(async move {
            while made.fetch_add(1, Ordering::Relaxed) < matches {
                create_match(&channel, &config).await?;
            }
            Ok(())
        });
    }
    all_ended(calls).await
}

/// The activity since the last report.
#[derive(Default)]
struct Activity {
    counters: Mutex<Counters>,
    /// Set once no more matches are to be created.
    is_over: AtomicBool,
}

#[derive(Default)]
struct Counters {
    decisions: usize,
    round_trips: Vec<Duration>,
}

impl Activity {
    fn record_decision(&self, round_trip: Option<Duration>) {
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        counters.decisions += 1;
        counters.round_trips.extend(round_trip);
    }

    /// Resets the counters and formats them as a line.
    fn take_line(&self) -> String {
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = std::mem::take(&mut *counters);
        drop(counters);
        let mut line = taken.decisions.to_string();
        for round_trip in taken.round_trips {
            // Writing to a String does not fail.
            let _ = write!(line, " {}", round_trip.as_micros());
        }
        line
    }
}

/// The time of the last answer in a match; `None` after the next request has arrived.
#[derive(Default)]
struct LastAnswer(Mutex<Option<Instant>>);

impl LastAnswer {
    fn set_now(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn take(&self) -> Option<Duration> {
        let mut answered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answered.take().map(|at| at.elapsed())
    }
}

async fn connect(url: &str, connections: usize) -> Outcome<Vec<Channel>> {
    let mut channels = Vec::new();
    for _ in 0..connections {
        channels.push(Channel::from_shared(url.to_owned())?.connect().await?);
    }
    Ok(channels)
}

/// Returns a game's default config, with long clocks.
async fn match_config(channel: &Channel, game: &str) -> Outcome<v1::MatchConfig> {
    let mut catalog = CatalogServiceClient::new(channel.clone());
    let listed = catalog.list_games(v1::ListGamesRequest {}).await?;
    let mut games = listed.into_inner().games.into_iter();
    let described = games.find(|one| one.game_id == game);
    Ok(v1::MatchConfig {
        game: described.ok_or("unknown game")?.default_config,
        seats: SEATS as u32,
        clock: Some(v1::ClockRules {
            time_control: Some(v1::TimeControl::fischer(HOUR_MS, 0, HOUR_MS)),
            startup_ms: Some(HOUR_MS),
            reconnect_ms: Some(HOUR_MS),
            ..v1::ClockRules::default()
        }),
        ..v1::MatchConfig::default()
    })
}

/// Creates a match and returns its seats' tickets.
async fn create_match(channel: &Channel, config: &v1::MatchConfig) -> Outcome<Vec<String>> {
    let request = v1::CreateMatchRequest {
        config: Some(config.clone()),
        ..v1::CreateMatchRequest::default()
    };
    let mut matches = MatchServiceClient::new(channel.clone());
    let created = matches.create_match(request).await?.into_inner();
    Ok(created.tickets.into_iter().map(|one| one.ticket).collect())
}

/// Creates a match and plays it to its end, with bots on the connections `seats`.
async fn play_match(
    maker: &Channel,
    seats: &[Channel; SEATS],
    config: &v1::MatchConfig,
    think: Duration,
    activity: &Arc<Activity>,
) -> Outcome<()> {
    let answered = Arc::new(LastAnswer::default());
    let mut bots = JoinSet::new();
    for (ticket, channel) in create_match(maker, config).await?.into_iter().zip(seats) {
        let (channel, activity) = (channel.clone(), Arc::clone(activity));
        let answered = Arc::clone(&answered);
        bots.spawn(async move { play_seat(&channel, &ticket, think, &answered, &activity).await });
    }
    all_ended(bots).await
}

/// Plays a seat until the server closes its stream after the match.
async fn play_seat(
    channel: &Channel,
    ticket: &str,
    think: Duration,
    answered: &LastAnswer,
    activity: &Activity,
) -> Outcome<()> {
    let (outbound, requests) = mpsc::channel(4);
    let send = async |message| {
        let request = v1::PlayRequest { message: Some(message) };
        outbound.send(request).await
    };
    let hello =
        v1::Hello { protocol_revision: 1, bot_name: "many".to_owned(), ..v1::Hello::default() };
    send(play_request::Message::Hello(hello)).await?;
    let mut call = Request::new(ReceiverStream::new(requests));
    let bearer = format!("Bearer {ticket}").parse()?;
    call.metadata_mut().insert("authorization", bearer);
    let mut client = PlayServiceClient::new(channel.clone());
    let mut responses = client.play(call).await?.into_inner();
    let (mut chooser, mut has_ended) = (0, false);
    while let Some(response) = responses.message().await? {
        match response.message {
            Some(play_response::Message::DecisionRequest(asked)) => {
                activity.record_decision(answered.take());
                if !think.is_zero() {
                    sleep(think).await;
                }
                let decision = v1::Decision {
                    request_id: asked.request_id,
                    choice: Some(Choice::Index(choose(&mut chooser, asked.legal_count))),
                    ..v1::Decision::default()
                };
                answered.set_now();
                send(play_request::Message::Decision(decision)).await?;
            }
            Some(play_response::Message::Ping(ping)) => {
                let pong = v1::Pong { nonce: ping.nonce };
                send(play_request::Message::Pong(pong)).await?;
            }
            Some(play_response::Message::MatchEnded(_)) => has_ended = true,
            _ => {}
        }
    }
    if has_ended { Ok(()) } else { Err("the stream ended before the match".into()) }
}

/// Returns a pseudorandom index below `count`, from a linear congruential generator.
fn choose(chooser: &mut u64, count: u32) -> u32 {
    *chooser =
        chooser.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*chooser >> 33) % u64::from(count.max(1))) as u32
}
