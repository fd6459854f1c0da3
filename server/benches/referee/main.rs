//! What refereeing costs: decisions over loopback beside a bare tonic ping-pong of messages of
//! the same size, the referee's own share of a decision, and the memory of waiting matches.
//!
//! `cargo bench -p bridgemaster-server --bench referee` prints lines of `name value unit`, each
//! name with its game; `-- GAME` measures only that game. Bots and server share the process and
//! its cores. `-- --quick` takes shorter turns.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod load;
mod memory;
mod ping_pong;
mod share;
mod thin;

use std::time::Duration;

use bridgemaster_games::GAME_IDS;
use bridgemaster_server::{Limits, Server, ServerOptions};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::transport::Channel;

/// Concurrent matches, and concurrent ping-pongs beside them.
const LOADS: &[usize] = &[1, 16, 64, 512];
/// Turns that matches and ping-pong take; the medians count.
const TURNS: usize = 5;
/// Connections that the streams are spread over, for matches and ping-pong alike.
const CONNECTIONS: usize = 4;
/// Seats of each match.
const SEATS: u32 = 2;

fn main() {
    // Cargo passes `--bench`; flags but `--quick` are ignored.
    let (flags, wanted): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with('-'));
    let quick = flags.iter().any(|flag| flag == "--quick");
    let turn = Duration::from_millis(if quick { 400 } else { 2_000 });
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for &game in GAME_IDS {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == game) {
            continue;
        }
        share::measure(game);
        runtime.block_on(async {
            for &matches in LOADS {
                compare(game, matches, turn).await;
            }
            memory::measure(game).await;
        });
    }
}

/// Lets refereed matches and ping-pong take turns.
async fn compare(game: &'static str, matches: usize, turn: Duration) {
    let server = Referees::start().await;
    let sizes = load::message_sizes(&server.connect().await[0], game, SEATS).await;
    let ping_pong = ping_pong::serve(sizes.request_bytes).await;
    let (mut decisions, mut round_trips) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let channels = server.connect().await;
        decisions.push(load::decisions_per_second(&channels, game, SEATS, matches, turn).await);
        let channels = connect(&ping_pong).await;
        round_trips.push(
            ping_pong::round_trips_per_second(&channels, sizes.answer_bytes, matches, turn).await,
        );
    }
    let ratios = decisions
        .iter()
        .zip(&round_trips)
        .map(|(d, r)| d / r)
        .collect();
    let name = format!("referee.{game}.matches{matches}");
    println!("{name}.request_size {} bytes", sizes.request_bytes);
    println!("{name}.decisions {:.0} /s", median(decisions));
    println!("{name}.pingpong {:.0} /s", median(round_trips));
    println!("{name}.ratio {:.3} 1", median(ratios));
}

/// A server of matches, stopped when dropped.
pub(crate) struct Referees {
    pub(crate) url: String,
    _stop: DropGuard,
}

impl Referees {
    pub(crate) async fn start() -> Self {
        let options = ServerOptions {
            limits: Limits::default(),
            replays: None,
            metrics: None,
        };
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
    let mut channels = Vec::new();
    for _ in 0..CONNECTIONS {
        let endpoint = Channel::from_shared(url.to_owned()).unwrap();
        channels.push(endpoint.connect().await.unwrap());
    }
    channels
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
