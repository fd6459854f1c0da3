//! Tests `contest --reuse`: bot processes that play one match after the other.

use std::{collections::HashSet, fs, path::Path};

use serde_json::Value;

use crate::{
    contest::Contest,
    kit::program::{PROGRAM, Ran, quoted, refused},
};

/// Plays three groups of sequential matches, in which this command runs the bot `mine`.
fn play(command: &str, flags: &str) -> (Contest, Ran) {
    let contest = Contest::new();
    let bot = quoted(&format!("mine={command}"));
    let common = "--against random --reuse --groups 3 --concurrency 1";
    let ran = contest.run(format!("--bot {bot} {common} {flags}"));
    (contest, ran)
}

/// Returns the command of a bot that records each of its starts in a file, and dies in its first
/// match.
fn dying_once(folder: &Path) -> String {
    let [starts, log] = ["starts", "log"].map(|name| folder.join(name).display().to_string());
    // The bot is killed once it has its seat. It thinks for so long that it has not answered by
    // then.
    format!(
        "sh -c 'echo start >> {starts}; if mkfifo {log}; then RUST_LOG=info {PROGRAM} bot search \
         --time-ms 1000 2> {log} & grep -m 1 accepted {log}; kill -KILL $!; echo died >&2; exit \
         7; fi; exec {PROGRAM} bot random --seed x'"
    )
}

fn starts(folder: &Path) -> usize {
    let starts = fs::read_to_string(folder.join("starts")).unwrap();
    starts.lines().count()
}

/// Returns the seats of the bot `mine`, in the order of the matches.
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
fn a_process_plays_all_matches_of_its_bot_each_with_its_own_seed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("starts");
    let note = format!("echo start >> {}; echo started >&2", file.display());
    let command = format!("sh -c '{note}; exec {PROGRAM} bot random --seed x'");
    let (contest, ran) = play(&command, "");
    let expected = "bots whose processes are reused might remember earlier matches, so each match \
                    had its own seed";
    ran.prints(0, &[expected]);
    assert_eq!(starts(folder.path()), 1);
    let rows = contest.rows();
    let seeds: HashSet<&str> = rows.iter().map(|row| row["seed"].as_str().unwrap()).collect();
    assert_eq!(seeds.len(), 6);
    let mut files = HashSet::new();
    for seat in own_seats(&contest) {
        assert_eq!(seat["end"]["how"], "reused", "{seat}");
        assert!(seat["fault_count"] == 0 && seat["restarts"] == 0, "{seat}");
        assert!(seat["answered"].as_u64() > Some(0), "{seat}");
        assert_eq!(seat["cpu_time_ms"].is_u64(), cfg!(target_os = "linux"), "{seat}");
        files.insert(seat["stderr"].as_str().unwrap().to_owned());
    }
    assert_eq!(files.len(), 1, "one file for its one process: {files:?}");
    for file in files {
        assert!(contest.read(&file).contains("started"));
    }
}

#[test]
fn a_reused_process_that_dies_is_restarted_or_loses_only_its_match() {
    for (flags, is_restarted) in [("", true), ("--restarts 0 --reconnect-ms 200", false)] {
        let folder = tempfile::tempdir().unwrap();
        let (contest, ran) = play(&dying_once(folder.path()), flags);
        ran.exits(0);
        assert_eq!(starts(folder.path()), 2);
        let seats = own_seats(&contest);
        let (first, others) = seats.split_first().unwrap();
        if is_restarted {
            assert_eq!(first["end"]["how"], "reused", "{first}");
            assert!(first["fault_count"] == 0 && first["restarts"] == 1, "{first}");
            assert!(first["stderr_tail"].as_str().unwrap().contains("died"), "{first}");
        } else {
            assert_eq!(first["forfeit"], "DISCONNECTED", "{first}");
            assert_eq!(first["end"]["code"], 7, "{first}");
        }
        for seat in others {
            assert_eq!(seat["end"]["how"], "reused", "{seat}");
            assert!(seat["fault_count"] == 0 && seat["restarts"] == 0, "{seat}");
        }
    }
}

#[test]
fn a_bot_that_does_not_attend_ends_the_contest_with_a_remedy() {
    let (_, ran) = play("sh -c 'echo boom >&2; exit 3'", "");
    ran.says(52, &["exit code 3", "BRIDGEMASTER_QUEUE", "boom"]);
    let (_, ran) = play("sh -c 'exec sleep 60'", "--startup-ms 1000");
    ran.says(53, &["mine: did not attend", "BRIDGEMASTER_QUEUE"]);
    let elsewhere = "--bot mine=sh --against random --reuse --server http://127.0.0.1:9";
    refused(format!("contest {elsewhere}"), &["NAME=@KEY"]);
}

#[test]
fn a_reused_process_whose_files_change_plays_no_further_match() {
    let folder = tempfile::tempdir().unwrap();
    let [script, notes] = ["bot.sh", "starts"].map(|name| folder.path().join(name));
    // Each start of the bot changes the script.
    let text = format!(
        "echo start >> {}; echo '#' >> {}; exec {PROGRAM} bot random --seed x\n",
        notes.display(),
        script.display()
    );
    fs::write(&script, text).unwrap();
    let command = format!("sh {}", script.display());
    let (_, ran) = play(&command, "");
    ran.exits(56);
    assert_eq!(starts(folder.path()), 1);
    let (contest, ran) = play(&command, "--bot-changed allow");
    ran.exits(0);
    assert_eq!(own_seats(&contest).len(), 6);
    assert_eq!(starts(folder.path()), 1 + 6, "a new process after each change");
}
