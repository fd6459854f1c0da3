//! Measures the cost of refereeing: decisions over loopback, the referee's own share of a decision,
//! the memory of waiting matches, and the cost of storing events before they take effect. Decisions
//! are compared with a bare tonic ping-pong of messages of the same size, and with relays between
//! two streams without a game.
//!
//! `cargo bench -p bridgemaster-server --bench referee` prints lines of `name value unit`; each
//! name contains its game. Bots and server share the process and its cores, except when the memory
//! of waiting matches or the CPU time of the server is measured. Options:
//! * `-- GAME` measures only that game.
//! * `-- --quick` takes shorter turns.
//! * `-- --server-cpu` measures only the CPU time of the server.
//! * `-- --durable` compares only the cost of storage. `cpu` is the CPU time that bots and server
//!   need for a decision, without waiting times. `tables` are relays without a game that store each
//!   message, in the same kind of store, before they forward it.
//! * `-- --losses MATCHES` plays this number of matches under a short clock, counts the faults, and
//!   fails if there is a fault or a spoiled match. With `--beside-rules`, one caller also keeps the
//!   rules service busy. With `--apart`, the bots run in separate processes, and their own slow
//!   answers are not attributed to the server. With `--busy LOOPS`, this number of other processes
//!   use all the CPU time that they get.
//! * `-- --contest` plays contests, and compares them with the raw rate of the same server.
//! * `-- --swarm` plays 10,000 concurrent matches of bots that think for a second, and measures the
//!   CPU time per decision, the server's own share of each message, and the memory per match.
//! * `-- --spectators` plays matches without and with 500 spectators, in turns, and measures the
//!   server's own share of a message in both cases.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod bare;
mod commits;
mod contest;
mod durable;
mod load;
mod losses;
mod memory;
mod metrics;
mod ping_pong;
mod relay;
mod rules_load;
mod server_cpu;
mod server_process;
mod share;
mod spectators;
mod swarm;
mod thin;
mod turn;

use std::{process::ExitCode, time::Duration};

use bridgemaster_games::GAME_IDS;
use bridgemaster_server::{Limits, Server, ServerOptions, Storage};
use mimalloc::MiMalloc;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::transport::Channel;

use self::{losses::BackgroundLoad, turn::process_cpu_time};

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Metrics of concurrent matches, and of concurrent ping-pongs.
const LOADS: &[usize] = &[1, 16, 64, 512];
/// Number of match turns and of ping-pong turns; the results are their medians.
const TURNS: usize = 5;
/// Number of connections over which match streams, or ping-pong streams, are spread.
const CONNECTIONS: usize = 4;
/// Number of seats in each match.
const SEATS: u32 = 2;
/// Number of concurrent matches in a swarm.
const SWARM: usize = 10_000;

/// Command-line options.
#[derive(Default)]
struct Options {
    quick: bool,
    losses: Option<u32>,
    background: BackgroundLoad,
    only_durable: bool,
    only_server_cpu: bool,
    only_contest: bool,
    only_swarm: bool,
    only_spectators: bool,
    /// Selected games; empty selects all.
    games: Vec<String>,
}

impl Options {
    fn from_args() -> Self {
        let mut options = Self::default();
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // Cargo passes `--bench`; `spectators` passes the other option.
                "--bench" | spectators::ON_OTHER_CORES => {}
                "--quick" => options.quick = true,
                "--durable" => options.only_durable = true,
                "--server-cpu" => options.only_server_cpu = true,
                "--contest" => options.only_contest = true,
                "--swarm" => options.only_swarm = true,
                "--spectators" => options.only_spectators = true,
                "--beside-rules" => options.background.rules = true,
                "--apart" => options.background.bots_apart = true,
                "--busy" => {
                    let loops = arguments.next().and_then(|number| number.parse().ok());
                    options.background.busy_loops = loops.expect("--busy LOOPS");
                }
                "--losses" => {
                    let matches = arguments.next().and_then(|number| number.parse().ok());
                    options.losses = Some(matches.expect("--losses MATCHES"));
                }
                _ => options.games.push(argument),
            }
        }
        options
    }

    fn games(&self) -> impl Iterator<Item = &'static str> {
        let is_selected =
            |game: &&str| self.games.is_empty() || self.games.iter().any(|g| g == game);
        GAME_IDS.iter().copied().filter(is_selected)
    }
}

fn main() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(contest::play_if_requested());
    runtime.block_on(server_process::serve_if_requested());
    runtime.block_on(swarm::play_if_requested());
    runtime.block_on(losses::play_if_requested());
    runtime.block_on(spectators::watch_if_requested());
    let options = Options::from_args();
    let quick = options.quick;
    let turn = Duration::from_millis(if quick { 400 } else { 2_000 });
    if let Some(matches) = options.losses {
        let lossless = options
            .games()
            .all(|game| runtime.block_on(losses::measure(game, matches, options.background)));
        return if lossless { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    if options.only_contest {
        for game in options.games() {
            runtime.block_on(contest::measure(game, quick));
        }
        return ExitCode::SUCCESS;
    }
    if options.only_swarm {
        for game in options.games() {
            runtime.block_on(swarm::measure(game, SWARM, turn));
        }
        return ExitCode::SUCCESS;
    }
    if options.only_spectators {
        if let Some(succeeded) = spectators::run_on_other_cores() {
            return if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        for game in options.games() {
            runtime.block_on(spectators::measure(game, quick));
        }
        return ExitCode::SUCCESS;
    }
    if options.only_durable {
        for game in options.games() {
            runtime.block_on(durable::measure(game, turn));
        }
        return ExitCode::SUCCESS;
    }
    if options.only_server_cpu {
        for game in options.games() {
            runtime.block_on(server_cpu::measure(game, turn));
        }
        return ExitCode::SUCCESS;
    }
    for game in options.games() {
        share::measure(game);
        runtime.block_on(async {
            for &matches in LOADS {
                compare(game, matches, turn).await;
            }
            server_cpu::measure(game, turn).await;
            memory::measure(game).await;
            durable::measure(game, turn).await;
        });
    }
    ExitCode::SUCCESS
}

/// Measures refereed matches, ping-pong and relays without a game in turns.
async fn compare(game: &'static str, matches: usize, turn: Duration) {
    let server = Referees::start().await;
    let sizes = load::message_sizes(&server.connect().await[0], game, SEATS).await;
    let ping_pong = ping_pong::serve(sizes.request_bytes).await;
    let tables = relay::serve(sizes.request_bytes, None).await;
    let messages_per_stream = sizes.of_a_seat();
    let (mut decisions, mut round_trips, mut passed_on) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let channels = server.connect().await;
        let cpu = process_cpu_time;
        let of_matches = load::decisions(&channels, game, SEATS, matches, turn, cpu).await;
        decisions.push(of_matches.per_second());
        let channels = connect(&ping_pong).await;
        let pings = (sizes.answer_bytes, u64::MAX);
        let of_pings = ping_pong::round_trips(&channels, pings, matches, turn, cpu).await;
        round_trips.push(of_pings.per_second());
        let channels = connect(&tables).await;
        let messages = (sizes.answer_bytes, messages_per_stream);
        let of_tables = relay::turns(&channels, messages, matches, turn, cpu).await;
        passed_on.push(of_tables.per_second());
    }
    let ratio = |to: &[f64]| median(decisions.iter().zip(to).map(|(d, t)| d / t).collect());
    let (ratio, ratio_of_tables) = (ratio(&round_trips), ratio(&passed_on));
    let name = format!("referee.{game}.matches{matches}");
    println!("{name}.request_size {} bytes", sizes.request_bytes);
    println!("{name}.decisions {:.0} /s", median(decisions));
    println!("{name}.pingpong {:.0} /s", median(round_trips));
    println!("{name}.ratio {ratio:.3} 1");
    println!("{name}.tables {:.0} /s", median(passed_on));
    println!("{name}.ratio_of_tables {ratio_of_tables:.3} 1");
}

/// A match server that stops when dropped.
pub(crate) struct Referees {
    pub(crate) url: String,
    _stop: DropGuard,
}

impl Referees {
    pub(crate) async fn start() -> Self {
        Self::over(None).await
    }

    /// Starts a server that also has the rules service.
    async fn with_rules() -> Self {
        Self::with(ServerOptions { rules: true, ..ServerOptions::default() }).await
    }

    async fn over(storage: Option<Storage>) -> Self {
        Self::with(ServerOptions { limits: Limits::default(), storage, ..ServerOptions::default() })
            .await
    }

    async fn with(options: ServerOptions) -> Self {
        let addr = "127.0.0.1:0".parse().unwrap();
        let server = Server::bind(addr, options).await.unwrap();
        let url = format!("http://{}", server.local_addr());
        let stop = CancellationToken::new();
        tokio::spawn(server.run(stop.clone()));
        Self { url, _stop: stop.drop_guard() }
    }

    async fn connect(&self) -> Vec<Channel> {
        connect(&self.url).await
    }
}

/// Opens [`CONNECTIONS`] connections.
pub(crate) async fn connect(url: &str) -> Vec<Channel> {
    connect_many(url, CONNECTIONS).await
}

/// Opens `count` connections.
pub(crate) async fn connect_many(url: &str, count: usize) -> Vec<Channel> {
    let mut channels = Vec::new();
    for _ in 0..count {
        let endpoint = Channel::from_shared(url.to_owned()).unwrap();
        channels.push(endpoint.connect().await.unwrap());
    }
    channels
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
