//! A contest whose folder cannot be written.

#![cfg(unix)]

use std::fs;

use serde_json::Value;

use crate::{
    contest::Contest,
    contest_served::{is_over, listed},
    program::succeed,
    served_match::Served,
};

/// Prefixes of the names of replays.
const OUTCOMES: [&str; 5] = ["won-", "lost-", "tied-", "x-annulled-", ""];

#[test]
fn what_cannot_be_stored_ends_a_contest_and_leaves_no_match_in_play() {
    let server = Served::start(&[]);
    let contest = Contest::new();
    let reports = tempfile::tempdir().unwrap();
    // Where a replay is to be, there is a folder.
    for group in 0..40 {
        for outcome in OUTCOMES {
            for number in 0..2 {
                let name = format!("replays/{outcome}{group:06}.{number}.replay.binpb/in-the-way");
                fs::create_dir_all(contest.path.join(name)).unwrap();
            }
        }
    }
    let bots = ["--bot", "random", "--bot", "other=random", "--groups", "40"];
    let json = reports.path().join("report.json");
    let json = json.to_str().unwrap();
    let flags = [
        "--server",
        &server.url,
        "--concurrency",
        "4",
        "--json",
        json,
    ];
    let ran = contest.run(&[&bots[..], &flags].concat());
    assert_eq!(ran.code, Some(6), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("replays"), "{}", ran.err);
    assert!(contest.rows().len() < 80, "it ended early");
    let report: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(report["exit"]["code"], 6, "{report}");
    let count = |of: &str| report["counts"][of].as_u64().unwrap();
    let stored = contest.rows().len() as u64;
    assert_eq!(count("matches") + count("surplus_matches"), stored);
    let list = ["match", "list", "--all", "--json", "--server", &server.url];
    let all = listed(&succeed(list));
    assert!(!all.is_empty());
    let in_play = all.iter().find(|info| !is_over(info));
    assert_eq!(in_play, None, "nothing is in play");
}
