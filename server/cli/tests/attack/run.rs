//! All attacks at once beside fair matches, and what came of it.

use std::{
    env, fmt,
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

use crate::{
    fair_matches::play_at,
    judging::{Excuse, Excuses, Played, Suspect},
    machine::MachineWatch,
    metrics_page,
    server_process::{Key, ServerProcess},
};

/// Most lines of the server's log.
const LOG_LINES: usize = 1_000;
/// Longest time for a decision.
const CAP_MS: u32 = 200;
/// Number of failures to show for each check.
const SHOWN: usize = 5;
/// Longest time until the replays of ended matches are written.
const REPLAYS_WITHIN: Duration = Duration::from_secs(30);
/// Pause before it is looked for them again.
const PAUSE: Duration = Duration::from_millis(50);

/// Plan of a run.
#[derive(Debug)]
pub(crate) struct Order {
    /// Time in which matches are started.
    time: Duration,
    /// Number of matches at once.
    matches: usize,
    /// Lines of `[limits]`.
    limits: &'static str,
    /// Nobody attacks.
    is_calm: bool,
    /// The only way in which is attacked, if it is one.
    only: Option<String>,
    /// The machine is expected to be idle, so that few excuses count.
    is_quiet: bool,
}

impl Order {
    /// As `cargo test` has it.
    pub(crate) fn short() -> Self {
        Self {
            time: Duration::from_secs(6),
            matches: 4,
            limits: LIMITS,
            is_calm: false,
            only: None,
            is_quiet: false,
        }
    }

    pub(crate) fn long(seconds: u64, matches: usize, is_calm: bool, only: Option<String>) -> Self {
        Self {
            time: Duration::from_secs(seconds),
            matches,
            limits: LIMITS,
            is_calm,
            only,
            is_quiet: true,
        }
    }
}

/// Limits of a small machine.
const LIMITS: &str = "
open_matches = 1000
open_matches_per_key = 300
connections = 1000
connections_per_address = 200
bot_streams = 1000
bot_streams_per_caller = 300
other_calls = 1000
other_calls_per_caller = 400
unread_time_ms = 5000
hello_time_ms = 5000
";

/// Outcome of a run.
pub(crate) struct Report {
    /// Played at once.
    tables: usize,
    is_quiet: bool,
    played: Played,
    /// Requests that the server's own lag spoiled.
    spoiled: Vec<Suspect>,
    excuses: Excuses,
    /// Number of reads of the metrics, and errors.
    metrics_read: usize,
    metrics_failures: Vec<Suspect>,
    /// Matches whose replays were not written.
    unwritten: Vec<String>,
    most_memory: u64,
    memory_bound: u64,
    log_lines: usize,
    has_ended: bool,
    has_panicked: bool,
    time: Duration,
}

/// Plays and attacks.
pub(crate) fn run(order: &Order) -> Report {
    let begun = std::time::Instant::now();
    let limits: Limits = toml::from_str(order.limits).unwrap();
    let (mut server, keys) = ServerProcess::start(order.limits, &["attacker", "fair"]);
    let mut attacker = (!order.is_calm).then(|| Attacker::start(&server, &keys[0], &order.only));
    let watch = MachineWatch::start(server.id());
    let runtime = Runtime::new().unwrap();
    let (played, metrics) = runtime.block_on(async {
        let stopped = CancellationToken::new();
        let reading = metrics_page::read_on(server.target.clone(), stopped.clone());
        let reading = tokio::spawn(reading);
        let until = Instant::now() + order.time;
        let mut tables = JoinSet::new();
        for table in 0..order.matches {
            let (target, key) = (server.target.clone(), keys[1].clone());
            tables.spawn(play_at(table, target, key, CAP_MS, until));
        }
        sleep_until(until).await;
        // Matches in play are played to their ends in peace, so that they end soon.
        attacker.take();
        let mut played = Played::default();
        while let Some(one) = tables.join_next().await {
            played.add(one.unwrap());
        }
        stopped.cancel();
        (played, reading.await.unwrap())
    });
    let excuses = Excuses {
        processor: watch.stop(),
        disk: metrics.slow_commits,
    };
    let unwritten = runtime.block_on(unwritten(&server, &played.match_ids));
    let spoiled = played.spoiled_requests(|match_id| server.replay_file(match_id));
    let log = server.log();
    Report {
        tables: order.matches,
        is_quiet: order.is_quiet,
        played,
        spoiled,
        excuses,
        metrics_read: metrics.times,
        metrics_failures: metrics.failures,
        unwritten,
        has_ended: !server.runs(),
        most_memory: if server.runs() {
            server.most_memory()
        } else {
            0
        },
        memory_bound: limits.memory_bound(),
        log_lines: log.lines().count(),
        has_panicked: log.contains("panicked"),
        time: begun.elapsed(),
    }
}

/// The matches whose replays are not written after a while.
async fn unwritten(server: &ServerProcess, match_ids: &[String]) -> Vec<String> {
    let until = Instant::now() + REPLAYS_WITHIN;
    let mut missing = match_ids.to_vec();
    loop {
        missing.retain(|match_id| !server.replay_file(match_id).exists());
        if missing.is_empty() || Instant::now() >= until {
            return missing;
        }
        sleep(PAUSE).await;
    }
}

impl Report {
    /// Each check, and what is against it.
    fn checks(&self) -> Vec<(&'static str, Vec<String>)> {
        let unless = |holds: bool, words: String| if holds { vec![] } else { vec![words] };
        let played = &self.played;
        let memory = format!("{} of {} bytes", self.most_memory, self.memory_bound);
        let mut ran = unless(!played.match_ids.is_empty(), "no match".to_owned());
        ran.extend(unless(!self.has_ended, "it ended".to_owned()));
        ran.extend(unless(!self.has_panicked, "it panicked".to_owned()));
        ran.extend(played.wrong.iter().cloned());
        // One stall of the server may spoil a request of each match in play.
        let mut spoiled = self.with(&self.spoiled, None);
        if spoiled.len() <= self.tables.max(played.match_ids.len() / 100) {
            spoiled.clear();
        }
        vec![
            ("the server serves", ran),
            ("no prompt seat is late", self.for_the_server(&played.late)),
            (
                "no innocent forfeits",
                self.for_the_server(&played.forfeited),
            ),
            (
                "no innocent loses a stream",
                self.for_the_server(&played.lost),
            ),
            ("the server's own lag spoils few requests", spoiled),
            ("few excuses are needed", self.too_many_excuses()),
            ("replays are written", self.unwritten.clone()),
            ("metrics can be read", self.metrics_failures()),
            (
                "memory stays under the bound",
                unless(self.most_memory <= self.memory_bound, memory),
            ),
            (
                "the log stays short",
                unless(
                    self.log_lines < LOG_LINES,
                    format!("{} lines", self.log_lines),
                ),
            ),
        ]
    }

    /// Those of the suspects that the server is to blame for. A slow disk is no excuse: what waits
    /// for it moves the deadline.
    fn for_the_server(&self, suspects: &[Suspect]) -> Vec<String> {
        let mut blamed = self.with(suspects, None);
        blamed.extend(self.with(suspects, Some(Excuse::Disk)));
        blamed
    }

    /// Those of the suspects that have this excuse.
    fn with(&self, suspects: &[Suspect], excuse: Option<Excuse>) -> Vec<String> {
        let of = |suspect: &&Suspect| self.excuses.of(suspect) == excuse;
        let suspects = suspects.iter().filter(of);
        suspects.map(|suspect| suspect.words.clone()).collect()
    }

    /// Returns the excuses by the machine that exceed those of an idle machine.
    fn too_many_excuses(&self) -> Vec<String> {
        if !self.is_quiet {
            return Vec::new();
        }
        let played = &self.played;
        let matches = played.match_ids.len();
        let kinds = [
            ("late answers", &played.late, played.prompt_answers / 10_000),
            ("lost streams", &played.lost, matches / 50),
            ("forfeits", &played.forfeited, 0),
        ];
        let excused = kinds.map(|(what, suspects, most)| {
            let excused = self.with(suspects, Some(Excuse::Processor)).len();
            (excused > most).then(|| format!("{excused} {what} of at most {most}"))
        });
        excused.into_iter().flatten().collect()
    }

    fn metrics_failures(&self) -> Vec<String> {
        let mut failures = self.for_the_server(&self.metrics_failures);
        if self.metrics_read == 0 {
            failures.push("they were never read".to_owned());
        }
        failures
    }

    /// # Errors
    /// With the whole report, when a check does not hold.
    pub(crate) fn must_hold(&self) -> Result<(), String> {
        let holds = self.checks().iter().all(|(_, against)| against.is_empty());
        if holds { Ok(()) } else { Err(self.to_string()) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let played = &self.played;
        writeln!(
            f,
            "{} matches with {} decisions in {:.0} s; at most {} MiB of {} MiB, {} lines of log, \
             metrics read {} times",
            played.match_ids.len(),
            played.decisions,
            self.time.as_secs_f64(),
            self.most_memory >> 20,
            self.memory_bound >> 20,
            self.log_lines,
            self.metrics_read,
        )?;
        let count = |suspects, excuse| self.with(suspects, excuse).len();
        let (processor, disk) = (Some(Excuse::Processor), Some(Excuse::Disk));
        writeln!(
            f,
            "{} of {} answers were prompt, {} of the others late; of the prompt ones {} were late \
             when the machine gave the server no processor",
            played.prompt_answers,
            played.answers,
            played.rightly_late,
            count(&played.late, processor),
        )?;
        let excused = [&played.lost, &played.forfeited, &self.metrics_failures];
        let [lost, forfeited, unread] = excused.map(|suspects| count(suspects, processor));
        writeln!(
            f,
            "excused for the same reason: {lost} lost streams, {forfeited} forfeits, metrics not \
             read {unread} times",
        )?;
        writeln!(
            f,
            "the server's own lag was at most {} ms and spoiled {} matches: {} requests when the \
             machine gave it no processor, {} when a commit took long, {} otherwise",
            played.longest_lag_us / 1_000,
            played.spoiled.len(),
            count(&self.spoiled, processor),
            count(&self.spoiled, disk),
            count(&self.spoiled, None),
        )?;
        for (check, against) in self.checks() {
            if against.is_empty() {
                writeln!(f, "holds: {check}")?;
                continue;
            }
            writeln!(f, "FAILS: {check}: {} times", against.len())?;
            for words in against.iter().take(SHOWN) {
                writeln!(f, "    {words}")?;
            }
        }
        Ok(())
    }
}

/// The process that attacks, killed when dropped.
struct Attacker(Child);

impl Attacker {
    /// Starts it, with no more of the processor than others leave where there is `nice`.
    fn start(server: &ServerProcess, key: &Key, only: &Option<String>) -> Self {
        let program = env::current_exe().unwrap();
        let start = |mut command: Command| {
            command
                .arg("attacker")
                .args(server.target.to_words())
                .arg(&key.0)
                .args(only)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .spawn()
        };
        let mut nice = Command::new("nice");
        nice.args(["-n", "19"]).arg(&program);
        let mut process = start(nice)
            .or_else(|_| start(Command::new(&program)))
            .unwrap();
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
