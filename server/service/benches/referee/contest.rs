//! What a contest makes of the rate of the server: matches one after the other at as many tables,
//! with bots that attend and answer at once, and with a process for each bot of each match. What is
//! counted is the same everywhere: requests that bots answered, and the CPU time of this process,
//! in which server, bots that attend and contest are. Time that other programs take does not count
//! there.

use std::{
    path::Path,
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

use crate::{Referees, SEATS, TURNS, connect, load, median, turn::process_cpu_time};

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
/// Groups in a turn of `--quick`: the first and the last matches of a contest, when not all tables
/// have one, are a tenth of it.
const QUICK_GROUPS: u64 = 400;
/// Time of a turn of matches without a contest: on a busy machine too each table plays several from
/// their making to their end.
const RAW_TURN: Duration = Duration::from_secs(2);

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

/// What turns of one kind came to.
#[derive(Default)]
struct Figures {
    /// Decisions a second.
    rates: Vec<f64>,
    /// CPU time of a decision in µs.
    costs: Vec<f64>,
    /// The rate as a share of the raw rate of the same turn.
    ratios: Vec<f64>,
    /// The same by CPU time alone.
    cost_ratios: Vec<f64>,
}

impl Figures {
    fn add(&mut self, (rate, cost): (f64, f64), (raw_rate, raw_cost): (f64, f64)) {
        self.rates.push(rate);
        self.costs.push(cost);
        self.ratios.push(rate / raw_rate);
        self.cost_ratios.push(raw_cost / cost);
    }

    fn print(self, name: &str) {
        println!("{name}.decisions {:.0} /s", median(self.rates));
        println!("{name}.cpu {:.1} us", median(self.costs));
        println!("{name}.ratio {:.3} 1", median(self.ratios));
        println!("{name}.cpu_ratio {:.3} 1", median(self.cost_ratios));
    }
}

/// Prints the rates of a game, and what share of the raw rate each is.
pub(crate) async fn measure(game: &'static str, quick: bool) {
    let groups = if quick { QUICK_GROUPS } else { GROUPS };
    let attending = [("raw_bots", Attends::Raw), ("sdk_bots", Attends::Sdk)];
    // All contests are kept until the end: a file system may look through what was deleted lately for
    // each file that is made.
    let kept = tempfile::tempdir().unwrap();
    let mut figures = [Figures::default(), Figures::default()];
    let (mut rates, mut costs, mut started) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let server = Referees::start().await;
        let channels = connect(&server.url).await;
        let turn =
            load::decisions(&channels, game, SEATS, TABLES, RAW_TURN, process_cpu_time).await;
        let raw = (turn.per_second(), turn.cpu_us());
        rates.push(raw.0);
        costs.push(raw.1);
        for (figures, (_, bots)) in figures.iter_mut().zip(&attending) {
            figures.add(
                attended(&server.url, &channels, kept.path(), (game, groups), *bots).await,
                raw,
            );
        }
        started.push(processes(&server.url, kept.path(), game).await / raw.0);
    }
    let raw = median(rates);
    let name = format!("contest.{game}.matches{TABLES}");
    println!("{name}.raw.decisions {raw:.0} /s");
    println!("{name}.raw.cpu {:.1} us", median(costs));
    for ((bots, _), figures) in attending.iter().zip(figures) {
        figures.print(&format!("{name}.attending.{bots}"));
    }
    let name = format!("contest.{game}.processes{PROCESSES}");
    let ratio = median(started);
    println!("{name}.decisions {:.0} /s", ratio * raw);
    println!("{name}.ratio {ratio:.3} 1");
}

/// Decisions a second, and the CPU time of each in µs, of a contest whose bots attend in this
/// process.
async fn attended(
    url: &str,
    channels: &[Channel],
    kept: &Path,
    (game, groups): (&str, u64),
    bots: Attends,
) -> (f64, f64) {
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
    let played = played(url, kept, spec).await;
    while let Some(ended) = attendances.join_next().await {
        ended.unwrap();
    }
    played
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
async fn processes(url: &str, kept: &Path, game: &str) -> f64 {
    let program = std::env::current_exe().unwrap();
    let command = format!("{} {BOT}", program.display());
    let bots = ["one", "other"].map(|name| BotSpec::of_command(name, &command));
    let spec = ContestSpec {
        concurrency: Some(PROCESSES),
        ..spec(game, bots.to_vec(), PROCESS_GROUPS)
    };
    played(url, kept, spec).await.0
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

/// Plays a contest in a folder of its own in `kept`, its end and all replays included.
async fn played(url: &str, kept: &Path, spec: ContestSpec) -> (f64, f64) {
    let folder = tempfile::tempdir_in(kept).unwrap().keep();
    let contest = Contest::create(&folder, spec).unwrap();
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
    let (start, cpu_before) = (Instant::now(), process_cpu_time());
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
    let (time, cpu) = (start.elapsed(), process_cpu_time() - cpu_before);
    let answered = answered as f64;
    (
        answered / time.as_secs_f64(),
        cpu.as_secs_f64() * 1e6 / answered,
    )
}
