//! `bridgemaster replay fork`.

use serde_json::Value;

use crate::{
    contest::Contest,
    program::{run, succeed},
};

/// A contest of one group, and the replay of its first match.
fn played() -> (Contest, String) {
    let contest = Contest::new();
    let ran = contest.run(&["--bot", "greedy", "--against", "random", "--groups", "1"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let rows = contest.rows();
    let counted = rows.iter().find(|row| row["annulled"].is_null()).unwrap();
    let replay = contest.path.join(counted["replay"].as_str().unwrap());
    (contest, replay.display().to_string())
}

#[test]
fn a_replay_is_played_on_by_other_bots_and_what_must_hold_decides_the_exit_code() {
    let (contest, replay) = played();
    let place = |name: &str| contest.path.with_extension(name).display().to_string();
    let (folder, json) = (place("fork"), place("json"));
    let fork = [
        "replay", "fork", &replay, "--at", "20", "--others", "random",
    ];
    let flags = [
        "--seat", "1", "--bot", "greedy", "--times", "2", "--seed", "1",
    ];
    let kept = ["--folder", &folder, "--json", &json];
    let ran = run([&fork[..], &flags, &kept, &["--require", "faults<=0"]].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    for expected in [
        "in the replay: seat 1",
        "played 2 times from decision 20",
        "greedy",
    ] {
        assert!(
            ran.out.contains(expected),
            "{expected} is missing in:\n{}",
            ran.out
        );
    }
    let report: Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    crate::report_files::json(&report.to_string());
    assert_eq!(report["counts"]["matches"], 2, "{report}");
    for bot in report["bots"].as_array().unwrap() {
        assert_eq!(bot["played"], 2, "each bot has its seat in both matches");
    }
    let replays = std::fs::read_dir(format!("{folder}/replays")).unwrap();
    let mut held = 0;
    for file in replays {
        let file = file.unwrap().path().display().to_string();
        let holds = succeed(["replay", "verify", &file]);
        assert!(
            holds.contains("the first 20 decisions come from another match"),
            "{holds}"
        );
        let shown = succeed(["replay", "show", &file]);
        assert!(
            shown.contains("after 20 decisions, with the original chance"),
            "{shown}"
        );
        held += 1;
    }
    assert!(held >= 2, "{held} replays");

    let other = place("other");
    let drawn = [
        "--redraw",
        "--quiet",
        "--folder",
        &other,
        "--require",
        "faults>=1",
    ];
    let ran = run([&fork[..], &["--seat", "1", "--bot", "greedy"], &drawn].concat());
    assert_eq!(ran.code, Some(4), "{}{}", ran.out, ran.err);
    // All is played: nothing is played again, and the answer is the same.
    let again = run(["contest", "--quiet", "--resume", &other]);
    assert_eq!(again.code, Some(4), "{}", again.err);
    // Whoever is shown nothing else is told why.
    assert!(again.out.is_empty(), "{}", again.out);
    assert!(again.err.contains("faults>=1"), "{}", again.err);
}

#[test]
fn one_bot_plays_all_seats_on_where_no_other_is_named() {
    let (contest, replay) = played();
    let folder = contest.path.with_extension("fork").display().to_string();
    let fork = ["replay", "fork", &replay, "--at", "20", "--json", "-"];
    let ran = run(fork.iter().chain(&["--folder", &folder]));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let report = crate::report_files::json(&ran.out);
    assert_eq!(report["spec"]["bots"].as_array().unwrap().len(), 1);
}

#[test]
fn what_cannot_be_played_on_is_told_before_anything_starts() {
    let (contest, replay) = played();
    let file = contest.path.join("contest.json").display().to_string();
    for (flags, expected) in [
        (
            vec![replay.as_str(), "--at", "100000"],
            "is out of range (0..=",
        ),
        (vec![&replay, "--at", "1", "--seat", "0"], "--bot"),
        (
            vec![&replay, "--at", "1", "--seat", "7", "--bot", "greedy"],
            "is out of range (0..=1)",
        ),
        (vec![&replay, "--at", "1", "--redraw"], "--seat"),
        (vec![&file, "--at", "1"], "contest.json"),
        (
            vec![&replay, "--at", "1", "--others", "greedy@7"],
            "version 1",
        ),
    ] {
        let ran = run([&["replay", "fork"], &flags[..]].concat());
        assert_eq!(ran.code, Some(2), "{flags:?}: {}{}", ran.out, ran.err);
        assert!(
            ran.err.contains(expected),
            "{expected} is missing in:\n{}",
            ran.err
        );
    }
}
