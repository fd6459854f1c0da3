//! Bots that attend a queue, and a contest that offers them seats.

#![cfg(unix)]

use std::{
    collections::HashSet,
    ffi::OsString,
    fs,
    process::{Child, Stdio},
};

use serde_json::Value;

use crate::{
    program::{Ran, bridgemaster, run},
    served_match::Served,
};

/// Version of the built-in bots, as they say it in Hello.
const BOT_VERSION: &str = env!("CARGO_PKG_VERSION");

/// A process that is killed when its test fails.
pub(crate) struct Attendant(Child);

impl Attendant {
    pub(crate) fn start(server: &Served, arguments: &[&str]) -> Self {
        let mut command = bridgemaster(arguments);
        command.env("BRIDGEMASTER_SERVER", &server.url);
        Self(command.stderr(Stdio::piped()).spawn().unwrap())
    }

    /// Its exit code and what it told.
    fn ended(mut self) -> (Option<i32>, String) {
        let status = self.0.wait().unwrap();
        let mut told = String::new();
        let stderr = self.0.stderr.as_mut().unwrap();
        std::io::Read::read_to_string(stderr, &mut told).unwrap();
        (status.code(), told)
    }
}

impl Drop for Attendant {
    fn drop(&mut self) {
        // It may have ended by itself, as it should.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_contest_plays_bots_that_attend_with_a_seed_for_each_of_their_matches() {
    let server = Served::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contest");
    let flags = [
        "contest",
        "--game",
        "carcassonne",
        "--server",
        &server.url,
        "--queue",
        "cup",
        "--bot",
        "here=random",
        "--bot",
        "far=@greedy",
        "--bot",
        "there=@ada",
        "--format",
        "round-robin",
        "--rounds",
        "1",
        "--concurrency",
        "2",
        "--referee-lag-limit-ms",
        "10000",
        "--folder",
    ];
    let flags = flags.iter().map(OsString::from);
    let contest = bridgemaster(flags.chain([path.clone().into_os_string()]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let program = env!("CARGO_BIN_EXE_bridgemaster");
    let attend = [
        "attend",
        "--queue",
        "cup",
        "--name",
        "ada",
        "--bot-version",
        BOT_VERSION,
    ];
    let far = Attendant::start(
        &server,
        &["bot", "greedy", "--queue", "cup", "--slots", "2"],
    );
    let there = [&attend[..], &["--", program, "bot", "random"]].concat();
    let there = Attendant::start(&server, &there);
    let ran = Ran::from(contest.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("a seed of its own"), "{}", ran.out);

    let rows = fs::read_to_string(path.join("results.jsonl")).unwrap();
    let rows = rows.lines().map(|line| {
        let row: Value = serde_json::from_str(line).unwrap();
        row["row"].clone()
    });
    let rows: Vec<Value> = rows.collect();
    assert_eq!(rows.len(), 6);
    let seeds: HashSet<&str> = rows
        .iter()
        .map(|row| row["seed"].as_str().unwrap())
        .collect();
    assert_eq!(seeds.len(), 6, "each match has a bot that may remember");
    for seat in rows.iter().flat_map(|row| row["seats"].as_array().unwrap()) {
        let attended = seat["bot"] != 0;
        let how = if attended { "attended" } else { "done" };
        assert_eq!(seat["end"]["how"], how, "{seat}");
        assert!(seat["answered"].as_u64().unwrap() > 0, "{seat}");
    }
    // The contest has closed its queue, and so they end.
    let (code, told) = far.ended();
    assert_eq!(code, Some(0), "{told}");
    let (code, told) = there.ended();
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(told.matches("played").count(), 4, "{told}");
}

#[test]
fn what_cannot_attend_or_be_attended_is_told_before_anything_starts() {
    for (line, told) in [
        (
            &["contest", "--bot", "far=@ada", "--against", "greedy"][..],
            "--server URL",
        ),
        (
            &[
                "contest",
                "--bot",
                "far=@",
                "--against",
                "greedy",
                "--server",
                "http://x:1",
            ],
            "by which it attends is empty",
        ),
        (
            &["attend", "--queue", "cup", "--", "./no/such/program"],
            "no program",
        ),
        (
            &["attend", "--queue", "cup", "--slots", "65", "--", "sh"],
            "1 to 64",
        ),
    ] {
        let ran = run(line);
        assert_eq!(ran.code, Some(2), "{line:?} {}", ran.err);
        assert!(ran.err.contains(told), "{line:?} {}", ran.err);
    }
}
