//! What refereeing costs: decisions over loopback beside a bare tonic ping-pong of messages of
//! the same size and beside bare tables of two streams, the referee's own share of a decision, the
//! memory of waiting matches, and what it costs to store what happens before it has an effect.
//!
//! `cargo bench -p bridgemaster-server --bench referee` prints lines of `name value unit`, each
//! name with its game; `-- GAME` measures only that game. Bots and server share the process and its
//! cores, but for the memory of waiting matches and for the CPU time of the server: these have a
//! server in a process of its own, and `-- --server-cpu` measures that time alone. `-- --durable`
//! compares what it costs to store alone: `cpu` is the CPU time of bots and server for a decision,
//! which tells work from waiting, and `tables` are bare tables whose messages the same kind of store has
//! before they are passed on. `-- --quick` takes shorter turns. `-- --losses MATCHES` plays so many
//! matches under a short clock instead, counts the faults, and fails if there is one or a match was
//! spoiled; with `--beside-rules` it does so while one caller has the rules by call work without a
//! pause, with `--apart` the bots have processes of their own, which excuse the server where a bot was
//! slow, and with `--busy LOOPS` so many processes beside take all processor time they get.
//! `-- --contest` plays contests instead, beside the raw rate of the same server. `-- --swarm` plays
//! 10,000 matches at once instead, of bots that think for a second: the CPU time of a decision, the
//! server's own share of it, and the memory of a match. `-- --spectators` plays matches instead that
//! nobody watches and that 500 watch, in turns: the server's own share of a message with and without
//! them.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod bare;
mod commits;
mod contest;
mod durable;
mod load;
mod losses;
mod memory;
mod numbers;
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

use self::{losses::Beside, turn::process_cpu_time};

/// That of the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Concurrent matches, and concurrent ping-pongs beside them.
const LOADS: &[usize] = &[1, 16, 64, 512];
/// Turns that matches and ping-pong take; the medians count.
const TURNS: usize = 5;
/// Connections that the streams are spread over, for matches and ping-pong alike.
const CONNECTIONS: usize = 4;
/// Seats of each match.
const SEATS: u32 = 2;
/// Matches at once of a swarm.
const SWARM: usize = 10_000;

/// What the command line asks for.
#[derive(Default)]
struct Wanted {
    quick: bool,
    losses: Option<u32>,
    beside: Beside,
    only_durable: bool,
    only_server_cpu: bool,
    only_contest: bool,
    only_swarm: bool,
    only_spectators: bool,
    /// All, if empty.
    games: Vec<String>,
}

impl Wanted {
    fn from_args() -> Self {
        let mut wanted = Self::default();
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // Cargo passes the first, and `spectators` the second.
                "--bench" | spectators::ON_OTHER_CORES => {}
                "--quick" => wanted.quick = true,
                "--durable" => wanted.only_durable = true,
                "--server-cpu" => wanted.only_server_cpu = true,
                "--contest" => wanted.only_contest = true,
                "--swarm" => wanted.only_swarm = true,
                "--spectators" => wanted.only_spectators = true,
                "--beside-rules" => wanted.beside.rules = true,
                "--apart" => wanted.beside.bots_apart = true,
                "--busy" => {
                    let loops = arguments.next().and_then(|number| number.parse().ok());
                    wanted.beside.busy_loops = loops.expect("--busy LOOPS");
                }
                "--losses" => {
                    let matches = arguments.next().and_then(|number| number.parse().ok());
                    wanted.losses = Some(matches.expect("--losses MATCHES"));
                }
                _ => wanted.games.push(argument),
            }
        }
        wanted
    }

    fn games(&self) -> impl Iterator<Item = &'static str> {
        let is_wanted = |game: &&str| self.games.is_empty() || self.games.iter().any(|g| g == game);
        GAME_IDS.iter().copied().filter(is_wanted)
    }
}

fn main() -> ExitCode {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(contest::play_if_asked());
    runtime.block_on(server_process::serve_if_asked());
    runtime.block_on(swarm::play_if_asked());
    runtime.block_on(losses::play_if_asked());
    runtime.block_on(spectators::watch_if_asked());
    let wanted = Wanted::from_args();
    let quick = wanted.quick;
    let turn = Duration::from_millis(if quick { 400 } else { 2_000 });
    if let Some(matches) = wanted.losses {
        let lossless = wanted
            .games()
            .all(|game| runtime.block_on(losses::measure(game, matches, wanted.beside)));
        return match lossless {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        };
    }
    if wanted.only_contest {
        for game in wanted.games() {
            runtime.block_on(contest::measure(game, quick));
        }
        return ExitCode::SUCCESS;
    }
    if wanted.only_swarm {
        for game in wanted.games() {
            runtime.block_on(swarm::measure(game, SWARM, turn));
        }
        return ExitCode::SUCCESS;
    }
    if wanted.only_spectators {
        if let Some(is_done) = spectators::done_on_other_cores() {
            return match is_done {
                true => ExitCode::SUCCESS,
                false => ExitCode::FAILURE,
            };
        }
        for game in wanted.games() {
            runtime.block_on(spectators::measure(game, quick));
        }
        return ExitCode::SUCCESS;
    }
    if wanted.only_durable {
        for game in wanted.games() {
            runtime.block_on(durable::measure(game, turn));
        }
        return ExitCode::SUCCESS;
    }
    if wanted.only_server_cpu {
        for game in wanted.games() {
            runtime.block_on(server_cpu::measure(game, turn));
        }
        return ExitCode::SUCCESS;
    }
    for game in wanted.games() {
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

/// Lets refereed matches, ping-pong and bare tables take turns.
async fn compare(game: &'static str, matches: usize, turn: Duration) {
    let server = Referees::start().await;
    let sizes = load::message_sizes(&server.connect().await[0], game, SEATS).await;
    let ping_pong = ping_pong::serve(sizes.request_bytes).await;
    let tables = relay::serve(sizes.request_bytes, None).await;
    let a_stream = sizes.of_a_seat();
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
        let messages = (sizes.answer_bytes, a_stream);
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

/// A server of matches, stopped when dropped.
pub(crate) struct Referees {
    pub(crate) url: String,
    _stop: DropGuard,
}

impl Referees {
    pub(crate) async fn start() -> Self {
        Self::over(None).await
    }

    /// One that has the rules by call too.
    async fn with_rules() -> Self {
        Self::with(ServerOptions {
            rules: true,
            ..ServerOptions::default()
        })
        .await
    }

    async fn over(storage: Option<Storage>) -> Self {
        Self::with(ServerOptions {
            limits: Limits::default(),
            storage,
            ..ServerOptions::default()
        })
        .await
    }

    async fn with(options: ServerOptions) -> Self {
        let addr = "127.0.0.1:0".parse().unwrap();
        let server = Server::bind(addr, options).await.unwrap();
        let url = format!("http://{}", server.local_addr());
        let stop = CancellationToken::new();
        tokio::spawn(server.run(stop.clone()));
        Self {
            url,
            _stop: stop.drop_guard(),
        }
    }

    async fn connect(&self) -> Vec<Channel> {
        connect(&self.url).await
    }
}

/// Opens the connections that streams are spread over.
pub(crate) async fn connect(url: &str) -> Vec<Channel> {
    connect_many(url, CONNECTIONS).await
}

/// Opens so many connections.
pub(crate) async fn connect_many(url: &str, connections: usize) -> Vec<Channel> {
    let mut channels = Vec::new();
    for _ in 0..connections {
        let endpoint = Channel::from_shared(url.to_owned()).unwrap();
        channels.push(endpoint.connect().await.unwrap());
    }
    channels
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
