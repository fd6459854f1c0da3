//! Tests contests whose bots or server are killed, or whose server lags. They end with the same
//! table as an undisturbed contest.

use std::{
    path::{Path, PathBuf},
    process::Command,
    thread::sleep,
    time::Duration,
};

use bridgemaster_proto::v1::{FaultReason, MatchInfo, MatchState, SeatState};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::kit::{
    program::{Background, PROGRAM, quoted, run, signal, wait_until},
    results::{LAGGING, rows, scores, seats},
    served::Served,
};

/// Three groups of two sequential matches: enough for one of them to be disturbed in the middle.
const SIX_MATCHES: &str = "--groups 3 --concurrency 1";
const FOUR_MATCHES: &str = "--groups 2 --concurrency 1 --reconnect-ms 3600000";
const BUILT_IN: &str = "--bot greedy --bot other=greedy";
/// Flags that let a lost bot stay away for longer than any test takes.
const PATIENT: &str = "--reconnect-ms 3600000";
/// Flags with which a lost bot is neither awaited nor restarted.
const IMPATIENT: &str = "--reconnect-ms 50 --restarts 0";
/// Time for which the server is paused, which exceeds the lag limit.
const LAG: Duration = Duration::from_secs(2);

/// Plays a contest whose bots always decide in the same way. Neither a busy machine nor a restart
/// affects their clocks.
fn contest(server: &Served, folder: &Path, flags: &str) -> Background {
    let clock = "--startup-ms 3600000 --time-control 3600/3600";
    let at = format!("--server {} --folder {}", server.url, folder.display());
    let game = "contest --quiet --game bridges_to_nowhere --seed kills";
    Background::start(format!("{game} {clock} {at} {flags}"))
}

fn is_over(info: &MatchInfo) -> bool {
    matches!(info.state(), MatchState::Ended | MatchState::Cancelled)
}

fn is_running(info: &MatchInfo) -> bool {
    info.state() == MatchState::Running
}

#[test]
fn a_killed_server_does_not_change_the_table_of_a_contest() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let flags = format!("{BUILT_IN} --groups 3 --concurrency 2 {PATIENT} {LAGGING}");
    let server = Served::start(format!("--data {}", path("data-alone").display()));
    contest(&server, &path("alone"), &flags).ended().exits(0);
    server.kill();

    let data = format!("--data {}", path("data").display());
    let mut server = Served::start(&data);
    let playing = contest(&server, &path("disturbed"), &flags);
    for matches in [1, 3] {
        wait_until("matches end", || scores(&path("disturbed")).len() >= matches);
        let address = server.address();
        server.kill();
        server = Served::start_at(&address, &data);
    }
    playing.ended().exits(0);
    let table = scores(&path("disturbed"));
    assert_eq!(table.len(), 6);
    assert_eq!(table, scores(&path("alone")));
}

/// Starts a contest on a server without a store, disturbs the server during a match, and checks
/// that matches were annulled for this reason and repeated.
fn annulled(lag: &str, because: &str, disturb: impl FnOnce(Served) -> Served) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("contest");
    let server = Served::start("--no-page");
    let playing = contest(&server, &at, &format!("{BUILT_IN} {FOUR_MATCHES} {lag}"));
    let runtime = Runtime::new().unwrap();
    wait_until("a match runs", || runtime.block_on(server.all_matches()).iter().any(is_running));
    let _server = disturb(server);
    playing.ended().exits(0);
    assert_eq!(scores(&at).len(), 4);
    let rows = rows(&at);
    let annulled = rows.iter().map(|row| &row["annulled"]["because"]);
    annulled.filter(|found| *found == because).count()
}

#[test]
fn a_match_that_a_server_crash_loses_is_annulled_and_repeated() {
    let crash = |server: Served| {
        let address = server.address();
        server.kill();
        Served::start_at(&address, "--no-page")
    };
    assert_eq!(annulled(LAGGING, "server_crash", crash), 1);
}

#[test]
fn a_match_that_referee_lag_spoiled_is_annulled_and_repeated() {
    let pause = |server: Served| {
        server.signal("-STOP");
        // Causes the lag; this is not a wait for a condition.
        sleep(LAG);
        server.signal("-CONT");
        server
    };
    // Even a busy machine rarely lags for this long.
    let limit = "--referee-lag-limit-ms 1000";
    assert!(annulled(limit, "referee_lag", pause) > 0);
}

/// A server for contests, and a folder for the contests.
struct Fixture {
    folder: TempDir,
    server: Served,
    runtime: Runtime,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        Self {
            server: Served::start(format!("--data {}", data.display())),
            folder,
            runtime: Runtime::new().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a contest in this folder whose bots are processes that always make the same decision
    /// for the same request.
    fn contest(&self, folder: &str, flags: &str) -> Background {
        let bot = |name| quoted(&format!("{name}={PROGRAM} bot greedy --seed {name}"));
        let bots = format!("--bot {} --bot {}", bot("one"), bot("other"));
        let flags = format!("{bots} {SIX_MATCHES} {LAGGING} {flags}");
        contest(&self.server, &self.path(folder), &flags)
    }

    /// Kills the contest, resumes it, and waits until it has ended.
    fn kill_and_resume(&self, playing: Background, folder: &str) {
        playing.kill();
        let path = self.path(folder);
        let before = rows(&path);
        let at = format!("--server {} --resume {}", self.server.url, path.display());
        run(format!("contest --quiet {at}")).exits(0);
        assert_eq!(rows(&path)[..before.len()], before, "no match is replayed");
        assert_eq!(scores(&path).len(), 6);
    }

    /// Returns the matches that are not over.
    fn in_play(&self) -> Vec<MatchInfo> {
        let mut matches = self.runtime.block_on(self.server.all_matches());
        matches.retain(|info| !is_over(info));
        matches
    }

    /// Kills the two bots of a match in the middle of it. The contest stays stopped, so that it
    /// neither notices this nor starts another match.
    fn kill_bots(&self, playing: &Background) {
        loop {
            wait_until("a match runs", || self.in_play().iter().any(is_running));
            stop(playing);
            // The stopped contest does not reap its children, so the process ids of its bots stay
            // valid.
            let bots = children(playing.id());
            if let [running] = &self.in_play()[..]
                && is_running(running)
            {
                assert_eq!(bots.len(), 2, "the match must have two bots");
                for bot in bots {
                    assert!(signal("-KILL", bot));
                }
                let info = || self.runtime.block_on(self.server.info(&running.match_id)).unwrap();
                wait_until("the match is over, or has lost its bots", || {
                    let info = info();
                    is_over(&info) || info.seats.iter().all(|seat| is_lost(seat.state()))
                });
                if has_lost_bots(&info()) {
                    return;
                }
            }
            // The match ended first.
            playing.signal("-CONT");
        }
    }
}

fn is_lost(seat: SeatState) -> bool {
    matches!(seat, SeatState::Paused | SeatState::Forfeited)
}

/// Returns whether a match continues or has ended without its bots.
fn has_lost_bots(info: &MatchInfo) -> bool {
    match &info.result {
        Some(result) => {
            let mut seats = result.seats.iter();
            seats.any(|seat| seat.forfeit() == FaultReason::Disconnected)
        }
        None => info.seats.iter().any(|seat| is_lost(seat.state())),
    }
}

/// Stops a process, and waits until all of its threads are stopped.
fn stop(process: &Background) {
    process.signal("-STOP");
    let number = process.id().to_string();
    wait_until("the process is stopped", || {
        let state = Command::new("ps").args(["-o", "stat=", "-p", &number]).output();
        // A thread that has ended counts as stopped.
        matches!(state.unwrap().stdout.first(), Some(b'T' | b'Z'))
    });
}

/// Returns the ids of the child processes of this process that it has not waited for.
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

#[test]
fn killed_bots_do_not_change_the_table_of_a_resumed_contest() {
    let fixture = Fixture::new();
    fixture.contest("alone", PATIENT).ended().exits(0);
    let alone = scores(&fixture.path("alone"));

    let playing = fixture.contest("restarted", &format!("{PATIENT} --restarts 1"));
    fixture.kill_bots(&playing);
    playing.signal("-CONT");
    playing.ended().exits(0);
    let folder = fixture.path("restarted");
    let rows_of = rows(&folder);
    let restarts = seats(&rows_of).map(|seat| seat["restarts"].as_u64().unwrap());
    assert_eq!(restarts.sum::<u64>(), 2, "both bots of one match");
    assert_eq!(scores(&folder), alone);

    let playing = fixture.contest("killed", &format!("{PATIENT} --restarts 0"));
    let folder = fixture.path("killed");
    wait_until("a match has ended", || !rows(&folder).is_empty());
    fixture.kill_bots(&playing);
    fixture.kill_and_resume(playing, "killed");
    assert_eq!(scores(&folder), alone);
}

#[test]
fn a_bot_that_is_not_restarted_has_a_fault_in_its_match() {
    let fixture = Fixture::new();
    let playing = fixture.contest("disturbed", IMPATIENT);
    let folder = fixture.path("disturbed");
    wait_until("a match has ended", || !rows(&folder).is_empty());
    fixture.kill_bots(&playing);
    playing.signal("-CONT");
    let faulty = || {
        let mut rows = rows(&folder);
        rows.retain(|row| {
            let mut seats = row["seats"].as_array().unwrap().iter();
            seats.any(|seat| seat["forfeit"] == "DISCONNECTED")
        });
        rows.len()
    };
    wait_until("the match has ended by a fault", || faulty() > 0);
    fixture.kill_and_resume(playing, "disturbed");
    assert_eq!(faulty(), 1, "the match counts once");
}
