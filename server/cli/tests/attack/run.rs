//! All attacks at once beside fair matches, and what came of it.

use std::{
    env, fmt,
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    time::Duration,
};

use bridgemaster_server::Limits;
use tokio::{runtime::Runtime, task::JoinSet, time::Instant};

use crate::{
    fair_matches::{Played, play_at},
    server_process::{Key, ServerProcess},
};

/// Most lines of the server's log.
const LOG_LINES: usize = 1_000;

/// What is played.
#[derive(Debug)]
pub(crate) struct Order {
    /// How long matches are begun.
    time: Duration,
    /// How many are played at once.
    matches: usize,
    /// Longest time for a decision.
    cap_ms: u32,
    /// Lines of `[limits]`.
    limits: &'static str,
    /// Nobody attacks.
    is_calm: bool,
    /// The only way in which is attacked, if it is one.
    only: Option<String>,
}

impl Order {
    /// As `cargo test` has it. The cap is long: other tests share the machine, and a bot that does
    /// not get to run is late whatever the server does.
    pub(crate) fn short() -> Self {
        Self {
            time: Duration::from_secs(8),
            matches: 4,
            cap_ms: 5_000,
            limits: LIMITS,
            is_calm: false,
            only: None,
        }
    }

    pub(crate) fn long(seconds: u64, matches: usize, is_calm: bool, only: Option<String>) -> Self {
        Self {
            time: Duration::from_secs(seconds),
            matches,
            cap_ms: 200,
            limits: LIMITS,
            is_calm,
            only,
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

/// What came of it.
pub(crate) struct Report {
    played: Played,
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
    let attacker = (!order.is_calm).then(|| Attacker::start(&server, &keys[0], &order.only));
    let runtime = Runtime::new().unwrap();
    let played = runtime.block_on(async {
        let until = Instant::now() + order.time;
        let mut tables = JoinSet::new();
        for table in 0..order.matches {
            let (address, key) = (server.address, keys[1].clone());
            tables.spawn(play_at(table, address, key, order.cap_ms, until));
        }
        let mut played = Played::default();
        while let Some(one) = tables.join_next().await {
            played.add(one.unwrap());
        }
        played
    });
    drop(attacker);
    let log = server.log();
    Report {
        played,
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

impl Report {
    /// Each check, and what is against it.
    fn checks(&self) -> [(&'static str, Vec<String>); 5] {
        let unless = |holds: bool, words: String| if holds { vec![] } else { vec![words] };
        let Played {
            matches,
            late,
            forfeited,
            wrong,
            ..
        } = &self.played;
        let memory = format!("{} of {} bytes", self.most_memory, self.memory_bound);
        let mut ran = unless(*matches > 0, "no match was played".to_owned());
        ran.extend(unless(!self.has_ended, "it ended".to_owned()));
        ran.extend(unless(!self.has_panicked, "it panicked".to_owned()));
        ran.extend(wrong.iter().cloned());
        [
            ("the server serves", ran),
            ("no prompt seat is late", late.clone()),
            ("no innocent forfeits", forfeited.clone()),
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
            "{} matches with {} decisions in {:.0} s, {} spoiled by the server's own lag; at most {} MiB \
             of {} MiB, {} lines of log",
            played.matches,
            played.decisions,
            self.time.as_secs_f64(),
            played.spoiled,
            self.most_memory >> 20,
            self.memory_bound >> 20,
            self.log_lines,
        )?;
        for (check, against) in self.checks() {
            match against.first() {
                None => writeln!(f, "holds: {check}")?,
                Some(first) => writeln!(f, "FAILS: {check}: {} times: {first}", against.len())?,
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
        let arguments = ["attacker", &server.address.to_string(), &key.0];
        let start = |mut command: Command| {
            command
                .args(arguments)
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
