//! `bridgemaster demo`.

use std::{fs, path::Path};

use serde_json::Value;

use crate::program::{run, succeed, words};

/// Plays a demo and gives the match as JSON.
fn play(folder: &Path, flags: &[&str]) -> Value {
    let (json, replay) = (folder.join("match.json"), folder.join("match.replay"));
    let files = [
        "--json",
        json.to_str().unwrap(),
        "--replay",
        replay.to_str().unwrap(),
    ];
    succeed(["demo"].iter().chain(flags).chain(&files));
    serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap()
}

fn scores(info: &Value) -> Vec<i64> {
    let seats = info["result"]["seats"].as_array().unwrap();
    seats
        .iter()
        .map(|seat| seat["score"].as_i64().unwrap_or(0))
        .collect()
}

#[test]
fn a_match_in_each_seat_count_leaves_json_and_a_replay_that_holds() {
    for seats in 2..=4 {
        let folder = tempfile::tempdir().unwrap();
        let info = play(
            folder.path(),
            &["--seats", &seats.to_string(), "--faces", "random"],
        );
        assert_eq!(info["state"], "MATCH_STATE_ENDED");
        let results = info["result"]["seats"].as_array().unwrap();
        assert_eq!(results.len(), seats);
        assert!(
            results.iter().all(|seat| seat.get("forfeit").is_none()),
            "{results:?}"
        );
        let replay = folder.path().join("match.replay");
        let said = succeed(["replay", "verify", replay.to_str().unwrap()]);
        let decisions = info["result"]["decisions"].as_u64().unwrap();
        assert!(
            said.contains(&format!("{decisions} decisions and 0 faults")),
            "{said}"
        );
    }
}

#[test]
fn the_result_is_shown_with_scores_their_breakdown_and_where_the_replay_is() {
    let folder = tempfile::tempdir().unwrap();
    let replay = folder.path().join("shown.replay");
    let said = succeed(words(&format!(
        "demo --bots random,greedy --seed shown --replay {}",
        replay.to_str().unwrap()
    )));
    for text in [
        "place",
        "greedy",
        "faults",
        "longest",
        "empty_spaces",
        "total",
        "seed shown",
    ] {
        assert!(said.contains(text), "{text} is missing in:\n{said}");
    }
    assert!(
        said.contains(&format!("replay show {}", replay.display())),
        "{said}"
    );
    assert!(replay.is_file());
}

#[test]
fn one_seed_gives_one_match() {
    let folder = tempfile::tempdir().unwrap();
    let flags = ["--bots", "random,greedy,random", "--seed", "again"];
    let first = play(folder.path(), &flags);
    assert_eq!(scores(&first), scores(&play(folder.path(), &flags)));
    let other = play(
        folder.path(),
        &["--bots", "random,greedy,random", "--seed", "other"],
    );
    assert_ne!(scores(&first), scores(&other));
}

#[test]
fn json_on_standard_output_comes_alone() {
    let folder = tempfile::tempdir().unwrap();
    let replay = folder.path().join("r");
    let said = succeed(words(&format!(
        "demo --seats 2 --json - --replay {}",
        replay.to_str().unwrap()
    )));
    let info: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(info["result"]["matchId"], info["matchId"]);
}

#[cfg(unix)]
#[test]
fn a_bot_that_ends_before_it_takes_its_seat_ends_the_demo_with_its_last_words() {
    for (bot, expected) in [
        ("sh -c 'echo out of ideas >&2; exit 3'", "out of ideas"),
        ("sh -c 'exit 3'", "wrote nothing"),
        ("true", "exited"),
    ] {
        // The start-up time is longer than the test may take.
        let ran = run([
            "demo",
            "--bots",
            &format!("random,{bot}"),
            "--startup-ms",
            "600000",
        ]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        for expected in ["seat 1", "cannot start", expected] {
            assert!(
                ran.err.contains(expected),
                "{expected} is missing in:\n{}",
                ran.err
            );
        }
    }
}
