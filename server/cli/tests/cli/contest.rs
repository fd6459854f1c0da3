//! `bridgemaster contest`.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::Value;
use tempfile::TempDir;

#[cfg(unix)]
use crate::program::signal;
use crate::program::{Ran, bridgemaster, run, succeed, wait_for};
#[cfg(unix)]
use crate::served_match::Served;

/// A busy machine spoils no match by its lag.
const LAGGING: [&str; 2] = ["--referee-lag-limit-ms", "10000"];

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

    fn flags(&self, flags: &[&str]) -> Vec<OsString> {
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

    fn resume(&self) -> Ran {
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
    fn verdict(&self) -> Vec<String> {
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

/// Kills a contest in the middle.
fn killed(contest: &Contest, flags: &[&str], signal_name: &str, rows: usize) -> Option<i32> {
    let mut command = bridgemaster(contest.flags(flags));
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("enough matches", || {
        (contest.rows().len() >= rows).then_some(())
    });
    assert!(signal(signal_name, child.id()), "it had ended before");
    child.wait().unwrap().code()
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
    let flags = [
        "--bot",
        "one=random",
        "--bot",
        "other=random",
        "--seed",
        "spring",
        "--max-groups",
        "4",
        "--elo",
        "0,100",
    ];
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

#[cfg(unix)]
#[test]
fn a_contest_that_is_killed_goes_on_and_comes_to_the_same_table_and_verdict() {
    let flags = [
        "--bot",
        "greedy",
        "--against",
        "random",
        "--seed",
        "autumn",
        "--groups",
        "3",
        "--concurrency",
        "2",
    ];
    let undisturbed = Contest::new();
    let ran = undisturbed.run(&flags);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);

    let contest = Contest::new();
    assert_eq!(killed(&contest, &flags, "-KILL", 2), None);
    let before = contest.rows();
    // A line that the kill tore is dropped.
    let results = contest.path.join("results.jsonl");
    let mut torn = fs::read(&results).unwrap();
    torn.extend(b"{\"row\":{\"group\":9");
    fs::write(&results, torn).unwrap();
    let ran = contest.resume();
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(
        contest.rows()[..before.len()],
        before,
        "nothing is replayed"
    );
    assert_eq!(contest.scores(), undisturbed.scores());
    assert_eq!(contest.verdict(), undisturbed.verdict());
}

/// All matches of a server, as `list --json` tells them.
#[cfg(unix)]
pub(crate) fn listed(text: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(text).unwrap();
    all["matches"].as_array().cloned().unwrap_or_default()
}

#[cfg(unix)]
pub(crate) fn is_over(info: &Value) -> bool {
    matches!(
        info["state"].as_str(),
        Some("MATCH_STATE_ENDED" | "MATCH_STATE_CANCELLED")
    )
}

/// Whether the seed of an ended match can be seen.
#[cfg(unix)]
fn is_revealed(info: &Value) -> bool {
    assert_eq!(info["state"], "MATCH_STATE_ENDED");
    let has_salt = info["seedSalt"]
        .as_str()
        .is_some_and(|salt| !salt.is_empty());
    assert_eq!(info["config"]["seed"].is_string(), has_salt);
    has_salt
}

#[cfg(unix)]
#[test]
fn no_bot_sees_the_seed_of_its_group_before_the_last_match_of_it_has_ended() {
    let server = Served::start(&[]);
    let contest = Contest::new();
    let seen = tempfile::tempdir().unwrap();
    // A bot that looks at what the server tells of all matches before it takes its seat.
    let program = env!("CARGO_BIN_EXE_bridgemaster");
    let bot = |name| {
        format!(
            "{name}=sh -c '{program} list --all --json --server {} > {}/$$ && exec {program} bot \
             random --seed {name}'",
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
    let all = succeed(["list", "--all", "--json", "--server", &server.url]);
    assert!(listed(&all).iter().all(is_revealed));
}

#[cfg(unix)]
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
    let all = listed(&succeed([
        "list",
        "--all",
        "--json",
        "--server",
        &server.url,
    ]));
    let in_play = all.iter().find(|info| !is_over(info));
    assert_eq!(in_play, None, "nothing is in play");
    let mut ended = all
        .iter()
        .filter(|info| info["state"] == "MATCH_STATE_ENDED");
    assert!(ended.all(is_revealed), "no group is left open");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_contest_with_what_is_finished_and_without_faults_of_bots() {
    let contest = Contest::new();
    let flags = [
        "--bot",
        "one=random",
        "--bot",
        "other=random",
        "--groups",
        "500",
    ];
    assert_eq!(killed(&contest, &flags, "-INT", 1), Some(3));
    for row in contest.rows() {
        let seats = row["seats"].as_array().unwrap();
        assert!(seats.iter().all(|seat| seat["fault_count"] == 0), "{row}");
    }
}

#[test]
fn a_requirement_that_does_not_hold_has_exit_code_4() {
    let contest = Contest::new();
    let flags = [
        "--bot",
        "random",
        "--against",
        "greedy",
        "--groups",
        "1",
        "--require",
    ];
    let ran = contest.run(&[&flags[..], &["win_rate>=60%"]].concat());
    assert_eq!(ran.code, Some(4), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("DOES NOT HOLD"), "{}", ran.out);
}

#[test]
fn a_round_robin_at_three_seats_ends_with_a_table() {
    let contest = Contest::new();
    let flags = [
        "--format",
        "round-robin",
        "--rounds",
        "1",
        "--seats",
        "3",
        "--bot",
        "greedy",
        "--bot",
        "one=random",
        "--bot",
        "other=random",
        "--require",
        "greedy:score>=0.5",
    ];
    let ran = contest.run(&flags);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("all rounds are played"), "{}", ran.out);
    assert_eq!(contest.scores().len(), 3);
}

/// A mistake in the command line, which leaves no folder behind.
fn refused(flags: &[&str], said: &[&str]) {
    let contest = Contest::new();
    let ran = contest.run(flags);
    assert_eq!(ran.code, Some(2), "{flags:?}: {}{}", ran.out, ran.err);
    for text in said {
        assert!(
            ran.err.contains(text),
            "{text:?} is missing in:\n{}",
            ran.err
        );
    }
    assert!(!contest.path.exists(), "{flags:?}");
}

#[test]
fn what_makes_no_contest_is_told_before_anything_starts() {
    refused(
        &["--bot", "greddy", "--against", "random"],
        &["greddy", "random, greedy"],
    );
    refused(
        &["--bot", "greedy@7", "--against", "random"],
        &["version 1"],
    );
    refused(&[], &["--bot"]);
    refused(&["--bot", "greedy"], &["--against"]);
    refused(
        &["--bot", "greedy", "--against", "random", "--elo", "50,0"],
        &["lower bound"],
    );
    refused(
        &[
            "--bot",
            "greedy",
            "--against",
            "random",
            "--require",
            "fun>=3",
        ],
        &["--require", "margin"],
    );
    let empty = tempfile::tempdir().unwrap();
    let ran = run([
        OsStr::new("contest"),
        OsStr::new("--resume"),
        empty.path().as_os_str(),
    ]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("no contest"), "{}", ran.err);
}

#[test]
fn a_folder_that_has_a_contest_is_not_written_over() {
    let contest = Contest::new();
    let flags = ["--bot", "greedy", "--against", "random", "--groups", "1"];
    assert_eq!(contest.run(&flags).code, Some(0));
    let before = contest.rows();
    let ran = contest.run(&flags);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("--resume"), "{}", ran.err);
    assert_eq!(contest.rows(), before);
}

#[test]
fn a_server_that_does_not_answer_has_exit_code_6() {
    let contest = Contest::new();
    let flags = [
        "--bot",
        "greedy",
        "--against",
        "random",
        "--server",
        "http://127.0.0.1:1",
    ];
    let ran = contest.run(&flags);
    assert_eq!(ran.code, Some(6), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("no server answers"), "{}", ran.err);
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

/// The TOML of docs/contest.md.
fn documented() -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/contest.md");
    let text = fs::read_to_string(docs).unwrap();
    let (_, behind) = text.split_once("```toml\n").unwrap();
    behind.split_once("```").unwrap().0.to_owned()
}

#[test]
fn a_contest_is_read_from_the_file_of_the_documentation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contest.toml");
    // The bots of the documentation are somebody's.
    let text = documented()
        .replace("python3 bot.py", "sh bot")
        .replace("python3 old_bot.py", "sh");
    fs::write(&file, text).unwrap();
    let contest = Contest::new();
    let path = file.to_str().unwrap();
    let ran = contest.run_config(path, &[]);
    // It can be played as far as its bots can: these two are none.
    assert_eq!(ran.code, Some(52), "{}{}", ran.out, ran.err);
    fs::write(&file, documented().replace("seats = 2", "seats = 99")).unwrap();
    let ran = Contest::new().run_config(path, &[]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("match.seats is 99"), "{}", ran.err);
}

#[test]
fn a_flag_that_would_say_nothing_beside_a_file_or_a_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contest.toml");
    fs::write(&file, documented()).unwrap();
    let contest = Contest::new();
    for flags in [
        &["--require", "faults<=0"][..],
        &["--faults", "fail"],
        &["--alpha", "0.1"],
        &["--game", "alhambra"],
        &["--bank-ms", "1000"],
        &["--on-late", "forfeit"],
        &["--fields", "off"],
    ] {
        let ran = contest.run_config(file.to_str().unwrap(), flags);
        assert_eq!(ran.code, Some(2), "{flags:?}: {}", ran.err);
        assert!(ran.err.contains(flags[0]), "{flags:?}: {}", ran.err);
        let resumed = ["contest", "--resume", folder.path().to_str().unwrap()];
        let ran = run(resumed.iter().chain(flags));
        assert_eq!(ran.code, Some(2), "{flags:?}: {}", ran.err);
        assert!(ran.err.contains(flags[0]), "{flags:?}: {}", ran.err);
    }
}
