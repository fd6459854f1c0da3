//! A contest whose bots are killed in the middle of a match: they are started again and play on, and
//! where that is not wanted it is their fault. What was in play when the contest was killed with
//! them is played again.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command},
};

use bridgemaster_proto::v1::{FaultReason, MatchInfo, MatchState, SeatState};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{
    contest_kills::{LAGGING, contest, ended, rows, scores, wait_until},
    served::Served,
};

/// Groups of a contest: enough that some match is met in its middle.
const GROUPS: &str = "3";
/// Matches of them.
const MATCHES: usize = 6;
/// A bot that is lost stays away for longer than any test takes.
const PATIENT: &str = "--reconnect-ms=3600000";
/// A bot that is lost is not waited for.
const IMPATIENT: &str = "--reconnect-ms=50";
/// It is not started again.
const LEFT_DEAD: &str = "--restarts=0";

/// A server for contests, and a folder for them.
struct Fixture {
    folder: TempDir,
    server: Served,
    runtime: Runtime,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Served::start("127.0.0.1:0", &folder.path().join("data"), &[]);
        Self {
            folder,
            server,
            runtime: Runtime::new().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A contest that plays one match after the other in this folder, with bots that decide alike
    /// each time that they are asked alike.
    fn contest(&self, folder: &str, flags: &[&str]) -> Child {
        let program = env!("CARGO_BIN_EXE_bridgemaster");
        let [one, other] = ["one", "other"].map(|name| {
            // By a command, so that they are processes.
            format!("--bot={name}={program} bot greedy --seed {name}")
        });
        let bots = [one.as_str(), other.as_str()];
        let one_by_one = ["--groups", GROUPS, "--concurrency=1", LAGGING];
        let flags = [&bots[..], &one_by_one, flags].concat();
        contest(&self.server, &self.path(folder), &flags)
    }

    fn resumed(&self, folder: &str) -> Child {
        Command::new(env!("CARGO_BIN_EXE_bridgemaster"))
            .args(["contest", "--quiet", "--server", &self.server.url])
            .arg("--resume")
            .arg(self.path(folder))
            .spawn()
            .unwrap()
    }

    /// The matches that are not over.
    fn in_play(&self) -> Vec<MatchInfo> {
        let mut matches = self.runtime.block_on(self.server.all_matches());
        matches.retain(|info| !is_over(info));
        matches
    }

    fn info(&self, match_id: &str) -> MatchInfo {
        let matches = self.runtime.block_on(self.server.all_matches());
        let mut matches = matches.into_iter();
        matches.find(|info| info.match_id == match_id).unwrap()
    }

    /// Kills the two bots of a match in its middle, and leaves the contest stopped: it neither
    /// hears of that yet, nor begins another match.
    fn kill_bots(&self, playing: &Child) {
        loop {
            let in_play = || self.in_play();
            wait_until("a match runs", || {
                in_play()
                    .iter()
                    .any(|info| info.state() == MatchState::Running)
            });
            stop(playing.id());
            // It waits for no child now, so their numbers remain theirs, whatever becomes of them.
            let bots = children(playing.id());
            if let [running] = &in_play()[..]
                && running.state() == MatchState::Running
            {
                assert_eq!(bots.len(), 2, "the bots of the match that runs");
                for bot in bots {
                    signal(bot, "-KILL");
                }
                let info = || self.info(&running.match_id);
                wait_until("the match is over, or has lost its bots", || {
                    let info = info();
                    is_over(&info) || info.seats.iter().all(|seat| is_lost(seat.state()))
                });
                if has_lost_bots(&info()) {
                    return;
                }
            }
            // The match ended first.
            signal(playing.id(), "-CONT");
        }
    }
}

fn is_over(info: &MatchInfo) -> bool {
    matches!(info.state(), MatchState::Ended | MatchState::Cancelled)
}

fn is_lost(seat: SeatState) -> bool {
    matches!(seat, SeatState::Paused | SeatState::Forfeited)
}

/// Returns whether a match continues without its bots, or ended without them.
fn has_lost_bots(info: &MatchInfo) -> bool {
    match &info.result {
        Some(result) => {
            let mut seats = result.seats.iter();
            seats.any(|seat| seat.forfeit() == FaultReason::Disconnected)
        }
        None => info.seats.iter().any(|seat| is_lost(seat.state())),
    }
}

/// Sends a signal to a process whose number is still its own.
fn signal(process: u32, name: &str) {
    let sent = Command::new("kill")
        .args([name, &process.to_string()])
        .status();
    assert!(sent.unwrap().success(), "{name}");
}

/// Stops a process, and waits until all of it stands still.
fn stop(process: u32) {
    signal(process, "-STOP");
    let number = process.to_string();
    wait_until("it stands still", || {
        let mut state = Command::new("ps");
        let state = state.args(["-o", "stat=", "-p", &number]).output();
        let state = state.unwrap().stdout;
        // One that has ended by itself does too.
        matches!(state.first(), Some(b'T' | b'Z'))
    });
}

/// The numbers of the processes that this one has started and not waited for.
fn children(process: u32) -> Vec<u32> {
    let listed = Command::new("ps").args(["-A", "-o", "pid=,ppid="]).output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    let numbers = listed.lines().filter_map(|line| {
        let mut numbers = line.split_whitespace().map(|word| word.parse().unwrap());
        Some((numbers.next()?, numbers.next()?))
    });
    let own = numbers.filter(|(_, parent)| *parent == process);
    own.map(|(number, _): (u32, u32)| number).collect()
}

/// Returns the number of restarts of bots in a contest.
fn restarts(folder: &Path) -> u64 {
    let rows = rows(folder);
    let seats = rows.iter().flat_map(|row| row["seats"].as_array().unwrap());
    seats.map(|seat| seat["restarts"].as_u64().unwrap()).sum()
}

#[test]
fn a_contest_whose_bots_are_killed_comes_to_the_table_of_one_that_was_left_alone() {
    let fixture = Fixture::new();
    ended(fixture.contest("alone", &[PATIENT]));

    let playing = fixture.contest("disturbed", &[PATIENT, "--restarts=1"]);
    fixture.kill_bots(&playing);
    signal(playing.id(), "-CONT");
    ended(playing);
    let folder = fixture.path("disturbed");
    assert_eq!(restarts(&folder), 2, "both bots of one match");
    assert_eq!(scores(&folder).len(), MATCHES);
    assert_eq!(scores(&folder), scores(&fixture.path("alone")));
}

#[test]
fn a_contest_that_is_killed_with_its_bots_comes_to_the_table_of_one_that_was_left_alone() {
    let fixture = Fixture::new();
    ended(fixture.contest("alone", &[PATIENT]));

    let mut playing = fixture.contest("disturbed", &[PATIENT, LEFT_DEAD]);
    let folder = fixture.path("disturbed");
    wait_until("a match has ended", || !rows(&folder).is_empty());
    fixture.kill_bots(&playing);
    playing.kill().unwrap();
    playing.wait().unwrap();
    let before = rows(&folder);
    ended(fixture.resumed("disturbed"));
    assert_eq!(rows(&folder)[..before.len()], before, "nothing is replayed");
    assert_eq!(scores(&folder).len(), MATCHES);
    assert_eq!(scores(&folder), scores(&fixture.path("alone")));
}

#[test]
fn a_bot_that_is_not_started_again_has_a_fault_in_its_match_which_is_not_played_again() {
    let fixture = Fixture::new();
    let mut playing = fixture.contest("disturbed", &[IMPATIENT, LEFT_DEAD]);
    let folder = fixture.path("disturbed");
    wait_until("a match has ended", || !rows(&folder).is_empty());
    fixture.kill_bots(&playing);
    signal(playing.id(), "-CONT");
    let faulty = || {
        let is_faulty = |row: &Value| {
            let mut seats = row["seats"].as_array().unwrap().iter();
            seats.any(|seat| seat["forfeit"] == "DISCONNECTED")
        };
        rows(&folder).into_iter().filter(is_faulty).count()
    };
    wait_until("the match has ended by a fault", || faulty() > 0);
    playing.kill().unwrap();
    playing.wait().unwrap();
    let before = rows(&folder);
    ended(fixture.resumed("disturbed"));
    assert_eq!(rows(&folder)[..before.len()], before, "nothing is replayed");
    assert_eq!(scores(&folder).len(), MATCHES);
    assert_eq!(faulty(), 1, "it is counted once");
}
