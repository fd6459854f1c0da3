//! Tests a server that lacks the last commits of the previous server, so that bots have received
//! messages that the server no longer has. The bots start over, and none is charged with a fault.

use std::{
    fs,
    path::Path,
    sync::{Arc, atomic::Ordering},
};

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::v1::MatchResult;
use bridgemaster_replay::verify;
use bridgemaster_sdk::{Options, PlayError};
use bridgemaster_store::DATABASE_FILE;
use tokio::{task::JoinHandle, time::timeout};

use crate::kit::{
    paced_bot::{Pace, Progress},
    program::PATIENCE,
    served::Served,
};

/// Decisions of each bot that the next server still has.
const FOUND: u32 = 3;
/// Minimum number of further decisions of each bot before the kill. The first may answer a request
/// of the first server; the second answers one that is lost.
const LOST: u32 = 2;

/// Faster commits, which a power failure may undo.
const PROCESS_DURABILITY: &str = "--durability process";

/// A match, and the tasks and progress of its bots.
struct Playing {
    match_id: String,
    pace: Arc<Pace>,
    bots: Vec<JoinHandle<Result<MatchResult, PlayError>>>,
    progress: Vec<Arc<Progress>>,
}

impl Playing {
    fn decisions(&self) -> Vec<u32> {
        let decisions = |bot: &Arc<Progress>| bot.decisions.load(Ordering::Relaxed);
        self.progress.iter().map(decisions).collect()
    }

    async fn held_at(&self, decisions: u32) {
        let held = timeout(PATIENCE, self.pace.held_at(decisions)).await;
        held.expect("the matches continue up to the limit");
    }

    /// Lets the matches continue until every bot has made [`LOST`] more decisions.
    async fn play_on(&self) {
        let before = self.decisions();
        for allowed in FOUND + LOST.. {
            self.pace.allow(allowed);
            self.held_at(allowed).await;
            let mut made = self.decisions().into_iter().zip(&before);
            if made.all(|(now, before)| now >= before + LOST) {
                return;
            }
        }
    }
}

/// Starts a match of each of these games, whose bots make at most [`FOUND`] decisions each.
async fn start(server: &Served, games: &[&str]) -> Vec<Playing> {
    let mut playing = Vec::new();
    for game in games {
        let (match_id, tickets) = server.create(game, game).await;
        let pace = Pace::of(FOUND);
        let progress: Vec<Arc<Progress>> = tickets.iter().map(|_| Arc::default()).collect();
        let seats = tickets.iter().zip(&progress).zip(1..);
        let bots = seats.map(|((ticket, progress), seed)| {
            let options = Options {
                reconnect_for: PATIENCE,
                ..Options::new(&server.url, ticket.parse().unwrap(), "paced")
            };
            tokio::spawn(bridgemaster_sdk::play(pace.bot(seed, progress), options))
        });
        playing.push(Playing { match_id, bots: bots.collect(), pace, progress });
    }
    for one in &playing {
        one.held_at(FOUND).await;
    }
    playing
}

async fn play_on(playing: &[Playing]) {
    for one in playing {
        one.play_on().await;
    }
}

/// Plays all matches to their ends. Every bot has started over once, and none has a fault.
async fn finish(server: &Served, playing: Vec<Playing>) {
    playing.iter().for_each(|one| one.pace.allow(u32::MAX));
    for one in playing {
        for bot in one.bots {
            let result = timeout(PATIENCE, bot).await.expect("the match ends");
            for seat in result.unwrap().unwrap().seats {
                assert_eq!(seat.fault_count, 0, "{}: {:?}", one.match_id, seat.faults);
                assert_eq!(seat.house_decisions, 0);
            }
        }
        for bot in one.progress {
            let starts = bot.starts.load(Ordering::Relaxed);
            assert_eq!(starts, 2, "{}: a bot starts over once", one.match_id);
        }
        let replay = server.replay(&one.match_id).await;
        assert!(verify(&replay).is_ok());
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Starts a server in place of another.
fn serve(address: &str, data: &Path, more: &str) -> Served {
    Served::start_at(address, format!("--data {} {more}", data.display()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restored_backup_bots_start_over_without_faults() {
    let folder = tempfile::tempdir().unwrap();
    let (data, backup) = (folder.path().join("data"), folder.path().join("backup"));
    let server = serve("127.0.0.1:0", &data, "");
    let address = server.address();
    let playing = start(&server, GAME_IDS).await;
    server.kill();
    copy(&data, &backup);
    let server = serve(&address, &data, "");
    play_on(&playing).await;
    for bot in playing.iter().flat_map(|one| &one.progress) {
        let starts = bot.starts.load(Ordering::Relaxed);
        assert_eq!(starts, 1, "no commit is lost so far");
    }
    server.kill();
    fs::remove_dir_all(&data).unwrap();
    copy(&backup, &data);
    finish(&serve(&address, &data, ""), playing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_power_failure_bots_start_over_without_faults() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = serve("127.0.0.1:0", &data, PROCESS_DURABILITY);
    let address = server.address();
    // With few commits, the log of the database is not copied and only grows.
    let playing = start(&server, &GAME_IDS[..1]).await;
    let log = data.join(format!("{DATABASE_FILE}-wal"));
    let found = fs::read(&log).unwrap();
    play_on(&playing).await;
    server.kill();
    assert!(fs::read(&log).unwrap().starts_with(&found), "it grew");
    fs::write(&log, found).unwrap();
    finish(&serve(&address, &data, PROCESS_DURABILITY), playing).await;
}
