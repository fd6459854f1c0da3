//! Plays the default maximum number of concurrent matches with bots that think. The server runs in
//! one process, and the bots in other processes with many seats each.

use std::{
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::{ClockRules, MatchConfig, TimeControl};
use tokio::{task::JoinSet, time::sleep};

use crate::{
    SEATS, connect_many,
    load::{self, Counters},
    metrics::Metrics,
    server_process::ServerProcess,
};

/// The argument that makes this program a part of the swarm. The server's address, the game and the
/// number of matches follow.
const BOTS: &str = "--swarm-bots";
/// Number of bot processes.
const PROCESSES: usize = 2;
/// Number of streams on one connection, as in an SDK.
const STREAMS_PER_CONNECTION: usize = 100;
/// The time for which a bot thinks about each decision.
const THINKING: Duration = Duration::from_secs(1);
/// Maximum time for a decision, in ms.
const CAP_MS: u32 = 1_500;
/// Time bank, in ms: large enough for the cap to be the only limit.
const BANK_MS: u32 = 3_600_000;
/// Maximum time for all bots to take their seats in the first matches.
const GATHERING: Duration = Duration::from_secs(180);
/// Number of turns whose results are combined.
const TURNS: u32 = 5;

/// Plays the part of a swarm that the arguments request, until the process is killed.
pub(crate) async fn play_if_requested() {
    let arguments: Vec<String> = std::env::args().skip(1).take(4).collect();
    if let [BOTS, url, game, matches] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        play(url, game, matches.parse().unwrap()).await;
    }
}

/// Keeps this number of matches running, one after the other at each table.
async fn play(url: &str, game: &str, matches: usize) {
    let connections = (matches * SEATS as usize).div_ceil(STREAMS_PER_CONNECTION);
    let channels = connect_many(url, connections).await;
    let counters = Arc::new(Counters::thinking(THINKING));
    let mut tables = JoinSet::new();
    for table in 0..matches {
        let channel = channels[table % channels.len()].clone();
        let counters = Arc::clone(&counters);
        let config = MatchConfig {
            clock: Some(ClockRules {
                time_control: Some(TimeControl::fischer(BANK_MS, 500, CAP_MS)),
                ..ClockRules::default()
            }),
            ..load::default_match(game, SEATS)
        };
        tables.spawn(async move {
            loop {
                let created = load::create_match(&channel, config.clone()).await;
                load::play_seats(&channel, created.tickets, &counters).await;
            }
        });
        // The start of the matches is spread over time, as in practice.
        if table % 16 == 15 {
            sleep(Duration::from_millis(16)).await;
        }
    }
    tables.join_all().await;
}

/// Plays `matches` matches at once for [`TURNS`] turns.
pub(crate) async fn measure(game: &'static str, matches: usize, turn: Duration) {
    let (server, metrics_address) = ServerProcess::of_many_matches();
    let channels = crate::connect(&server.url).await;
    // The first match loads everything that is loaded once.
    load::message_sizes(&channels[0], game, SEATS).await;
    let resident_kib = server.resident_kib();
    let _swarm: Vec<Bots> =
        (0..PROCESSES).map(|_| Bots::start(&server.url, game, matches / PROCESSES)).collect();
    let gathering = Instant::now();
    // By then, a match may have ended at some tables, where the next one starts.
    while running(&Metrics::read(&metrics_address).await) < 0.99 * matches as f64 {
        assert!(gathering.elapsed() < GATHERING, "some bots did not join");
        sleep(Duration::from_millis(100)).await;
    }
    let playing_kib = server.resident_kib();
    let (before, cpu, begun) =
        (Metrics::read(&metrics_address).await, server.cpu_time(), Instant::now());
    sleep(turn * TURNS).await;
    let after = Metrics::read(&metrics_address).await;
    let (time, cpu) = (begun.elapsed(), server.cpu_time().saturating_sub(cpu));
    let grown = |name: &str| after.sum(name, "") - before.sum(name, "");
    let decisions =
        after.sum("decisions_total", "by=\"bot\"") - before.sum("decisions_total", "by=\"bot\"");
    let name = format!("referee.{game}.matches{matches}");
    let each = |kib: f64| kib / matches as f64;
    println!("{name}.decisions {:.0} /s", decisions / time.as_secs_f64());
    println!("{name}.server_cpu {:.2} us", cpu.as_secs_f64() * 1e6 / decisions.max(1.0));
    for (quantile, share) in [("p50", 0.5), ("p99", 0.99)] {
        let value = after.since(&before).handled_within(share) * 1e6;
        println!("{name}.share.{quantile} {value:.0} us");
    }
    let late = after.sum("faults_total", "reason=\"LATE\"");
    println!("{name}.late {late:.0} 1");
    println!("{name}.other_faults {:.0} 1", after.sum("faults_total", "") - late);
    println!("{name}.spoiled {:.0} 1", grown("matches_spoiled_total"));
    println!("{name}.memory_per_match_with_bots {:.1} KiB", each(playing_kib - resident_kib));
    println!("{name}.memory_per_match_after {:.1} KiB", each(server.resident_kib() - resident_kib));
}

/// The number of running matches.
fn running(metrics: &Metrics) -> f64 {
    metrics.sum("matches", "state=\"running\"")
}

/// A bot process that is killed when dropped.
struct Bots(Child);

impl Bots {
    fn start(url: &str, game: &str, matches: usize) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args([BOTS, url, game, &matches.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Bots {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
