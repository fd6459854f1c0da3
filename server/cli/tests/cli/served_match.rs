//! Tests `serve`, `match create`, `bot`, `match watch` and `cluster health` together.

use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
};

use serde_json::Value;
use tempfile::NamedTempFile;

use crate::{
    certificates::Authority,
    kit::{
        program::{Background, Ran, assert_has, bridgemaster, run, succeed, wait_for, wait_until},
        served::Served,
    },
};

/// Creates a match of two seats with these flags, and returns the response as JSON.
pub(crate) fn create(server: &Served, more: &str) -> Value {
    let line = format!("match create --server {} --seats 2 --json {more}", server.url);
    serde_json::from_str(&succeed(line)).unwrap()
}

pub(crate) fn id_of(made: &Value) -> &str {
    made["match"]["matchId"].as_str().unwrap()
}

/// Plays a created match to its end with two bots.
pub(crate) fn play(server: &Served, made: &Value) {
    for bot in bots(server, made, &["random", "random"]) {
        assert!(bot.wait_with_output().unwrap().status.success());
    }
}

/// Starts bots of these names as processes, for the seats of a match in the output of `match create
/// --json`.
pub(crate) fn bots(server: &Served, made: &Value, names: &[&str]) -> Vec<Child> {
    let tickets = made["tickets"].as_array().unwrap();
    let bots = names.iter().zip(tickets).map(|(name, ticket)| {
        bridgemaster(format!("bot {name}"))
            .env("BRIDGEMASTER_SERVER", &server.url)
            .env("BRIDGEMASTER_TICKET", ticket["ticket"].as_str().unwrap())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    });
    bots.collect()
}

/// Waits for the replay file of a match, which must be valid, and returns the output of `replay
/// verify`.
fn verified(folder: &Path, match_id: &str) -> String {
    let replay = folder.join(format!("{match_id}.replay.binpb"));
    wait_until("the replay in its folder", || replay.is_file());
    succeed(format!("replay verify {}", replay.display()))
}

#[test]
fn a_created_match_is_played_by_bots_followed_and_stored() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start(format!("--replays {}", folder.path().display()));
    let made = create(&server, "");
    assert!(made["match"]["config"].get("seed").is_none(), "the seed is secret: {made}");
    let line = format!("match watch {} --server {}", id_of(&made), server.url);
    let watcher = Background::start(line);
    for bot in bots(&server, &made, &["greedy", "random"]) {
        Ran::from(bot.wait_with_output().unwrap()).prints(0, &["longest"]);
    }
    let shown = ["ended; seat 0 greedy, seat 1 random", "empty_spaces"];
    watcher.ended().prints(0, &shown);
    verified(folder.path(), id_of(&made));
}

#[test]
fn a_seat_that_no_bot_takes_is_a_fault_in_result_and_replay() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start(format!("--replays {}", folder.path().display()));
    // This is enough time for the process of the other bot to start, even on a busy machine.
    let made = create(&server, "--startup-ms 4000");
    let bots = bots(&server, &made, &["random"]);
    let said = succeed(format!("match watch {} --server {}", id_of(&made), server.url));
    assert_has(&said, &["NEVER_CONNECTED"]);
    for bot in bots {
        assert!(bot.wait_with_output().unwrap().status.success());
    }
    assert_has(&verified(folder.path(), id_of(&made)), &["1 fault"]);
    let replay = folder.path().join(format!("{}.replay.binpb", id_of(&made)));
    let transcript = succeed(format!("replay show {}", replay.display()));
    assert_has(&transcript, &["seat 1: FAULT never connected, costs forfeit"]);
}

#[test]
fn a_watcher_reconnects_after_a_server_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = format!("--data {}", folder.path().display());
    let read = |file: &NamedTempFile| fs::read_to_string(file.path()).unwrap();
    let watch = |server: &Served, made: &Value, flags: &str| {
        let [said, log] = [(); 2].map(|()| NamedTempFile::new().unwrap());
        let line = format!("match watch {} --server {} {flags}", id_of(made), server.url);
        let watcher =
            bridgemaster(line).stdout(said.reopen().unwrap()).stderr(log.reopen().unwrap()).spawn();
        wait_until("the first update", || read(&said).contains("waiting for bots"));
        (watcher.unwrap(), said, log)
    };
    let server = Served::start(&data);
    let made = create(&server, "");
    let (mut watcher, said, log) = watch(&server, &made, "");
    let address = server.address();
    server.kill();
    wait_until("the loss of the stream", || read(&log).contains("retrying for"));
    let server = Served::start_at(&address, &data);
    wait_until("the new stream", || read(&log).contains("reconnected to the server"));
    play(&server, &made);
    assert!(watcher.wait().unwrap().success(), "{}", read(&log));
    assert_has(&read(&said), &["empty_spaces"]);
    assert_eq!(read(&log).lines().count(), 2, "{}", read(&log));

    // Without `--reconnect-for`, the lost connection ends the command.
    let (mut watcher, ..) = watch(&server, &create(&server, ""), "--reconnect-for 0");
    drop(server);
    assert_eq!(watcher.wait().unwrap().code(), Some(1));
}

#[test]
fn create_prints_the_tickets_and_the_next_commands() {
    let server = Served::start("");
    let url = &server.url;
    let said = succeed(format!("match create --server {url} --seats 3 --seed s"));
    assert_eq!(said.matches("BRIDGEMASTER_TICKET=").count(), 3, "{said}");
    // Half a minute is too short for tickets that are copied by hand.
    let shown = [&*format!("--server {url}"), " watch ", "bots have 30 s to connect"];
    assert_has(&said, &shown);
    let unknown = run(format!("match watch no-such-match --server {url}"));
    unknown.fails(1, &["no-such-match", "MATCH_UNKNOWN"]);
}

#[test]
fn ctrl_c_and_sigterm_stop_a_server_cleanly() {
    for name in ["-INT", "-TERM"] {
        let server = Served::start("");
        server.signal(name);
        server.ended().exits(0);
    }
}

fn health(server: &str) -> Ran {
    run(format!("cluster health --server {server}"))
}

#[test]
fn health_distinguishes_serving_draining_and_absent_servers() {
    let server = Served::start("--drain-time 3600");
    let url = server.url.clone();
    assert_eq!(health(&url).exits(0).out, "SERVING\n");
    // The match prevents the drain from ending at once.
    create(&server, "");
    server.signal("-TERM");
    let drains = wait_for("the drain", || {
        let ran = health(&url);
        (ran.code != Some(0)).then_some(ran)
    });
    assert_eq!(drains.fails(1, &["NOT_SERVING"]).out, "");
    server.kill();
    health(&url).fails(1, &["no server answers"]);
}

#[test]
fn health_of_a_server_with_keys_and_tls_needs_no_key() {
    let authority = Authority::new();
    let (own, folder) = (authority.certify("server"), tempfile::tempdir().unwrap());
    let tls = format!("--tls-cert {} --tls-key {}", own.cert.display(), own.key.display());
    let data = format!("--data {} --require-keys", folder.path().display());
    let server = Served::start(format!("{data} {tls}"));
    let asked = bridgemaster("cluster health")
        .env("BRIDGEMASTER_SERVER", &server.url)
        .env("BRIDGEMASTER_CA", authority.ca())
        .output();
    assert_eq!(Ran::from(asked.unwrap()).exits(0).out, "SERVING\n");
}
