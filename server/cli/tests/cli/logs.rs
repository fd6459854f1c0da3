//! Logs of a server.

#![cfg(unix)]

use std::{
    fs,
    io::{self, Write as _},
    process::Stdio,
};

use rustix::io::ioctl_fionbio;
use serde_json::Value;

use crate::{
    program::{signal, wait_for},
    served_match::Served,
};

#[test]
fn what_happens_in_a_match_is_logged_with_its_match_and_seat_and_without_its_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let log = fs::File::create(&path).unwrap();
    let server = Served::start_logging_to(Stdio::from(log), &["--log", "json", "-vv"]);
    let made = server.create("--seed hidden");
    server.play(&made);
    server.stop();

    let log = fs::read_to_string(path).unwrap();
    let tickets = made["tickets"].as_array().unwrap();
    let secrets = tickets.iter().map(|seat| seat["ticket"].as_str().unwrap());
    for secret in secrets.chain(["hidden"]) {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect();
    for (message, count) in [("bot joined", 2), ("match ended", 1)] {
        let matching: Vec<&Value> = lines
            .iter()
            .filter(|line| line["fields"]["message"] == message)
            .collect();
        assert_eq!(matching.len(), count, "{message}");
        for line in matching {
            let spans = line["spans"].as_array().unwrap();
            let of_match = spans.iter().find(|span| span["name"] == "match").unwrap();
            assert_eq!(of_match["match_id"], made["match"]["matchId"]);
            assert!(spans.iter().any(|span| span["name"] == "seat"), "{line}");
        }
    }
}

#[test]
fn the_first_level_of_logging_tells_the_memory_bound_and_the_address() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let log = fs::File::create(&path).unwrap();
    let server = Served::start_logging_to(Stdio::from(log), &["-v"]);
    server.stop();

    let log = fs::read_to_string(path).unwrap();
    for line in ["upper bound of memory use", "serving", "stopped"] {
        assert!(log.contains(line), "no {line:?} in {log}");
    }
}

#[test]
fn a_log_that_nobody_reads_holds_up_no_match() {
    let (_unread, mut log) = io::pipe().unwrap();
    let to_server = Stdio::from(log.try_clone().unwrap());
    let mut server = Served::start_logging_to(to_server, &["-vv"]);
    // Filled, a byte at a time at its end, so that not even a short line has room.
    ioctl_fionbio(&log, true).unwrap();
    for piece in [4_096, 1] {
        while log.write(&vec![b'.'; piece]).is_ok() {}
    }
    ioctl_fionbio(&log, false).unwrap();

    let made = server.create("");
    for mut bot in server.bots(&made, &["random", "random"]) {
        let ended = wait_for("the end of its match", || bot.try_wait().unwrap());
        assert!(ended.success());
    }
    assert!(signal("-TERM", server.process.id()));
    let ended = wait_for("the end of the server", || {
        server.process.try_wait().unwrap()
    });
    assert_eq!(ended.code(), Some(0));
}
