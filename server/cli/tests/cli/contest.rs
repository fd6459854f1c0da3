//! `bridgemaster contest`: what is played, and what comes of it.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    path::PathBuf,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{Ran, run, succeed, words};

/// A busy machine spoils no match by its lag.
pub(crate) const LAGGING: [&str; 2] = ["--referee-lag-limit-ms", "10000"];

/// A contest of built-in bots whose chance follows from a seed.
pub(crate) struct Contest {
    _folder: TempDir,
    pub(crate) path: PathBuf,
}

impl Contest {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("contest");
        Self {
            _folder: folder,
            path,
        }
    }

    pub(crate) fn flags(&self, flags: &[&str]) -> Vec<OsString> {
        let common = ["contest", "--game", "carcassonne", "--folder"].map(OsString::from);
        let flags = LAGGING.iter().chain(flags).map(OsString::from);
        let folder = self.path.clone().into_os_string();
        common.into_iter().chain([folder]).chain(flags).collect()
    }

    pub(crate) fn run(&self, flags: &[&str]) -> Ran {
        run(self.flags(flags))
    }

    /// Plays the contest of a file.
    pub(crate) fn run_config(&self, file: &str, flags: &[&str]) -> Ran {
        let folder = self.path.to_str().unwrap();
        let file = ["contest", "--folder", folder, "--config", file];
        run(file.iter().chain(flags))
    }

    pub(crate) fn resume(&self) -> Ran {
        run([
            OsStr::new("contest"),
            OsStr::new("--resume"),
            self.path.as_os_str(),
        ])
    }

    /// The matches that were stored, whole lines only.
    pub(crate) fn rows(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path.join("results.jsonl")).unwrap_or_default();
        let lines = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        lines
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["row"].take())
            .collect()
    }

    /// The scores of each match by its number; a match that was stored twice fails.
    pub(crate) fn scores(&self) -> BTreeMap<(u64, u64), Vec<i64>> {
        let mut scores = BTreeMap::new();
        for row in self.rows() {
            if !row["annulled"].is_null() {
                continue;
            }
            let seats = row["seats"].as_array().unwrap();
            let of = (
                row["group"].as_u64().unwrap(),
                row["number"].as_u64().unwrap(),
            );
            let of_seats = seats.iter().map(|seat| seat["score"].as_i64().unwrap());
            let earlier = scores.insert(of, of_seats.collect());
            assert!(earlier.is_none(), "match {of:?} counted twice");
        }
        scores
    }

    /// The lines on how much better the candidate is: what follows from the results, without times.
    pub(crate) fn verdict(&self) -> Vec<String> {
        let said = succeed([
            OsStr::new("contest"),
            OsStr::new("show"),
            self.path.as_os_str(),
        ]);
        let lines = said.lines().filter(|line| {
            line.contains("Elo against") || line.contains("LLR") || line.contains("group")
        });
        // The time that all matches took stands behind a comma.
        let lines = lines.filter(|line| !line.contains("matches in"));
        lines.map(str::to_owned).collect()
    }
}

#[test]
fn greedy_is_accepted_over_random_within_ten_groups_and_random_rejected() {
    let contest = Contest::new();
    let ran = contest.run(&["--bot", "greedy", "--against", "random", "--seed", "spring"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("greedy: accepted"), "{}", ran.out);
    // There is no terminal, so the contest tells how it stands in lines.
    assert!(ran.err.contains("matches/s, at most"), "{}", ran.err);
    assert!(contest.scores().len() <= 20);
    let replays = fs::read_dir(contest.path.join("replays")).unwrap().count();
    assert_eq!(replays, contest.rows().len());

    let contest = Contest::new();
    let ran = contest.run(&["--bot", "random", "--against", "greedy", "--seed", "spring"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("random: rejected"), "{}", ran.out);
    let replays = fs::read_dir(contest.path.join("replays")).unwrap();
    let first = replays.map(|file| file.unwrap().file_name()).min().unwrap();
    assert!(first.to_str().unwrap().starts_with("lost-"), "{first:?}");
}

#[test]
fn a_bot_is_not_accepted_over_its_equal_and_a_test_without_a_verdict_has_exit_code_3() {
    let contest = Contest::new();
    let flags =
        words("--bot one=random --bot other=random --seed spring --max-groups 4 --elo 0,100");
    let ran = contest.run(&flags);
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("not decided after 4 groups"),
        "{}",
        ran.out
    );
    let worst = succeed([
        OsStr::new("contest"),
        OsStr::new("show"),
        contest.path.as_os_str(),
        OsStr::new("--bot"),
        OsStr::new("one"),
    ]);
    assert!(worst.contains("worst matches"), "{worst}");
    assert!(worst.contains(".replay.binpb"), "{worst}");
}

#[test]
fn a_requirement_that_does_not_hold_has_exit_code_4() {
    let contest = Contest::new();
    let flags = words("--bot random --against greedy --groups 1 --require");
    let ran = contest.run(&[&flags[..], &["win_rate>=60%"]].concat());
    assert_eq!(ran.code, Some(4), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("NOT MET"), "{}", ran.out);
}

#[test]
fn a_round_robin_at_three_seats_ends_with_a_table() {
    let contest = Contest::new();
    let flags = words(
        "--format round-robin --rounds 1 --seats 3 --bot greedy --bot one=random --bot \
        other=random --require greedy:score>=0.5",
    );
    let ran = contest.run(&flags);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("all rounds have been played"),
        "{}",
        ran.out
    );
    assert_eq!(contest.scores().len(), 3);
}

#[test]
fn a_plan_tells_groups_and_time_and_leaves_nothing() {
    let contest = Contest::new();
    let ran = contest.run(&["--bot", "greedy", "--against", "random", "--plan"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for text in ["at the upper bound", "half-way", "groups", "matches"] {
        assert!(ran.out.contains(text), "{}", ran.out);
    }
    assert!(!contest.path.exists());
}
