//! `bridgemaster demo`.

use std::path::Path;

use serde_json::Value;

use crate::kit::{
    program::{assert_has, quoted, run, succeed},
    results::read_json,
};

/// Plays a demo and returns the match as JSON.
fn play(folder: &Path, flags: &str) -> Value {
    let (json, replay) = (folder.join("match.json"), folder.join("match.replay"));
    let files = format!("--json {} --replay {}", json.display(), replay.display());
    succeed(format!("demo {flags} {files}"));
    read_json(json)
}

#[test]
fn a_demo_writes_json_and_a_valid_replay_and_its_seed_repeats_it() {
    let folder = tempfile::tempdir().unwrap();
    let bots = "--bots random,greedy,random --faces random";
    let scores = |seed: &str| {
        let info = play(folder.path(), &format!("{bots} --seed {seed}"));
        assert_eq!(info["state"], "MATCH_STATE_ENDED");
        let seats = info["result"]["seats"].as_array().unwrap();
        assert_eq!(seats.len(), 3);
        assert!(seats.iter().all(|seat| seat.get("forfeit").is_none()), "{info}");
        let replay = folder.path().join("match.replay");
        let said = succeed(format!("replay verify {}", replay.display()));
        let decisions = info["result"]["decisions"].as_u64().unwrap();
        assert_has(&said, &[&format!("{decisions} decisions and 0 faults")]);
        let scores = seats.iter().map(|seat| seat["score"].as_i64().unwrap_or(0));
        scores.collect::<Vec<_>>()
    };
    let first = scores("again");
    assert_eq!(first, scores("again"));
    assert_ne!(first, scores("other"));
}

#[test]
fn the_result_has_scores_their_breakdown_and_the_replay_file() {
    let folder = tempfile::tempdir().unwrap();
    let replay = folder.path().join("shown.replay");
    let file = replay.display();
    let said = succeed(format!("demo --bots random,greedy --seed shown --replay {file}"));
    let shown = ["place", "greedy", "faults", "longest", "empty_spaces", "total", "seed shown"];
    assert_has(&said, &shown);
    assert_has(&said, &[&format!("replay show {file}")]);
    assert!(replay.is_file());
    // With `--json -`, nothing else is printed to standard output.
    let said = succeed(format!("demo --seats 2 --json - --replay {file}"));
    let info: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(info["result"]["matchId"], info["matchId"]);
}

#[test]
fn a_bot_that_exits_before_joining_ends_the_demo_with_its_stderr() {
    for (bot, expected) in [
        ("sh -c 'echo out of ideas >&2; exit 3'", "out of ideas"),
        ("sh -c 'exit 3'", "its standard error is empty"),
        ("true", "exited"),
    ] {
        // The start-up time is longer than the test may take.
        let bots = quoted(&format!("random,{bot}"));
        let ran = run(format!("demo --bots {bots} --startup-ms 600000"));
        ran.fails(1, &["seat 1", "cannot start", expected]);
    }
}
