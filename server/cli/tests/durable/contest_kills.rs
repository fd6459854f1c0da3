//! A contest whose server is killed in the middle, over a data folder: it goes on by itself, and
//! comes to the same table.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::served::{PATIENCE, Served};

/// Pause between two looks at what is stored.
const LOOK: Duration = Duration::from_millis(20);

/// A busy machine spoils no match by its lag.
pub(crate) const LAGGING: &str = "--referee-lag-limit-ms=10000";

/// A contest whose bots decide the same way each time. Neither a busy machine nor a restart costs
/// them time.
pub(crate) fn contest(server: &Served, folder: &Path, flags: &[&str]) -> Child {
    let clock = ["startup", "bank", "cap"].map(|name| format!("--{name}-ms=3600000"));
    let game = ["--game", "bridges_to_nowhere", "--seed", "kills"];
    Command::new(env!("CARGO_BIN_EXE_bridgemaster"))
        .args(["contest", "--quiet"])
        .args(game)
        .args(clock)
        .args(flags)
        .args(["--server", &server.url, "--folder"])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The contest that is killed: its bots are built-in ones, whose chance follows from the seed.
fn of_built_in_bots(server: &Served, folder: &Path) -> Child {
    let bots = ["--bot", "greedy", "--bot", "other=greedy", "--groups", "3"];
    let patient = ["--concurrency", "2", "--reconnect-ms=3600000", LAGGING];
    contest(server, folder, &[&bots[..], &patient].concat())
}

/// Looks until something holds.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "this never comes: {what}");
        sleep(LOOK);
    }
}

/// The finished matches of a contest, whole lines only.
pub(crate) fn rows(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("results.jsonl")).unwrap_or_default();
    let lines = text.split_inclusive('\n');
    let whole = lines.filter(|line| line.ends_with('\n'));
    whole
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["row"].take())
        .collect()
}

/// The scores of each match by its number; one that counts twice fails.
pub(crate) fn scores(folder: &Path) -> BTreeMap<(u64, u64), Vec<i64>> {
    let mut scores = BTreeMap::new();
    for row in rows(folder) {
        if row["annulled"].is_null() {
            let of = ["group", "number"].map(|name| row[name].as_u64().unwrap());
            let seats = row["seats"].as_array().unwrap().iter();
            let of_seats = seats.map(|seat| seat["score"].as_i64().unwrap()).collect();
            let earlier = scores.insert((of[0], of[1]), of_seats);
            assert!(earlier.is_none(), "match {of:?} counts twice");
        }
    }
    scores
}

pub(crate) fn ended(contest: Child) {
    let output = contest.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
}

#[test]
fn a_contest_whose_server_is_killed_comes_to_the_table_of_one_that_was_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("alone");
    let server = Served::start("127.0.0.1:0", &folder.path().join("data-alone"), &[]);
    ended(of_built_in_bots(&server, &alone));
    server.kill();

    let data = folder.path().join("data");
    let disturbed = folder.path().join("disturbed");
    let mut server = Served::start("127.0.0.1:0", &data, &[]);
    let playing = of_built_in_bots(&server, &disturbed);
    for matches in [1, 3] {
        wait_until("matches end", || scores(&disturbed).len() >= matches);
        let address = server.address();
        server.kill();
        server = Served::start(&address, &data, &[]);
    }
    ended(playing);
    let table = scores(&disturbed);
    assert_eq!(table.len(), 6);
    assert_eq!(table, scores(&alone));
}
