//! Tests the review of a replay, and of the lost matches of a contest.

use std::fs;

use serde_json::Value;

use crate::{
    kit::program::{assert_has, run, succeed},
    kit::results::LAGGING,
    sample_replay,
};

fn review(flags: &str) -> String {
    let file = sample_replay().display();
    succeed(format!("replay review {file} --states 4 --costliest-states 8 {flags}"))
}

#[test]
fn a_review_has_all_decisions_and_accounts_that_add_up() {
    let json = review("--seat 1 --json");
    assert_eq!(json, review("--seat 1 --json"), "equal seeds");
    assert_ne!(json, review("--seat 1 --json --seed other"));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["judge"], &json["seat"]), (&"greedy".into(), &1.into()));
    let decisions = json["decisions"].as_array().unwrap();
    assert!(decisions.len() > 10, "{json}");
    for account in json["seats"].as_array().unwrap() {
        for measure in ["points", "first_place"] {
            let parts = ["fair", "own", "others", "luck", "result"];
            let parts = parts.map(|part| account[measure][part].as_i64().unwrap());
            assert_eq!(parts[..4].iter().sum::<i64>(), parts[4], "{account}");
        }
    }
    let text = review("--seat 1");
    let counted = format!("of {} decisions with a choice equal greedy's", decisions.len());
    assert_has(&text, &["seat 1 compared with greedy", "4 states", &counted, "+ luck"]);
    assert_has(&review("--seat 0 --by search"), &["compared with search"]);
}

#[test]
fn a_review_names_the_valid_seats() {
    let file = sample_replay().display();
    run(format!("replay review {file} --seat 3")).fails(2, &["--seat 3 is out of range (0..=2)"]);
}

#[test]
fn a_contest_lists_the_costliest_decisions_of_lost_matches() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("contest").display().to_string();
    let bots = "--bot random --against greedy --groups 1 --seed spring";
    run(format!("contest --quiet --game alhambra {bots} --folder {at} {LAGGING}")).exits(0);
    let shown = succeed(format!("contest show {at} --review"));
    assert_has(&shown, &["costliest decisions of random", "; 0 without a valid replay", "0.1"]);
    let listed = shown.lines().filter(|line| line.contains('±')).count();
    assert!((1..=20).contains(&listed), "{shown}");

    let replays = fs::read_dir(folder.path().join("contest/replays")).unwrap();
    let mut replays = replays.map(|file| file.unwrap().path());
    let first = replays.find(|file| file.to_string_lossy().contains("000000.1.replay")).unwrap();
    fs::write(first, "damaged").unwrap();
    let shown = run(format!("contest show {at} --review"));
    let shown = shown.prints(0, &["; 1 without a valid replay", "±"]);
    assert_has(&shown.err, &["match 0.1: "]);
    let combined = run(format!("contest show {at} --review --json -"));
    combined.fails(2, &["--review cannot be combined with an output on standard output"]);
}
