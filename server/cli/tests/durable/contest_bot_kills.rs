//! A contest whose bots are killed in the middle of a match: what the kill spoiled is played again
//! when the contest was stopped with it, and is a fault of the bot when it was not.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command},
    thread::sleep,
    time::Instant,
};

use bridgemaster_proto::v1::{MatchState, SeatInfo, SeatState};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{
    contest_kills::{LOOK, contest, ended, rows, scores},
    served::{PATIENCE, Served},
};

/// Groups of a contest: enough that some match is met in its middle.
const GROUPS: &str = "3";
/// A bot that is lost stays away for longer than any test takes.
const PATIENT: &str = "--reconnect-ms=3600000";

/// A server, and a contest of two bots that leave their process numbers in a folder.
struct Scene {
    folder: TempDir,
    server: Served,
    runtime: Runtime,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bots")).unwrap();
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

    /// A bot by its name, which decides alike each time that it is asked alike.
    fn bot(&self, name: &str) -> String {
        format!(
            "{name}=sh -c ': >{}/$$; exec {} bot greedy --seed {name}'",
            self.path("bots").display(),
            env!("CARGO_BIN_EXE_bridgemaster"),
        )
    }

    /// A contest that plays one match after the other in this folder.
    fn contest(&self, folder: &str, flags: &[&str]) -> Child {
        let (one, other) = (self.bot("one"), self.bot("other"));
        let bots = [
            "--bot",
            &one,
            "--bot",
            &other,
            "--groups",
            GROUPS,
            "--concurrency=1",
        ];
        let flags: Vec<&str> = bots.iter().chain(flags).copied().collect();
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

    /// The matches that are in play, with whether a bot of them is lost.
    fn in_play(&self) -> Vec<bool> {
        let matches = self.runtime.block_on(self.server.all_matches());
        let running = matches
            .iter()
            .filter(|info| info.state() == MatchState::Running);
        let is_lost = |seat: &SeatInfo| seat.state() == SeatState::Paused;
        running.map(|info| info.seats.iter().any(is_lost)).collect()
    }

    /// The process numbers of all bots that were started, the last ones last.
    fn bots(&self) -> Vec<u32> {
        let mut started: Vec<_> = fs::read_dir(self.path("bots"))
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let at = entry.metadata().unwrap().modified().unwrap();
                let number: u32 = entry.file_name().to_str().unwrap().parse().unwrap();
                (at, number)
            })
            .collect();
        started.sort_unstable();
        started.into_iter().map(|(_, number)| number).collect()
    }

    /// Kills the two bots of the match in play, as often as it takes to meet one in its middle. The
    /// match stands still then.
    fn kill_bots(&self) {
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < PATIENCE, "no match is met in its middle");
            let bots = self.bots();
            match self.in_play()[..] {
                [true] => return,
                // A match that runs has its bots: those of the next one must not be met.
                [false] if bots == self.bots() => {
                    for number in bots.iter().rev().take(2) {
                        // It may have ended meanwhile.
                        let number = number.to_string();
                        let _ = Command::new("kill").args(["-KILL", &number]).output();
                    }
                }
                _ => {}
            }
            sleep(LOOK);
        }
    }
}

/// Waits until a contest has so many finished matches.
fn wait_for_matches(folder: &Path, matches: usize) {
    let begun = Instant::now();
    while scores(folder).len() < matches {
        assert!(begun.elapsed() < PATIENCE, "no match ends");
        sleep(LOOK);
    }
}

#[test]
fn a_contest_that_is_killed_with_its_bots_comes_to_the_table_of_one_that_was_left_alone() {
    let scene = Scene::new();
    ended(scene.contest("alone", &[PATIENT]));

    let mut playing = scene.contest("disturbed", &[PATIENT]);
    let folder = scene.path("disturbed");
    wait_for_matches(&folder, 1);
    scene.kill_bots();
    playing.kill().unwrap();
    playing.wait().unwrap();
    let before = rows(&folder);
    ended(scene.resumed("disturbed"));
    assert_eq!(rows(&folder)[..before.len()], before, "nothing is replayed");
    assert_eq!(scores(&folder).len(), 6);
    assert_eq!(scores(&folder), scores(&scene.path("alone")));
}

#[test]
fn a_killed_bot_has_a_fault_in_its_match_which_is_not_played_again() {
    let scene = Scene::new();
    // Time to see the match stand still.
    let mut playing = scene.contest("disturbed", &["--reconnect-ms=2000"]);
    let folder = scene.path("disturbed");
    wait_for_matches(&folder, 1);
    scene.kill_bots();
    let faulty = || {
        let is_faulty = |row: &Value| {
            let mut seats = row["seats"].as_array().unwrap().iter();
            seats.any(|seat| seat["forfeit"] == "DISCONNECTED")
        };
        rows(&folder).into_iter().filter(is_faulty).count()
    };
    let begun = Instant::now();
    while faulty() == 0 {
        assert!(begun.elapsed() < PATIENCE, "no match ends by a fault");
        sleep(LOOK);
    }
    playing.kill().unwrap();
    playing.wait().unwrap();
    let (before, faults) = (rows(&folder), faulty());
    ended(scene.resumed("disturbed"));
    assert_eq!(rows(&folder)[..before.len()], before, "nothing is replayed");
    assert_eq!(scores(&folder).len(), 6);
    assert_eq!(faulty(), faults, "it is counted once");
}
