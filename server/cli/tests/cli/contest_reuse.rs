//! `contest --reuse`: processes of bots that play one match after the other.

use std::{collections::HashSet, fs, path::Path};

use serde_json::Value;

use crate::{
    contest::Contest,
    program::{Ran, run},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_bridgemaster");

/// Plays three groups, one match after the other, with the bot `mine` of this command.
fn play(command: &str, flags: &[&str]) -> (Contest, Ran) {
    let contest = Contest::new();
    let bot = format!("mine={command}");
    let common = ["--bot", &bot, "--against", "random", "--reuse"];
    let one_by_one = ["--groups", "3", "--concurrency", "1"];
    let ran = contest.run(&[&common[..], &one_by_one, flags].concat());
    (contest, ran)
}

/// The command of a bot that notes each of its starts in a file, and dies in its first match.
fn dying_once(folder: &Path) -> String {
    let [starts, log] = ["starts", "log"].map(|name| folder.join(name).display().to_string());
    // It is killed once it has its seat, where it would think for longer than that takes.
    format!(
        "sh -c 'echo start >> {starts}; if mkfifo {log}; then RUST_LOG=info {PROGRAM} bot search \
         --time-ms 1000 2> {log} & grep -m 1 welcomed {log}; kill -KILL $!; echo died >&2; exit \
         7; fi; exec {PROGRAM} bot random --seed x'"
    )
}

fn starts(folder: &Path) -> usize {
    let starts = fs::read_to_string(folder.join("starts")).unwrap();
    starts.lines().count()
}

/// The seats of the bot `mine`, in the order of the matches.
fn own_seats(contest: &Contest) -> Vec<Value> {
    let rows = contest.rows();
    assert_eq!(rows.len(), 6);
    let seats = rows.into_iter().map(|mut row| {
        let seats = row["seats"].as_array_mut().unwrap();
        let own = seats.iter_mut().find(|seat| seat["bot"] == 0);
        own.unwrap().take()
    });
    seats.collect()
}

#[test]
fn a_process_plays_all_matches_of_its_bot_each_with_a_seed_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let starts_file = folder.path().join("starts");
    let command = format!(
        "sh -c 'echo start >> {}; echo started >&2; exec {PROGRAM} bot random --seed x'",
        starts_file.display()
    );
    let (contest, ran) = play(&command, &[]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let expected = "bots whose processes are reused might remember earlier matches, so each match \
                had its own seed";
    assert!(ran.out.contains(expected), "{}", ran.out);
    assert_eq!(starts(folder.path()), 1);
    let rows = contest.rows();
    let seeds: HashSet<&str> = rows
        .iter()
        .map(|row| row["seed"].as_str().unwrap())
        .collect();
    assert_eq!(seeds.len(), 6);
    let mut files = HashSet::new();
    for seat in own_seats(&contest) {
        assert_eq!(seat["end"]["how"], "reused", "{seat}");
        assert_eq!(
            (&seat["fault_count"], &seat["restarts"]),
            (&0.into(), &0.into())
        );
        assert!(seat["answered"].as_u64() > Some(0), "{seat}");
        if cfg!(target_os = "linux") {
            assert!(seat["cpu_time_ms"].is_u64(), "{seat}");
        }
        files.insert(seat["stderr"].as_str().unwrap().to_owned());
    }
    assert_eq!(files.len(), 1, "one file for its one process: {files:?}");
    for file in files {
        let text = fs::read_to_string(contest.path.join(file)).unwrap();
        assert!(text.contains("started"), "{text}");
    }
}

#[test]
fn a_reused_process_that_dies_is_started_again_and_plays_its_match_on() {
    let folder = tempfile::tempdir().unwrap();
    let (contest, ran) = play(&dying_once(folder.path()), &[]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(starts(folder.path()), 2);
    let seats = own_seats(&contest);
    for (number, seat) in seats.iter().enumerate() {
        assert_eq!(seat["end"]["how"], "reused", "{seat}");
        assert_eq!(seat["fault_count"], 0, "{seat}");
        assert_eq!(seat["restarts"], u64::from(number == 0), "{seat}");
    }
    let tail = seats[0]["stderr_tail"].as_str().unwrap();
    assert!(tail.contains("died"), "{tail}");
}

#[test]
fn a_reused_process_that_dies_and_may_not_be_started_again_loses_its_match_alone() {
    let folder = tempfile::tempdir().unwrap();
    let flags = ["--restarts", "0", "--reconnect-ms", "200"];
    let (contest, ran) = play(&dying_once(folder.path()), &flags);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(starts(folder.path()), 2);
    for (number, seat) in own_seats(&contest).iter().enumerate() {
        match number {
            0 => {
                assert_eq!(seat["forfeit"], "DISCONNECTED", "{seat}");
                assert_eq!(seat["end"]["code"], 7, "{seat}");
            }
            _ => {
                assert_eq!(seat["fault_count"], 0, "{seat}");
                assert_eq!(seat["end"]["how"], "reused", "{seat}");
            }
        }
    }
}

#[test]
fn a_bot_that_does_not_attend_ends_the_contest_with_what_to_do() {
    let (_, ran) = play("sh -c 'echo boom >&2; exit 3'", &[]);
    assert_eq!(ran.code, Some(52), "{}{}", ran.out, ran.err);
    for text in ["exit code 3", "BRIDGEMASTER_QUEUE", "boom"] {
        let all = format!("{}{}", ran.out, ran.err);
        assert!(all.contains(text), "{text:?} is missing in:\n{all}");
    }
    let (_, ran) = play("sh -c 'exec sleep 60'", &["--startup-ms", "1000"]);
    assert_eq!(ran.code, Some(53), "{}{}", ran.out, ran.err);
    for text in ["mine: did not attend", "BRIDGEMASTER_QUEUE"] {
        let all = format!("{}{}", ran.out, ran.err);
        assert!(all.contains(text), "{text:?} is missing in:\n{all}");
    }
    let elsewhere = ["--reuse", "--server", "http://127.0.0.1:9"];
    let bots = ["contest", "--bot", "mine=sh", "--against", "random"];
    let ran = run(bots.iter().chain(&elsewhere));
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("NAME=@KEY"), "{}", ran.err);
}

#[test]
fn a_reused_process_whose_files_change_plays_no_other_match() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("bot.sh");
    // Each start changes the script.
    let starts_file = folder.path().join("starts").display().to_string();
    let text = format!(
        "echo start >> {starts_file}; echo '#' >> {}; exec {PROGRAM} bot random --seed x\n",
        script.display()
    );
    fs::write(&script, text).unwrap();
    let command = format!("sh {}", script.display());
    let (_, ran) = play(&command, &[]);
    assert_eq!(ran.code, Some(56), "{}{}", ran.out, ran.err);
    assert_eq!(starts(folder.path()), 1);
    let (contest, ran) = play(&command, &["--bot-changed", "allow"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(own_seats(&contest).len(), 6);
    assert_eq!(
        starts(folder.path()),
        1 + 6,
        "a new process after each change"
    );
}
