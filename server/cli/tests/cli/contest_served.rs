//! Tests contests on a running server, and contests that are killed.

use std::fs;

use serde_json::Value;

use crate::{
    contest::Contest,
    kit::{
        program::{Background, PROGRAM, quoted, succeed, wait_until},
        results::{read_json, seats},
        served::Served,
    },
};

/// Prefixes of the names of replays.
const OUTCOMES: [&str; 5] = ["won-", "lost-", "tied-", "x-annulled-", ""];

/// Kills a contest once it has this number of rows, and returns the rows.
fn killed(contest: &Contest, flags: &str, rows: usize) -> Vec<Value> {
    let playing = Background::start(contest.line(flags));
    wait_until("enough matches", || contest.rows().len() >= rows);
    playing.signal("-KILL");
    assert_eq!(playing.ended().code, None);
    contest.rows()
}

/// Returns all matches of a server.
fn listed(server: &Served) -> Vec<Value> {
    matches_in(&succeed(format!("match list --all --json --server {}", server.url)))
}

/// Returns the matches that `match list --json` has printed.
fn matches_in(text: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(text).unwrap();
    all["matches"].as_array().cloned().unwrap_or_default()
}

fn is_over(info: &Value) -> bool {
    info["state"] == "MATCH_STATE_ENDED" || info["state"] == "MATCH_STATE_CANCELLED"
}

/// Returns whether the seed of a finished match is visible.
fn is_revealed(info: &Value) -> bool {
    assert_eq!(info["state"], "MATCH_STATE_ENDED");
    let salt = info["seedSalt"].as_str();
    let has_salt = salt.is_some_and(|salt| !salt.is_empty());
    assert_eq!(info["config"]["seed"].is_string(), has_salt);
    has_salt
}

#[test]
fn a_killed_contest_resumes_with_the_same_table_and_verdict() {
    let flags = "--bot greedy --against random --seed autumn --groups 3 --concurrency 2";
    let undisturbed = Contest::new();
    undisturbed.run(flags).exits(0);

    let contest = Contest::new();
    let before = killed(&contest, flags, 2);
    // The resumed contest removes a line that the kill truncated.
    let results = contest.path.join("results.jsonl");
    let mut torn = fs::read(&results).unwrap();
    torn.extend(b"{\"row\":{\"group\":9");
    fs::write(&results, torn).unwrap();
    contest.resume("").exits(0);
    assert_eq!(contest.rows()[..before.len()], before, "no match is replayed");
    assert_eq!(contest.scores(), undisturbed.scores());
    assert_eq!(contest.verdict(), undisturbed.verdict());
}

#[test]
fn no_bot_sees_the_seed_of_its_group_before_its_last_match_has_ended() {
    let server = Served::start("");
    let contest = Contest::new();
    let seen = tempfile::tempdir().unwrap();
    // A bot that lists all matches of the server before it joins its seat.
    let bots = ["one", "other"].map(|name| {
        let list = format!("{PROGRAM} match list --all --json --server {}", server.url);
        let look = format!("{list} > $(mktemp -p {})", seen.path().display());
        let bot = format!("{name}=sh -c '{look} && exec {PROGRAM} bot random --seed {name}'");
        format!("--bot {} ", quoted(&bot))
    });
    let flags = format!("--server {} --groups 2 --concurrency 1", server.url);
    contest.run(format!("{} {flags}", bots.concat())).exits(0);

    let mut held_back = 0;
    for look in fs::read_dir(seen.path()).unwrap() {
        let matches = matches_in(&fs::read_to_string(look.unwrap().path()).unwrap());
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
    // A bot fails if the revealed seed does not match the commitment of the server.
    for seat in seats(&contest.rows()) {
        assert_eq!(seat["end"]["how"], "done", "{seat}");
    }
    assert_replays(&contest);
    assert!(listed(&server).iter().all(is_revealed));
}

fn assert_replays(contest: &Contest) {
    for row in contest.rows() {
        let replay = contest.path.join(row["replay"].as_str().unwrap());
        assert!(replay.is_file(), "{}", replay.display());
    }
}

#[test]
fn a_contest_on_a_running_server_gets_all_replays_after_a_kill_and_leaves_nothing_behind() {
    let server = Served::start("");
    let contest = Contest::new();
    let at = format!("--server {}", server.url);
    let flags = "--bot greedy --against random --seed spring --concurrency 4";
    let before = killed(&contest, &format!("{at} {flags}"), 1);
    contest.resume(&at).exits(0);
    assert_eq!(contest.rows()[..before.len()], before);
    contest.scores();
    assert_replays(&contest);
    let all = listed(&server);
    assert!(all.iter().all(is_over), "nothing is in play");
    let mut ended = all.iter().filter(|info| info["state"] == "MATCH_STATE_ENDED");
    assert!(ended.all(is_revealed), "no group is left open");
}

#[test]
fn a_contest_that_cannot_store_a_match_ends_and_cancels_the_others() {
    let server = Served::start("");
    let contest = Contest::new();
    let reports = tempfile::tempdir().unwrap();
    // A folder occupies the path of the replay file.
    for (group, number) in (0..40).flat_map(|group| [(group, 0), (group, 1)]) {
        for outcome in OUTCOMES {
            let name = format!("replays/{outcome}{group:06}.{number}.replay.binpb/in-the-way");
            fs::create_dir_all(contest.path.join(name)).unwrap();
        }
    }
    let json = reports.path().join("report.json");
    let bots = "--bot random --bot other=random --groups 40 --concurrency 4";
    let flags = format!("{bots} --server {} --json {}", server.url, json.display());
    contest.run(flags).fails(6, &["replays"]);
    assert!(contest.rows().len() < 80, "the contest ended early");
    let report = read_json(json);
    assert_eq!(report["exit"]["code"], 6, "{report}");
    let count = |of: &str| report["counts"][of].as_u64().unwrap();
    let stored = contest.rows().len() as u64;
    assert_eq!(count("matches") + count("surplus_matches"), stored);
    let all = listed(&server);
    assert!(!all.is_empty() && all.iter().all(is_over), "nothing is in play");
}
