//! `bridgemaster replay fork`.

use std::fs;

use crate::{
    contest::Contest,
    kit::program::{all_refused, assert_has, run, succeed},
    report_files,
};

/// Returns a contest of one group, and the replay of its first match.
fn played() -> (Contest, String) {
    let contest = Contest::new();
    contest.run("--bot greedy --against random --groups 1").exits(0);
    let rows = contest.rows();
    let counted = rows.iter().find(|row| row["annulled"].is_null()).unwrap();
    let replay = contest.path.join(counted["replay"].as_str().unwrap());
    (contest, replay.display().to_string())
}

#[test]
fn a_fork_is_played_by_other_bots_and_checked_against_its_requirements() {
    let (contest, replay) = played();
    let place = |name: &str| contest.path.with_extension(name).display().to_string();
    let [folder, json, other] = ["fork", "json", "other"].map(place);
    let fork = format!("replay fork {replay} --at 20 --others random --seat 1 --bot greedy");
    let kept = format!("--times 2 --seed 1 --folder {folder} --json {json}");
    let shown = ["in the replay: seat 1", "played 2 times from decision 20", "greedy"];
    run(format!("{fork} {kept} --require 'faults<=0'")).prints(0, &shown);
    let report = report_files::json(&fs::read_to_string(&json).unwrap());
    assert_eq!(report["counts"]["matches"], 2, "{report}");
    for bot in report["bots"].as_array().unwrap() {
        assert_eq!(bot["played"], 2, "each bot has its seat in both matches");
    }
    let mut held = 0;
    for file in fs::read_dir(format!("{folder}/replays")).unwrap() {
        let file = file.unwrap().path();
        let holds = succeed(format!("replay verify {}", file.display()));
        assert_has(&holds, &["the first 20 decisions come from another match"]);
        let shown = succeed(format!("replay show {}", file.display()));
        assert_has(&shown, &["after 20 decisions, with the original chance"]);
        held += 1;
    }
    assert!(held >= 2, "{held} replays");

    let drawn = format!("--redraw --quiet --folder {other} --require 'faults>=1'");
    run(format!("{fork} {drawn}")).exits(4);
    // All matches have been played, so none is repeated, and the exit code is the same. With
    // `--quiet`, only the reason is printed.
    let again = run(format!("contest --quiet --resume {other}"));
    assert_eq!(again.fails(4, &["faults>=1"]).out, "");
}

#[test]
fn one_bot_plays_all_seats_of_a_fork_by_default() {
    let (contest, replay) = played();
    let folder = contest.path.with_extension("fork");
    let fork = format!("replay fork {replay} --at 20 --json - --folder {}", folder.display());
    let report = report_files::json(&succeed(fork));
    assert_eq!(report["spec"]["bots"].as_array().unwrap().len(), 1);
}

#[test]
fn invalid_forks_are_refused_before_the_start() {
    let (contest, replay) = played();
    let fork = |flags: &str| format!("replay fork {replay} --at {flags}");
    let file = contest.path.join("contest.json");
    all_refused(&[
        (&fork("100000"), &["is out of range (0..="]),
        (&fork("1 --seat 0"), &["--bot"]),
        (&fork("1 --seat 7 --bot greedy"), &["is out of range (0..=1)"]),
        (&fork("1 --redraw"), &["--seat"]),
        (&fork("1 --others greedy@7"), &["version 1"]),
        (&format!("replay fork {} --at 1", file.display()), &["contest.json"]),
    ]);
}
