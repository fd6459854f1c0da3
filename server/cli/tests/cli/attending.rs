//! Bots that attend a queue, and a contest that offers them seats.

#![cfg(unix)]

use std::{
    collections::HashSet,
    ffi::OsString,
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    process::{Child, Stdio},
};

use bridgemaster_proto::v1::{
    AttendanceState, CreateQueueRequest, Queue, WatchQueueRequest, WatchQueueResponse,
    lobby_service_client::LobbyServiceClient,
};
use serde_json::Value;
use tokio::time::timeout;
use tonic::{Streaming, transport::Channel};

use crate::{
    contest::LAGGING,
    program::{PATIENCE, Ran, bridgemaster, run, signal, words},
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

    /// Returns its exit code and standard error.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let status = self.0.wait().unwrap();
        let mut text = String::new();
        let stderr = self.0.stderr.as_mut().unwrap();
        std::io::Read::read_to_string(stderr, &mut text).unwrap();
        (status.code(), text)
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
    assert!(
        ran.out.contains("each match had its own seed"),
        "{}",
        ran.out
    );

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
    let (code, stderr) = far.ended();
    assert_eq!(code, Some(0), "{stderr}");
    let (code, stderr) = there.ended();
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(stderr.matches("played").count(), 4, "{stderr}");
}

#[test]
fn what_cannot_attend_or_be_attended_is_told_before_anything_starts() {
    for (line, expected) in [
        (
            &["contest", "--bot", "far=@ada", "--against", "greedy"][..],
            "--server URL",
        ),
        (
            &words("contest --bot far=@ --against greedy --server http://x:1"),
            "attends: the name is empty",
        ),
        (
            &["attend", "--queue", "cup", "--", "./no/such/program"],
            "cannot find the program",
        ),
        (
            &["attend", "--queue", "cup", "--slots", "65", "--", "sh"],
            "1..=64",
        ),
    ] {
        let ran = run(line);
        assert_eq!(ran.code, Some(2), "{line:?} {}", ran.err);
        assert!(ran.err.contains(expected), "{line:?} {}", ran.err);
    }
}

/// Follows the queue until its bot stands so.
async fn until(watched: &mut Streaming<WatchQueueResponse>, state: AttendanceState) {
    let stands_so = async {
        loop {
            let update = watched
                .message()
                .await
                .unwrap()
                .expect("the queue is there");
            let attendance = update
                .attendance
                .expect("the update has the status of the bot");
            if attendance.state() == state {
                return;
            }
        }
    };
    timeout(PATIENCE, stands_so)
        .await
        .expect("it comes to be so");
}

/// Opens the queue, and follows who attends it.
async fn watched_queue(server: &Served) -> Streaming<WatchQueueResponse> {
    let channel = Channel::from_shared(server.url.clone()).unwrap();
    let mut lobby = LobbyServiceClient::new(channel.connect().await.unwrap());
    let queue_id = "cup".to_owned();
    let queue = Some(Queue {
        queue_id: queue_id.clone(),
        ..Queue::default()
    });
    let opened = lobby.create_queue(CreateQueueRequest { queue }).await;
    opened.unwrap();
    let watched = lobby.watch_queue(WatchQueueRequest { queue_id }).await;
    watched.unwrap().into_inner()
}

#[tokio::test]
async fn a_bot_pauses_on_a_signal_over_a_restart_of_the_server_and_goes_on_on_another() {
    let server = Served::start(&[]);
    let mut watched = watched_queue(&server).await;
    let program = env!("CARGO_BIN_EXE_bridgemaster");
    let attend = ["attend", "--queue", "cup", "--", program, "bot", "random"];
    let bot = Attendant::start(&server, &attend);
    until(&mut watched, AttendanceState::Active).await;
    assert!(signal("-USR1", bot.0.id()));
    until(&mut watched, AttendanceState::Paused).await;
    let address = server.url.trim_start_matches("http://").to_owned();
    drop(server);
    let server = Served::start_at(&address, Stdio::null(), &[]);
    // This one knows neither the queue nor the bot.
    let mut watched = watched_queue(&server).await;
    until(&mut watched, AttendanceState::Paused).await;
    assert!(signal("-USR2", bot.0.id()));
    until(&mut watched, AttendanceState::Active).await;
    assert!(signal("-INT", bot.0.id()));
    let (code, stderr) = bot.ended();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        stderr.contains("paused") && stderr.contains("resumed"),
        "{stderr}"
    );
}

#[test]
fn an_offer_whose_bot_cannot_be_started_is_declined_and_the_next_is_played() {
    let server = Served::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let bot = folder.path().join("bot");
    let write = |interpreter: &str| {
        let program = env!("CARGO_BIN_EXE_bridgemaster");
        let script = format!("#!{interpreter}\nexec {program} bot random\n");
        let new = folder.path().join("new");
        fs::write(&new, script).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
        fs::rename(&new, &bot).unwrap();
    };
    write("/no/such/interpreter");
    let attend = ["attend", "--queue", "cup", "--name", "ada"];
    let attend = [&attend[..], &["--bot-version", BOT_VERSION, "--"]].concat();
    let bot = bot.display().to_string();
    let mut there = Attendant::start(&server, &[&attend[..], &[&bot]].concat());
    let kept = folder.path().join("contest").display().to_string();
    let contest = ["contest", "--game", "bridges_to_nowhere", "--queue", "cup"];
    let format = words("--format round-robin --rounds 1 --bot a=random");
    let far = [
        "--bot",
        "b=@ada",
        "--server",
        &server.url,
        "--folder",
        &kept,
    ];
    let contest = bridgemaster([&contest[..], &LAGGING, &format, &far].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(there.0.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("declined") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "it goes on");
    }
    assert!(line.contains("/no/such/interpreter"), "{line}");
    write("/bin/sh");
    while !line.contains(": played") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "it goes on");
    }
    let ran = Ran::from(contest.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}
