//! Tests the logs of a server, and a server with a low limit on open files.

use std::{
    io::{self, ErrorKind, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use rustix::io::ioctl_fionbio;
use serde_json::Value;

use crate::{
    kit::{
        program::{PATIENCE, PROGRAM, assert_has, bridgemaster, clean, run, wait_for, wait_until},
        served::Served,
    },
    served_match::{bots, create, play},
};

/// Time after which a server closes a silent connection, whether or not other clients connect.
#[cfg(target_os = "linux")]
const PREFACE_TIME: Duration = Duration::from_secs(10);

#[test]
fn events_are_logged_with_match_and_seat_and_without_secrets() {
    let server = Served::start("--log json -vv");
    let made = create(&server, "--seed hidden");
    play(&server, &made);
    let log = server.stop();
    let tickets = made["tickets"].as_array().unwrap();
    let secrets = tickets.iter().map(|seat| seat["ticket"].as_str().unwrap());
    for secret in secrets.chain(["hidden"]) {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
    let json = |line| {
        serde_json::from_str(line).unwrap_or_else(|_| panic!("the line is not JSON: {line}"))
    };
    let lines: Vec<Value> = log.lines().map(json).collect();
    for (message, count) in [("bot joined", 2), ("match ended", 1)] {
        let named = lines.iter().filter(|line| line["fields"]["message"] == message);
        let named: Vec<&Value> = named.collect();
        assert_eq!(named.len(), count, "{message}");
        for line in named {
            let spans = line["spans"].as_array().unwrap();
            let of_match = spans.iter().find(|span| span["name"] == "match").unwrap();
            assert_eq!(of_match["match_id"], made["match"]["matchId"]);
            assert!(spans.iter().any(|span| span["name"] == "seat"), "{line}");
        }
    }
}

#[test]
fn verbose_logs_have_the_memory_bound_and_the_address() {
    let log = Served::start("-v").stop();
    assert_has(&log, &["upper bound of memory use", "serving", "stopped"]);
}

#[test]
fn the_reason_why_a_server_stops_is_json_in_a_json_log() {
    for (flags, reason, code) in [
        ("--store postgres://a@127.0.0.1:1/b", "127.0.0.1:1/b cannot be used", 1),
        ("--tls-cert none.pem --tls-key none.pem", "none.pem", 2),
    ] {
        let ran = run(format!("serve --listen 127.0.0.1:0 --log json {flags}"));
        let line: Value =
            serde_json::from_str(ran.err.trim()).unwrap_or_else(|_| panic!("{}", ran.err));
        let fields = &line["fields"];
        assert_eq!((ran.code, &fields["message"]), (Some(code), &"the server has stopped".into()));
        assert!(fields["reason"].as_str().unwrap().contains(reason), "{line}");
    }
}

#[test]
fn an_unread_log_does_not_delay_a_match() {
    let (_unread, mut log) = io::pipe().unwrap();
    let mut serve = bridgemaster("serve --listen 127.0.0.1:0 -vv");
    serve.stderr(Stdio::from(log.try_clone().unwrap()));
    let server = Served::of(&mut serve, Path::new("none"));
    let mut server = server.unwrap_or_else(|ran| panic!("{}", ran.all()));
    // Fills the pipe, at the end byte by byte, so that not even a short line fits.
    ioctl_fionbio(&log, true).unwrap();
    for piece in [4_096, 1] {
        while log.write(&vec![b'.'; piece]).is_ok() {}
    }
    ioctl_fionbio(&log, false).unwrap();

    let made = create(&server, "");
    for mut bot in bots(&server, &made, &["random", "random"]) {
        let ended = wait_for("the end of its match", || bot.try_wait().unwrap());
        assert!(ended.success());
    }
    server.signal("-TERM");
    let ended = wait_for("the end of the server", || server.process.try_wait().unwrap());
    assert_eq!(ended.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_with_few_open_files_logs_its_lower_limit() {
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -n 160; exec \"$@\"", "sh", PROGRAM]).args([
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--no-page",
    ]);
    let server = Served::by(clean(&mut limited));
    wait_until("the warning", || server.log().contains("ulimit -n"));
    assert_has(&server.log(), &["=60"]);

    let connect = |_| TcpStream::connect(server.address()).unwrap();
    let gives_way = |_| {
        let begun = Instant::now();
        let held: Vec<TcpStream> = (0..200).map(connect).collect();
        let mut oldest = &held[0];
        oldest.set_read_timeout(Some(PATIENCE)).unwrap();
        match oldest.read_to_end(&mut Vec::new()) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
            other => panic!("the oldest connection stays open: {other:?}"),
        }
        begun.elapsed() < PREFACE_TIME
    };
    // A busy machine may be too slow in one attempt.
    assert!((0..3).any(gives_way), "the oldest connection is not closed");
    create(&server, "");
}
