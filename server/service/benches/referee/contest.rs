//! Compares the rate of a contest with the raw rate of the server, both with consecutive matches at
//! the same number of tables. One contest has attending bots that answer at once; another starts a
//! process for each bot of each match. All cases count the requests that bots answered, and the CPU
//! time of this process, which runs the server, the attending bots and the contest. The CPU time of
//! other programs is not included.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_runner::{
    BotSpec, BuiltInBots, Clock, Contest, ContestEvent, ContestSpec, Format, MatchRules,
    ServerAddress, TestSpec,
};
use bridgemaster_sdk::{AttendEvent, AttendOptions, Bot, Choice, Connection, Request, TlsOptions};
use tokio::task::JoinSet;
use tonic::transport::Channel;

use crate::{Referees, SEATS, TURNS, connect, load, median, turn::process_cpu_time};

/// The argument that makes this program a bot that answers at once.
const BOT: &str = "--bot-of-a-contest";
/// Number of concurrent matches, for the raw rate and for attending bots.
const TABLES: usize = 64;
/// Maximum number of concurrent matches of one attendance.
const SLOTS: u32 = 64;
/// Number of concurrent matches with a process for each bot.
const PROCESSES: u32 = 4;
/// Number of two-match groups per turn: first with attending bots, then with bot processes.
const GROUPS: u64 = 1_000;
const PROCESS_GROUPS: u64 = 40;
/// Number of two-match groups per turn with `--quick`. The start and the end of a contest, when
/// some tables are empty, then take a tenth of the time.
const QUICK_GROUPS: u64 = 400;
/// Duration of a turn in which matches are played without a contest. Even on a busy machine, each
/// table can play several whole matches in this time.
const RAW_TURN: Duration = Duration::from_secs(2);

/// Kind of the attending bots.
#[derive(Clone, Copy)]
enum AttendingBots {
    /// The bots that measure the raw rate. These bots read only the request number.
    Raw,
    /// The same kind of bot, but built with the SDK, which decodes requests completely and gives
    /// each bot a thread.
    Sdk,
}

/// A bot that takes any legal decision at once.
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

/// Plays a match as a bot, if the arguments request it.
pub(crate) async fn play_if_requested() {
    if std::env::args().any(|argument| argument == BOT) {
        let options = bridgemaster_sdk::Options::from_env("instant").unwrap();
        bridgemaster_sdk::play(Immediate::new(), options).await.unwrap();
        std::process::exit(0);
    }
}

/// Results from all turns of one kind.
#[derive(Default)]
struct Figures {
    /// Decisions per second.
    rates: Vec<f64>,
    /// CPU time per decision, in µs.
    costs: Vec<f64>,
    /// The rate, divided by the raw rate of the same turn.
    ratios: Vec<f64>,
    /// The same ratio, computed from CPU time alone.
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

/// Prints a game's rates, each also as a share of the raw rate.
pub(crate) async fn measure(game: &'static str, quick: bool) {
    let groups = if quick { QUICK_GROUPS } else { GROUPS };
    let attending = [("raw_bots", AttendingBots::Raw), ("sdk_bots", AttendingBots::Sdk)];
    // All contests are kept until the end, because a file system may check recently deleted entries
    // for each new file.
    let contests_dir = tempfile::tempdir().unwrap();
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
                attended(&server.url, &channels, contests_dir.path(), (game, groups), *bots).await,
                raw,
            );
        }
        started.push(processes(&server.url, contests_dir.path(), game).await / raw.0);
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

/// Measures a contest whose bots attend in this process: decisions per second, and CPU time per
/// decision in µs.
async fn attended(
    url: &str,
    channels: &[Channel],
    contests_dir: &Path,
    (game, groups): (&str, u64),
    bots: AttendingBots,
) -> (f64, f64) {
    let names = ["one", "other"];
    let specs = names.map(|name| BotSpec::attending(name, name)).to_vec();
    let spec = ContestSpec {
        concurrency: Some(u32::try_from(TABLES).unwrap()),
        ..spec(game, specs, groups)
    };
    let mut attendances = JoinSet::new();
    for name in names {
        let options = AttendOptions { slots: SLOTS, ..AttendOptions::new(url, spec.queue(), name) };
        match bots {
            AttendingBots::Raw => attendances.spawn(attend_raw(channels.to_vec(), options)),
            AttendingBots::Sdk => attendances.spawn(async move {
                bridgemaster_sdk::attend(Immediate::new, options).await.unwrap();
            }),
        };
    }
    // At its end the contest closes its queue, which also ends the attendances.
    let played = played(url, contests_dir, spec).await;
    while let Some(ended) = attendances.join_next().await {
        ended.unwrap();
    }
    played
}

/// Attends and plays with the bots that measure the raw rate, over their existing connections.
async fn attend_raw(channels: Vec<Channel>, options: AttendOptions) {
    let counters = Arc::new(load::Counters::default());
    let connection = Connection::new(&options.server_url).unwrap();
    let mut attending = connection.attendance(options).unwrap();
    let mut seats = JoinSet::new();
    let mut offers = 0;
    while let Some(event) = attending.next().await.unwrap() {
        if let AttendEvent::Offer(offer, slot) = event {
            let channel = channels[offers % channels.len()].clone();
            offers += 1;
            let counters = Arc::clone(&counters);
            seats.spawn(async move {
                load::play_seat(channel, offer.ticket, counters).await;
                drop(slot);
            });
        }
        while seats.try_join_next().is_some() {}
    }
}

/// Measures the decisions per second of a contest that starts a process for each bot of each match.
async fn processes(url: &str, contests_dir: &Path, game: &str) -> f64 {
    let program = std::env::current_exe().unwrap();
    let command = format!("{} {BOT}", program.display());
    let bots = ["one", "other"].map(|name| BotSpec::from_command(name, &command));
    let spec =
        ContestSpec { concurrency: Some(PROCESSES), ..spec(game, bots.to_vec(), PROCESS_GROUPS) };
    played(url, contests_dir, spec).await.0
}

fn spec(game: &str, bots: Vec<BotSpec>, groups: u64) -> ContestSpec {
    let rules = MatchRules {
        game: game.to_owned(),
        seats: u8::try_from(SEATS).unwrap(),
        clock: Clock {
            // A fully loaded server annuls matches when it lags; the raw rate excludes them too.
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

/// Plays a contest in a new folder in `contests_dir`, including its end and all replays.
async fn played(url: &str, contests_dir: &Path, spec: ContestSpec) -> (f64, f64) {
    let folder = tempfile::tempdir_in(contests_dir).unwrap().keep();
    let contest = Contest::create(&folder, spec).unwrap();
    let server = ServerAddress {
        url: url.to_owned(),
        key: None,
        bot_key: None,
        tls: TlsOptions::default(),
        own: None,
    };
    let built_in = BuiltInBots {
        program: std::env::current_exe().unwrap(),
        names: Vec::new(),
        make: |_, _| None,
    };
    let (start, cpu_before) = (Instant::now(), process_cpu_time());
    let never = std::future::pending::<()>();
    let mut answered = 0;
    let played = contest.play(&server, built_in, never, |_, news| {
        if let ContestEvent::MatchFinished(row) = news {
            let of_seats = row.seats.iter().map(|seat| u64::from(seat.answered));
            answered += of_seats.sum::<u64>();
        }
    });
    let (_, exit) = played.await.unwrap();
    assert_eq!(exit.code, 0, "{}", exit.sentence);
    let (time, cpu) = (start.elapsed(), process_cpu_time() - cpu_before);
    let answered = answered as f64;
    (answered / time.as_secs_f64(), cpu.as_secs_f64() * 1e6 / answered)
}
