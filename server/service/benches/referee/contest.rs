//! What a contest makes of the rate of the server: matches one after the other at as many tables,
//! with bots that attend and answer at once, and with a process for each bot of each match.

use std::time::{Duration, Instant};

use bridgemaster_runner::{
    BotSpec, BuiltInBots, Contest, ContestSpec, Exit, Format, MatchRules, ServerAddress, Standing,
    TestSpec,
};
use bridgemaster_sdk::{AttendOptions, Bot, Choice, Request, TlsOptions};
use tokio::task::JoinSet;

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
const GROUPS: u64 = 400;
const PROCESS_GROUPS: u64 = 40;

/// Takes the first legal decision.
struct Immediate;

impl Bot for Immediate {
    fn decide(&mut self, _: &Request) -> Choice {
        Choice::Index(0)
    }
}

/// Plays a match as a bot, if the arguments ask for that.
pub(crate) async fn play_if_asked() {
    if std::env::args().any(|argument| argument == BOT) {
        let options = bridgemaster_sdk::Options::from_env("instant").unwrap();
        bridgemaster_sdk::play(Immediate, options).await.unwrap();
        std::process::exit(0);
    }
}

/// Prints the rates of a game, and what share of the raw rate each is.
pub(crate) async fn measure(game: &'static str, turn: Duration) {
    let (mut raw, mut attending, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let server = Referees::start().await;
        let channels = connect(&server.url).await;
        let of_matches = load::decisions(&channels, game, SEATS, TABLES, turn, turn::unknown).await;
        raw.push(of_matches.per_second());
        let rate = attended(&server.url, game).await;
        attending.push(rate);
        ratios.push(rate / of_matches.per_second());
    }
    let started = processes(&Referees::start().await.url, game).await;
    let raw = median(raw);
    let name = format!("contest.{game}.matches{TABLES}");
    println!("{name}.raw.decisions {raw:.0} /s");
    println!("{name}.attending.decisions {:.0} /s", median(attending));
    println!("{name}.attending.ratio {:.3} 1", median(ratios));
    let name = format!("contest.{game}.processes{PROCESSES}");
    println!("{name}.decisions {started:.0} /s");
    println!("{name}.ratio {:.3} 1", started / raw);
}

/// Decisions a second of a contest whose bots attend in this process.
async fn attended(url: &str, game: &str) -> f64 {
    let names = ["one", "other"];
    let bots = names.map(|name| BotSpec::of_attending(name, name)).to_vec();
    let spec = ContestSpec {
        concurrency: Some(u32::try_from(TABLES).unwrap()),
        ..spec(game, bots, GROUPS)
    };
    let mut attendances = JoinSet::new();
    for name in names {
        let options = AttendOptions {
            slots: SLOTS,
            ..AttendOptions::new(url, spec.queue(), name)
        };
        attendances.spawn(bridgemaster_sdk::attend(|| Immediate, options));
    }
    // It closes its queue at the end, and so the attendances end.
    let rate = played(url, spec).await;
    while attendances.join_next().await.is_some() {}
    rate
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
    let played = contest.play(&server, built_in, never, |_, _| {}).await;
    let (standing, exit): (Standing, Exit) = played.unwrap();
    assert_eq!(exit.code, 0, "{}", exit.sentence);
    let report = standing.report(exit);
    report.counts.decisions as f64 / start.elapsed().as_secs_f64()
}
