//! Contests on a server that runs.

use std::{ffi::OsStr, fs};

use serde_json::Value;

use crate::{
    contest::Contest,
    contest_killed::killed,
    program::{run, succeed, words},
    served_match::Served,
};

/// All matches of a server, as `match list --json` prints them.
pub(crate) fn listed(text: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(text).unwrap();
    all["matches"].as_array().cloned().unwrap_or_default()
}

pub(crate) fn is_over(info: &Value) -> bool {
    matches!(
        info["state"].as_str(),
        Some("MATCH_STATE_ENDED" | "MATCH_STATE_CANCELLED")
    )
}

/// Returns whether the seed of an ended match is visible.
fn is_revealed(info: &Value) -> bool {
    assert_eq!(info["state"], "MATCH_STATE_ENDED");
    let has_salt = info["seedSalt"]
        .as_str()
        .is_some_and(|salt| !salt.is_empty());
    assert_eq!(info["config"]["seed"].is_string(), has_salt);
    has_salt
}

#[test]
fn no_bot_sees_the_seed_of_its_group_before_the_last_match_of_it_has_ended() {
    let server = Served::start(&[]);
    let contest = Contest::new();
    let seen = tempfile::tempdir().unwrap();
    // A bot that looks at what the server tells of all matches before it takes its seat.
    let program = env!("CARGO_BIN_EXE_bridgemaster");
    let bot = |name| {
        format!(
            "{name}=sh -c '{program} match list --all --json --server {} > $(mktemp -p {}) && exec \
             {program} bot random --seed {name}'",
            server.url,
            seen.path().display(),
        )
    };
    let ran = contest.run(&[
        "--server",
        &server.url,
        "--bot",
        &bot("one"),
        "--bot",
        &bot("other"),
        "--groups",
        "2",
        "--concurrency",
        "1",
    ]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);

    let mut held_back = 0;
    for look in fs::read_dir(seen.path()).unwrap() {
        let matches = listed(&fs::read_to_string(look.unwrap().path()).unwrap());
        let own = matches.iter().find(|info| !is_over(info)).unwrap();
        let group = |info: &Value| info["config"]["group"]["groupId"].clone();
        assert!(group(own).is_string(), "{}", own["matchId"]);
        for earlier in matches.iter().filter(|info| group(info) == group(own)) {
            if earlier["matchId"] != own["matchId"] {
                assert!(!is_revealed(earlier), "{}", earlier["matchId"]);
                held_back += 1;
            }
        }
    }
    assert!(held_back >= 4, "two bots in the second match of each group");
    for row in contest.rows() {
        // A bot that is told another seed than the one that the server is bound to fails.
        for seat in row["seats"].as_array().unwrap() {
            assert_eq!(seat["end"]["how"], "done", "{row}");
        }
        let replay = contest.path.join(row["replay"].as_str().unwrap());
        assert!(replay.is_file(), "{}", replay.display());
    }
    let all = succeed(["match", "list", "--all", "--json", "--server", &server.url]);
    assert!(listed(&all).iter().all(is_revealed));
}

#[test]
fn a_contest_on_a_running_server_gets_all_replays_after_a_kill_and_leaves_nothing_behind() {
    let server = Served::start(&[]);
    let contest = Contest::new();
    let flags = [
        "--server",
        &server.url,
        "--bot",
        "greedy",
        "--against",
        "random",
        "--seed",
        "spring",
        "--concurrency",
        "4",
    ];
    assert_eq!(killed(&contest, &flags, "-KILL", 1), None);
    let before = contest.rows();
    let ran = run([
        OsStr::new("contest"),
        OsStr::new("--server"),
        OsStr::new(&server.url),
        OsStr::new("--resume"),
        contest.path.as_os_str(),
    ]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(contest.rows()[..before.len()], before);
    contest.scores();
    for row in contest.rows() {
        let replay = contest.path.join(row["replay"].as_str().unwrap());
        assert!(replay.is_file(), "{}", replay.display());
    }
    let all = listed(&succeed(words(&format!(
        "match list --all --json --server {}",
        server.url
    ))));
    let in_play = all.iter().find(|info| !is_over(info));
    assert_eq!(in_play, None, "nothing is in play");
    let mut ended = all
        .iter()
        .filter(|info| info["state"] == "MATCH_STATE_ENDED");
    assert!(ended.all(is_revealed), "no group is left open");
}
