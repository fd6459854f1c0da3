//! The cost of a commit: batches of journal entries of matches in play, on the disk of the system's
//! temporary folder, or of the folder in `TMPDIR`.
//!
//! `cargo bench -p bridgemaster-store --bench commits` prints lines of `name value unit`. `--
//! --quick` takes shorter turns.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::time::{Duration, Instant};

use bridgemaster_store::{
    DataDir, Durability, KeyName, MatchId, SqliteOptions, SqliteStore, Store, Write,
};
use tokio::runtime::Runtime;

/// The numbers of entries per commit, each of a different match, as when that many matches are
/// played.
const BATCHES: &[usize] = &[1, 8, 16, 64, 512];
/// Size of an entry in bytes: a decision with its time.
const ENTRY_BYTES: usize = 90;
/// Mean number of entries of a match.
const MATCH_ENTRIES: u64 = 400;
/// Sizes of a finished match, in bytes.
const SUMMARY_BYTES: usize = 400;
const REPLAY_BYTES: usize = 20_000;
/// The number of turns per measurement; the median is reported.
const TURNS: usize = 3;

fn main() {
    // Cargo passes `--bench`.
    let quick = std::env::args().any(|argument| argument == "--quick");
    let turn = Duration::from_millis(if quick { 300 } else { 2_000 });
    let runtime = Runtime::new().unwrap();
    for (durability, name) in [(Durability::Disk, "power"), (Durability::Process, "process")] {
        for &batch in BATCHES {
            let mut turns: Vec<Turn> =
                (0..TURNS).map(|_| runtime.block_on(measure(durability, batch, turn))).collect();
            turns.sort_by(|a, b| a.commits_per_s.total_cmp(&b.commits_per_s));
            let median = &turns[TURNS / 2];
            let row = |what: &str, value: f64, unit: &str| {
                println!("{name}_batch_{batch}_{what} {value:.0} {unit}");
            };
            row("commits", median.commits_per_s, "commits/s");
            row("appends", median.commits_per_s * batch as f64, "appends/s");
            row("commit_p50", median.p50_us, "us");
            row("commit_p99", median.p99_us, "us");
        }
    }
}

struct Turn {
    commits_per_s: f64,
    p50_us: f64,
    p99_us: f64,
}

/// Plays matches for one turn. In each commit every match gains an entry; matches of full length
/// finish, and new ones start.
async fn measure(durability: Durability, matches: usize, turn: Duration) -> Turn {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::prepare(folder.path()).unwrap();
    let options = SqliteOptions { durability, ..SqliteOptions::default() };
    let store = SqliteStore::open(&dir, options).await.unwrap();
    let mut players: Vec<Player> = (0..matches).map(|place| Player::new(place, matches)).collect();
    store.commit(players.iter().map(Player::open).collect()).await.unwrap();

    let mut times_us = Vec::new();
    let begin = Instant::now();
    while begin.elapsed() < turn {
        let mut batch: Vec<Write> = players.iter_mut().map(Player::append).collect();
        for player in &mut players {
            if player.is_at_its_end() {
                batch.extend(player.next_match());
            }
        }
        let commit = Instant::now();
        store.commit(batch).await.unwrap();
        times_us.push(commit.elapsed().as_secs_f64() * 1e6);
    }
    let commits_per_s = times_us.len() as f64 / begin.elapsed().as_secs_f64();
    store.close().await.unwrap();
    times_us.sort_by(f64::total_cmp);
    let quantile = |share: f64| times_us[((times_us.len() - 1) as f64 * share) as usize];
    Turn { commits_per_s, p50_us: quantile(0.5), p99_us: quantile(0.99) }
}

/// A table at which one match follows another.
struct Player {
    place: usize,
    matches: u64,
    /// The number of entries of its match so far.
    entries: u64,
    /// The number of entries at which its match ends.
    end: u64,
}

impl Player {
    /// Staggers the first matches, so that later ones do not end together.
    fn new(place: usize, places: usize) -> Self {
        let end = 1 + 2 * MATCH_ENTRIES * place as u64 / places as u64;
        Self { place, matches: 0, entries: 0, end }
    }

    fn match_id(&self) -> MatchId {
        MatchId::new(format!("{:08x}{:08x}", self.place, self.matches)).unwrap()
    }

    /// The creator of the match and two bots.
    fn parties(&self) -> Vec<KeyName> {
        let name = |what: &str| KeyName::new(format!("{what}-{}", self.place % 8)).unwrap();
        vec![name("maker"), name("north"), name("south")]
    }

    fn open(&self) -> Write {
        let header = vec![0x68; 1_000];
        Write::OpenMatch { match_id: self.match_id(), opened_at_unix_ms: 0, header }
    }

    fn append(&mut self) -> Write {
        let number = self.entries;
        self.entries += 1;
        Write::Append { match_id: self.match_id(), number, entry: vec![0x65; ENTRY_BYTES] }
    }

    fn is_at_its_end(&self) -> bool {
        self.entries >= self.end
    }

    fn next_match(&mut self) -> [Write; 2] {
        let finish = Write::FinishMatch {
            match_id: self.match_id(),
            ended_at_unix_ms: 1,
            summary: vec![0x73; SUMMARY_BYTES],
            replay: vec![0x72; REPLAY_BYTES],
            parties: self.parties(),
            index_keys: Vec::new(),
        };
        self.matches += 1;
        self.entries = 0;
        self.end = MATCH_ENTRIES;
        [finish, self.open()]
    }
}
