//! Runs all attacks beside fair matches, and reports the results.

use std::{
    env,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    time::Duration,
};

use bridgemaster_server::Limits;
use tokio::{
    runtime::Runtime,
    task::JoinSet,
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    fair_matches::play_at,
    judging::{Excuse, Excuses, Played, Suspect},
    machine::MachineWatch,
    metrics_page,
    server_process::ServerProcess,
};
use crate::verdict::Verdict;

/// Maximum number of lines in the server's log.
const LOG_LINES: usize = 1_000;
/// Longest wait until the replays of finished matches are written.
const REPLAYS_TIMEOUT: Duration = Duration::from_secs(30);
/// Pause between two checks for the replays.
const PAUSE: Duration = Duration::from_millis(50);

/// Plan of a run.
#[derive(Debug)]
pub(crate) struct Order {
    /// Time during which matches are started.
    pub(crate) time: Duration,
    /// Number of matches at once.
    pub(crate) matches: usize,
    /// Runs without attacks, for comparison.
    pub(crate) is_calm: bool,
    /// The only attack to run; `None` for all.
    pub(crate) only: Option<String>,
    /// Whether the machine is expected to be idle, so that few excuses are accepted.
    pub(crate) is_quiet: bool,
}

impl Order {
    /// Returns the order that `cargo test` runs.
    pub(crate) fn short() -> Self {
        Self {
            time: Duration::from_secs(6),
            matches: 4,
            is_calm: false,
            only: None,
            is_quiet: false,
        }
    }
}

/// Limits of a small machine.
const LIMITS: &str = "
open_matches = 1000
open_matches_per_key = 300
connections = 1000
connections_per_address = 200
page_connections = 1
bot_streams = 1000
bot_streams_per_caller = 300
other_calls = 1000
other_calls_per_caller = 400
unread_time_ms = 5000
hello_time_ms = 5000
";

/// Plays matches during the attacks.
pub(crate) fn run(order: &Order) -> Verdict {
    let begun = Instant::now();
    let limits: Limits = toml::from_str(LIMITS).unwrap();
    let mut server = ServerProcess::start(LIMITS);
    let mut attacker = (!order.is_calm).then(|| Attacker::start(&server, &order.only));
    let watch = MachineWatch::start(server.served.process.id());
    let runtime = Runtime::new().unwrap();
    let (played, metrics) = runtime.block_on(async {
        let stopped = CancellationToken::new();
        let reading = metrics_page::read_on(server.target.clone(), stopped.clone());
        let reading = tokio::spawn(reading);
        let until = Instant::now() + order.time;
        let mut tables = JoinSet::new();
        for table in 0..order.matches {
            let (target, key) = (server.target.clone(), server.fair_key.clone());
            tables.spawn(play_at(table, target, key, until));
        }
        sleep_until(until).await;
        // The attacks stop, so that the matches in play end soon.
        attacker.take();
        let mut played = Played::default();
        while let Some(one) = tables.join_next().await {
            played.add(one.unwrap());
        }
        stopped.cancel();
        (played, reading.await.unwrap())
    });
    let report = Report {
        excuses: Excuses { processor: watch.stop(), disk: metrics.slow_commits },
        spoiled: played.spoiled_requests(|match_id| server.replay_file(match_id)),
        metrics_failures: metrics.failures,
        played,
    };
    let unwritten = runtime.block_on(unwritten(&server, &report.played.match_ids));
    let mut verdict = report.verdict(order);
    let matches = report.played.match_ids.len();
    let log = server.served.log();
    let is_running = server.served.is_running();
    let most = if is_running { server.most_memory() } else { 0 };
    let bound = limits.memory_bound();
    verdict.holds("the server has played matches", matches > 0, "no match".to_owned());
    verdict.holds("the server still runs", is_running, "it ended".to_owned());
    verdict.holds("the server does not panic", !log.contains("panicked"), "it panicked".to_owned());
    verdict.check("replays are written", unwritten);
    let read = metrics.times;
    verdict.holds("metrics were read", read > 0, "the metrics were never read".to_owned());
    let memory = format!("{most} of {bound} bytes");
    verdict.holds("memory stays under the bound", most <= bound, memory);
    let lines = log.lines().count();
    verdict.holds("the log stays short", lines < LOG_LINES, format!("{lines} lines"));
    verdict.figure(format!(
        "{matches} matches with {} decisions in {:.0} s; at most {} MiB of {} MiB, {lines} lines \
         of log, metrics read {read} times",
        report.played.decisions,
        begun.elapsed().as_secs_f64(),
        most >> 20,
        bound >> 20,
    ));
    verdict
}

/// Returns the matches whose replays are still not written after a while.
async fn unwritten(server: &ServerProcess, match_ids: &[String]) -> Vec<String> {
    let until = Instant::now() + REPLAYS_TIMEOUT;
    let mut missing = match_ids.to_vec();
    loop {
        missing.retain(|match_id| !server.replay_file(match_id).exists());
        if missing.is_empty() || Instant::now() >= until {
            return missing;
        }
        sleep(PAUSE).await;
    }
}

/// The outcome of the matches, and the cause of each problem.
struct Report {
    played: Played,
    /// Requests that were spoiled by lag of the server.
    spoiled: Vec<Suspect>,
    metrics_failures: Vec<Suspect>,
    excuses: Excuses,
}

impl Report {
    fn verdict(&self, order: &Order) -> Verdict {
        let played = &self.played;
        let mut verdict = Verdict::default();
        verdict.check("the server serves", played.wrong.clone());
        verdict.check("no prompt seat is late", self.for_the_server(&played.late));
        verdict.check(
            "no seat forfeits without a fault of its bot",
            self.for_the_server(&played.forfeited),
        );
        verdict.check("no bot loses a stream without a fault", self.for_the_server(&played.lost));
        verdict.check("metrics can be read", self.for_the_server(&self.metrics_failures));
        // One stall of the server may spoil a request in each match in play.
        let mut spoiled = self.with(&self.spoiled, None);
        if spoiled.len() <= order.matches.max(played.match_ids.len() / 100) {
            spoiled.clear();
        }
        verdict.check("the server's own lag spoils few requests", spoiled);
        verdict.check("few excuses are needed", self.too_many_excuses(order.is_quiet));
        self.add_figures(&mut verdict);
        verdict
    }

    /// Returns the problems that the server caused. A slow disk is no excuse, because a wait for
    /// the disk extends the deadline.
    fn for_the_server(&self, suspects: &[Suspect]) -> Vec<String> {
        let mut blamed = self.with(suspects, None);
        blamed.extend(self.with(suspects, Some(Excuse::Disk)));
        blamed
    }

    /// Returns the problems that have this excuse.
    fn with(&self, suspects: &[Suspect], excuse: Option<Excuse>) -> Vec<String> {
        let of = suspects.iter().filter(|suspect| self.excuses.of(suspect) == excuse);
        of.map(|suspect| suspect.words.clone()).collect()
    }

    /// Returns the excuses that exceed those of an idle machine.
    fn too_many_excuses(&self, is_quiet: bool) -> Vec<String> {
        let played = &self.played;
        let matches = played.match_ids.len();
        let kinds = [
            ("late answers", &played.late, played.prompt_answers / 10_000),
            ("lost streams", &played.lost, matches / 50),
            ("forfeits", &played.forfeited, 0),
        ];
        let excused = kinds.map(|(what, suspects, most)| {
            let excused = self.with(suspects, Some(Excuse::Processor)).len();
            let is_too_many = is_quiet && excused > most;
            is_too_many.then(|| format!("{excused} {what}, of at most {most}"))
        });
        excused.into_iter().flatten().collect()
    }

    fn add_figures(&self, verdict: &mut Verdict) {
        let played = &self.played;
        let count = |suspects, excuse| self.with(suspects, excuse).len();
        let processor = Some(Excuse::Processor);
        verdict.figure(format!(
            "{} of {} answers were prompt, {} of the others late; of the prompt ones {} were late \
             when the machine gave the server no processor",
            played.prompt_answers,
            played.answers,
            played.rightly_late,
            count(&played.late, processor),
        ));
        let excused = [&played.lost, &played.forfeited, &self.metrics_failures];
        let [lost, forfeited, unread] = excused.map(|suspects| count(suspects, processor));
        verdict.figure(format!(
            "excused for the same reason: {lost} lost streams, {forfeited} forfeits, metrics not \
             read {unread} times",
        ));
        verdict.figure(format!(
            "the server's own lag was at most {} ms and spoiled {} matches: {} requests when the \
             machine gave it no processor, {} when a commit took long, {} otherwise",
            played.longest_lag_us / 1_000,
            played.spoiled.len(),
            count(&self.spoiled, processor),
            count(&self.spoiled, Some(Excuse::Disk)),
            count(&self.spoiled, None),
        ));
    }
}

/// The process that attacks, which is killed when dropped.
struct Attacker(Child);

impl Attacker {
    /// Starts the attacker, with the lowest priority if `nice` is installed.
    fn start(server: &ServerProcess, only: &Option<String>) -> Self {
        let program = env::current_exe().unwrap();
        let start = |mut command: Command| {
            command
                .arg("attacker")
                .args(server.target.to_words())
                .arg(&server.attacker_key)
                .args(only)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .spawn()
        };
        let mut nice = Command::new("nice");
        nice.args(["-n", "19"]).arg(&program);
        let process = start(nice).or_else(|_| start(Command::new(&program)));
        let mut process = process.unwrap();
        let mut line = String::new();
        let stdout = process.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        assert_eq!(line, "attacking\n");
        Self(process)
    }
}

impl Drop for Attacker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
