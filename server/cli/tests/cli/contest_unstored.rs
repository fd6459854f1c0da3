//! A contest whose folder cannot be written.

#![cfg(unix)]

use std::fs;

use crate::{
    contest::Contest,
    contest_served::{is_over, listed},
    program::succeed,
    served_match::Served,
};

/// What the names of replays begin with.
const OUTCOMES: [&str; 5] = ["won-", "lost-", "tied-", "x-annulled-", ""];

#[test]
fn what_cannot_be_stored_ends_a_contest_and_leaves_no_match_in_play() {
    let server = Served::start(&[]);
    let contest = Contest::new();
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
    let flags = ["--server", &server.url, "--concurrency", "4"];
    let ran = contest.run(&[&bots[..], &flags].concat());
    assert_eq!(ran.code, Some(6), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("replays"), "{}", ran.err);
    assert!(contest.rows().len() < 80, "it ended early");
    let list = ["list", "--all", "--json", "--server", &server.url];
    let all = listed(&succeed(list));
    assert!(!all.is_empty());
    let in_play = all.iter().find(|info| !is_over(info));
    assert_eq!(in_play, None, "nothing is in play");
}
