//! Many matches of two seats at once, with all their bots in one process: the load of
//! `.ci/cluster-bench`. The bots answer by index, and read nothing of the game.
//!
//! `many_seats play URLS GAME MATCHES THINK_MS` keeps so many matches in play, spread over the
//! servers (addresses with commas between them), one after the other at each table, with bots that
//! think for so long. For each line on its input it prints one with what happened since the line
//! before: decisions, then the round trips in µs, each from the answer of a bot to the next request
//! of its match. Once its input ends, it makes no more matches, and ends with the last; it ends with 1
//! when a bot fails.
//!
//! `many_seats wait URLS GAME MATCHES` makes so many matches, to which no bot comes, and ends.

#![allow(
    clippy::print_stdout,
    reason = "who starts it reads what happened there"
)]

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

/// Seats of a match.
const SEATS: usize = 2;
/// Streams on one connection, as an SDK spreads them.
const STREAMS_PER_CONNECTION: usize = 100;
/// Calls in progress at each server while matches are made that wait.
const CALLS_AT_ONCE: usize = 32;
/// Clocks that nobody breaks, however slow the machine is, and which wait for a server that is gone:
/// the longest that there are.
const HOUR_MS: u32 = 3_600_000;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["play", urls, game, matches, think_ms] => play(urls, game, matches, think_ms).await,
        ["wait", urls, game, matches] => wait(urls, game, matches).await,
        _ => Err("play URLS GAME MATCHES THINK_MS, or wait URLS GAME MATCHES".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Keeps matches in play until the input ends, and then plays the last ones to their ends.
async fn play(urls: &str, game: &str, matches: &str, think_ms: &str) -> Outcome<()> {
    let (matches, think) = (matches.parse::<usize>()?, think_ms.parse()?);
    let think = Duration::from_millis(think);
    let urls: Vec<&str> = urls.split(',').collect();
    let streams = matches.div_ceil(urls.len()) * SEATS;
    let mut servers = Vec::new();
    for url in &urls {
        servers.push(connect(url, streams.div_ceil(STREAMS_PER_CONNECTION)).await?);
    }
    let config = config_of(&servers[0][0], game).await?;
    let since = Arc::new(Since::default());
    let told = Arc::clone(&since);
    thread::spawn(move || {
        for _ in stdin().lock().lines() {
            println!("{}", told.take());
        }
        told.is_over.store(true, Ordering::Relaxed);
    });
    let mut tables = JoinSet::new();
    for table in 0..matches {
        let channels = &servers[table % servers.len()];
        let channel = channels[table / servers.len() % channels.len()].clone();
        let (config, since) = (config.clone(), Arc::clone(&since));
        tables.spawn(async move {
            while !since.is_over.load(Ordering::Relaxed) {
                play_match(&channel, &config, think, &since).await?;
            }
            Ok(())
        });
    }
    all_ended(tables).await
}

/// Waits for all, or for the first that fails.
async fn all_ended(mut tasks: JoinSet<Outcome<()>>) -> Outcome<()> {
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

/// Makes matches to which no bot comes.
async fn wait(urls: &str, game: &str, matches: &str) -> Outcome<()> {
    let matches = matches.parse::<usize>()?;
    let mut channels = Vec::new();
    for url in urls.split(',') {
        channels.extend(connect(url, 1).await?);
    }
    let config = config_of(&channels[0], game).await?;
    let made = Arc::new(AtomicUsize::new(0));
    let mut calls = JoinSet::new();
    for place in 0..channels.len() * CALLS_AT_ONCE {
        let channel = channels[place % channels.len()].clone();
        let (config, made) = (config.clone(), Arc::clone(&made));
        calls.spawn(async move {
            while made.fetch_add(1, Ordering::Relaxed) < matches {
                make(&channel, &config).await?;
            }
            Ok(())
        });
    }
    all_ended(calls).await
}

/// What happened since it was taken the last time.
#[derive(Default)]
struct Since {
    happened: Mutex<Happened>,
    /// No match is made any more.
    is_over: AtomicBool,
}

#[derive(Default)]
struct Happened {
    decisions: usize,
    round_trips: Vec<Duration>,
}

impl Since {
    fn note(&self, round_trip: Option<Duration>) {
        let mut happened = self.happened.lock().unwrap_or_else(PoisonError::into_inner);
        happened.decisions += 1;
        happened.round_trips.extend(round_trip);
    }

    /// As a line.
    fn take(&self) -> String {
        let mut happened = self.happened.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = std::mem::take(&mut *happened);
        drop(happened);
        let mut line = taken.decisions.to_string();
        for round_trip in taken.round_trips {
            // Writing to a text does not fail.
            let _ = write!(line, " {}", round_trip.as_micros());
        }
        line
    }
}

/// When the last answer of a match was given that no request has followed yet.
#[derive(Default)]
struct Answered(Mutex<Option<Instant>>);

impl Answered {
    fn now(&self) {
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

/// A match of a game by its defaults, but for the clocks.
async fn config_of(channel: &Channel, game: &str) -> Outcome<v1::MatchConfig> {
    let mut catalog = CatalogServiceClient::new(channel.clone());
    let listed = catalog.list_games(v1::ListGamesRequest {}).await?;
    let mut games = listed.into_inner().games.into_iter();
    let described = games.find(|one| one.game_id == game);
    Ok(v1::MatchConfig {
        game: described.ok_or("there is no such game")?.default_config,
        seats: SEATS as u32,
        clock: Some(v1::ClockRules {
            bank_ms: Some(HOUR_MS),
            cap_ms: Some(HOUR_MS),
            startup_ms: Some(HOUR_MS),
            reconnect_ms: Some(HOUR_MS),
            ..v1::ClockRules::default()
        }),
        ..v1::MatchConfig::default()
    })
}

/// Makes a match, and returns the tickets of its seats.
async fn make(channel: &Channel, config: &v1::MatchConfig) -> Outcome<Vec<String>> {
    let request = v1::CreateMatchRequest {
        config: Some(config.clone()),
        ..v1::CreateMatchRequest::default()
    };
    let mut matches = MatchServiceClient::new(channel.clone());
    let created = matches.create_match(request).await?.into_inner();
    Ok(created.tickets.into_iter().map(|one| one.ticket).collect())
}

/// Makes a match, and plays it to its end.
async fn play_match(
    channel: &Channel,
    config: &v1::MatchConfig,
    think: Duration,
    since: &Arc<Since>,
) -> Outcome<()> {
    let answered = Arc::new(Answered::default());
    let mut bots = JoinSet::new();
    for ticket in make(channel, config).await? {
        let (channel, since) = (channel.clone(), Arc::clone(since));
        let answered = Arc::clone(&answered);
        bots.spawn(async move { play_seat(&channel, &ticket, think, &answered, &since).await });
    }
    all_ended(bots).await
}

/// Plays a seat to the end of its stream, which the server ends when the match is over.
async fn play_seat(
    channel: &Channel,
    ticket: &str,
    think: Duration,
    answered: &Answered,
    since: &Since,
) -> Outcome<()> {
    let (outbound, requests) = mpsc::channel(4);
    let send = async |message| {
        let request = v1::PlayRequest {
            message: Some(message),
        };
        outbound.send(request).await
    };
    let hello = v1::Hello {
        protocol_revision: 1,
        bot_name: "many".to_owned(),
        ..v1::Hello::default()
    };
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
                since.note(answered.take());
                if !think.is_zero() {
                    sleep(think).await;
                }
                let decision = v1::Decision {
                    request_id: asked.request_id,
                    choice: Some(Choice::Index(choose(&mut chooser, asked.legal_count))),
                    ..v1::Decision::default()
                };
                answered.now();
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
    match has_ended {
        true => Ok(()),
        false => Err("a stream ended before its match".into()),
    }
}

/// One of so many, by a generator of the kind of Lehmer.
fn choose(chooser: &mut u64, of: u32) -> u32 {
    *chooser = chooser
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    ((*chooser >> 33) % u64::from(of.max(1))) as u32
}
