//! What a contest makes of the rate of the server: matches one after the other at as many tables,
//! with bots that attend and answer at once, and with a process for each bot of each match. What is
//! counted is the same everywhere: requests that bots answered.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_runner::{
    BotSpec, BuiltInBots, Clock, Contest, ContestSpec, Format, MatchRules, News, ServerAddress,
    TestSpec,
};
use bridgemaster_sdk::{AttendOptions, Bot, Choice, Connection, Request, TlsOptions, Told};
use tokio::task::JoinSet;
use tonic::transport::Channel;

use crate::{Referees, SEATS, TURNS, connect, load, median, turn};

/// The argument by which this program is a bot that answers at once.
const BOT: &str = "--bot-of-a-contest";
/// Matches at once, of the raw rate and of bots that attend alike.
const TABLES: usize = 64;
/// The most matches that one attendance has at once.
const SLOTS: u32 = 64;
/// Matches at once with a process for each bot.
const PROCESSES: u32 = 4;
/// Groups of two matches in each turn: with bots that attend, and with processes.
const GROUPS: u64 = 1_000;
const PROCESS_GROUPS: u64 = 40;
/// Groups in a turn of `--quick`.
const QUICK_GROUPS: u64 = 200;

/// What attends.
#[derive(Clone, Copy)]
enum Attends {
    /// The bots of the raw rate: they read no more of a request than its number.
    Raw,
    /// The same bot by the SDK, which reads requests whole and gives each bot a thread.
    Sdk,
}

/// Takes any legal decision, at once.
struct Immediate(u64);

impl Immediate {
    fn new() -> Self {
        Self(load::FIRST_CHOOSER)
    }
}

impl Bot for Immediate {
    fn decide(&mut self, request: &Request) -> Choice {
        Choice::Index(load::choose(&mut self.0, request.legal_count) as usize)
    }
}

/// Plays a match as a bot, if the arguments ask for that.
pub(crate) async fn play_if_asked() {
    if std::env::args().any(|argument| argument == BOT) {
        let options = bridgemaster_sdk::Options::from_env("instant").unwrap();
        bridgemaster_sdk::play(Immediate::new(), options)
            .await
            .unwrap();
        std::process::exit(0);
    }
}

/// Prints the rates of a game, and what share of the raw rate each is.
pub(crate) async fn measure(game: &'static str, turn: Duration, quick: bool) {
    let groups = if quick { QUICK_GROUPS } else { GROUPS };
    let attending = [("raw_bots", Attends::Raw), ("sdk_bots", Attends::Sdk)];
    let mut rates = vec![Vec::new(); attending.len()];
    let (mut raw, mut ratios) = (Vec::new(), rates.clone());
    for _ in 0..TURNS {
        let server = Referees::start().await;
        let channels = connect(&server.url).await;
        let of_matches = load::decisions(&channels, game, SEATS, TABLES, turn, turn::unknown).await;
        let of_matches = of_matches.per_second();
        raw.push(of_matches);
        for (place, (_, bots)) in attending.iter().enumerate() {
            let rate = attended(&server.url, &channels, game, groups, *bots).await;
            rates[place].push(rate);
            ratios[place].push(rate / of_matches);
        }
    }
    let started = processes(&Referees::start().await.url, game).await;
    let raw = median(raw);
    let name = format!("contest.{game}.matches{TABLES}");
    println!("{name}.raw.decisions {raw:.0} /s");
    for ((bots, _), (rates, ratios)) in attending.iter().zip(rates.into_iter().zip(ratios)) {
        println!("{name}.attending.{bots}.decisions {:.0} /s", median(rates));
        println!("{name}.attending.{bots}.ratio {:.3} 1", median(ratios));
    }
    let name = format!("contest.{game}.processes{PROCESSES}");
    println!("{name}.decisions {started:.0} /s");
    println!("{name}.ratio {:.3} 1", started / raw);
}

/// Decisions a second of a contest whose bots attend in this process.
async fn attended(url: &str, channels: &[Channel], game: &str, groups: u64, bots: Attends) -> f64 {
    let names = ["one", "other"];
    let specs = names.map(|name| BotSpec::of_attending(name, name)).to_vec();
    let spec = ContestSpec {
        concurrency: Some(u32::try_from(TABLES).unwrap()),
        ..spec(game, specs, groups)
    };
    let mut attendances = JoinSet::new();
    for name in names {
        let options = AttendOptions {
            slots: SLOTS,
            ..AttendOptions::new(url, spec.queue(), name)
        };
        match bots {
            Attends::Raw => attendances.spawn(attend_raw(channels.to_vec(), options)),
            Attends::Sdk => attendances.spawn(async move {
                bridgemaster_sdk::attend(Immediate::new, options)
                    .await
                    .unwrap();
            }),
        };
    }
    // It closes its queue at the end, and so the attendances end.
    let rate = played(url, spec).await;
    while let Some(ended) = attendances.join_next().await {
        ended.unwrap();
    }
    rate
}

/// Attends, and plays with the bots of the raw rate, over the connections that they have.
async fn attend_raw(channels: Vec<Channel>, options: AttendOptions) {
    let counters = Arc::new(load::Counters::default());
    let connection = Connection::to(&options.server_url).unwrap();
    let mut attending = connection.attending(options).unwrap();
    let mut seats = JoinSet::new();
    let mut offers = 0;
    while let Some(told) = attending.next().await.unwrap() {
        if let Told::Offer(offer) = told {
            let channel = channels[offers % channels.len()].clone();
            offers += 1;
            let counters = Arc::clone(&counters);
            seats.spawn(load::play_seat(channel, offer.ticket, counters));
        }
        while seats.try_join_next().is_some() {}
    }
}

/// Decisions a second of a contest that starts a process for each bot of each match.
async fn processes(url: &str, game: &str) -> f64 {
    let program = std::env::current_exe().unwrap();
    let command = format!("{} {BOT}", program.display());
    let bots = ["one", "other"].map(|name| BotSpec::of_command(name, &command));
    let spec = ContestSpec {
        concurrency: Some(PROCESSES),
        ..spec(game, bots.to_vec(), PROCESS_GROUPS)
    };
    played(url, spec).await
}

fn spec(game: &str, bots: Vec<BotSpec>, groups: u64) -> ContestSpec {
    let rules = MatchRules {
        game: game.to_owned(),
        seats: u8::try_from(SEATS).unwrap(),
        clock: Clock {
            // The raw rate has no match annulled for the lag of a server under full load.
            referee_lag_limit_ms: Some(60_000),
            ..Clock::default()
        },
        ..MatchRules::default()
    };
    ContestSpec {
        test: Some(TestSpec::Fixed { groups }),
        ..ContestSpec::new(rules, bots, Format::Series)
    }
}

/// Plays a contest in a folder of its own, its end and all replays included.
async fn played(url: &str, spec: ContestSpec) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let contest = Contest::create(&folder.path().join("contest"), spec).unwrap();
    let server = ServerAddress {
        url: url.to_owned(),
        key: None,
        tls: TlsOptions::default(),
        is_own: false,
    };
    let built_in = BuiltInBots {
        program: std::env::current_exe().unwrap(),
        names: Vec::new(),
    };
    let start = Instant::now();
    let never = std::future::pending::<()>();
    let mut answered = 0;
    let played = contest.play(&server, built_in, never, |_, news| {
        if let News::Match(row) = news {
            let of_seats = row.seats.iter().map(|seat| u64::from(seat.answered));
            answered += of_seats.sum::<u64>();
        }
    });
    let (_, exit) = played.await.unwrap();
    assert_eq!(exit.code, 0, "{}", exit.sentence);
    answered as f64 / start.elapsed().as_secs_f64()
}
