//! `serve`, `match create`, `bot` and `match watch` together.

#![cfg(unix)]

use std::process::{Child, Stdio};

use serde_json::Value;

pub(crate) use crate::kit::Served;

use crate::program::{bridgemaster, signal, succeed, wait_for, words};

impl Served {
    pub(crate) fn start(flags: &[&str]) -> Self {
        Self::start_logging_to(Stdio::inherit(), flags)
    }

    pub(crate) fn start_logging_to(log: Stdio, flags: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", log, flags)
    }

    /// A server at an address that is known to be free.
    pub(crate) fn start_at(addr: &str, log: Stdio, flags: &[&str]) -> Self {
        let arguments = ["serve", "--listen", addr];
        let process = bridgemaster(arguments.iter().chain(flags))
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        Self::of(process)
    }

    /// Creates a match of two seats, with more flags: the response as JSON.
    pub(crate) fn create(&self, more: &str) -> Value {
        let line = format!("match create --server {} --seats 2 --json {more}", self.url);
        serde_json::from_str(&succeed(words(&line))).unwrap()
    }

    /// Lets two bots play a created match to its end.
    pub(crate) fn play(&self, made: &Value) {
        for bot in self.bots(made, &["random", "random"]) {
            assert!(bot.wait_with_output().unwrap().status.success());
        }
    }

    /// Bots of these names as processes, in the seats of a match as `match create --json` prints it.
    pub(crate) fn bots(&self, made: &Value, names: &[&str]) -> Vec<Child> {
        names
            .iter()
            .zip(made["tickets"].as_array().unwrap())
            .map(|(name, ticket)| {
                bridgemaster(["bot", name])
                    .env("BRIDGEMASTER_SERVER", &self.url)
                    .env("BRIDGEMASTER_TICKET", ticket["ticket"].as_str().unwrap())
                    .stdout(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect()
    }
}

#[test]
fn a_created_match_is_played_by_bots_followed_and_stored() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start(&["--replays", folder.path().to_str().unwrap()]);
    let made = server.create("");
    let match_id = made["match"]["matchId"].as_str().unwrap();
    assert!(
        made["match"]["config"].get("seed").is_none(),
        "the seed is secret: {made}"
    );

    let watcher = bridgemaster(["match", "watch", match_id, "--server", &server.url])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    for bot in server.bots(&made, &["greedy", "random"]) {
        let output = bot.wait_with_output().unwrap();
        assert!(output.status.success());
        assert!(
            String::from_utf8(output.stdout)
                .unwrap()
                .contains("longest")
        );
    }

    let watched = watcher.wait_with_output().unwrap();
    let watched_text = String::from_utf8(watched.stdout).unwrap();
    assert!(watched.status.success(), "{watched_text}");
    assert!(
        watched_text.contains("ended; seat 0 greedy, seat 1 random"),
        "{watched_text}"
    );
    assert!(watched_text.contains("empty_spaces"), "{watched_text}");

    let replay = folder.path().join(format!("{match_id}.replay.binpb"));
    wait_for("the replay in its folder", || {
        replay.is_file().then_some(())
    });
    succeed(["replay", "verify", replay.to_str().unwrap()]);
}

#[test]
fn a_seat_that_no_bot_takes_is_a_fault_in_result_and_replay() {
    let folder = tempfile::tempdir().unwrap();
    let server = Served::start(&["--replays", folder.path().to_str().unwrap()]);
    // Enough for the other bot on a busy machine: its process starts in this time.
    let made = server.create("--startup-ms 4000");
    let match_id = made["match"]["matchId"].as_str().unwrap();
    let bots = server.bots(&made, &["random"]);
    let said = succeed(["match", "watch", match_id, "--server", &server.url]);
    assert!(said.contains("NEVER_CONNECTED"), "{said}");
    for bot in bots {
        assert!(bot.wait_with_output().unwrap().status.success());
    }
    let replay = folder.path().join(format!("{match_id}.replay.binpb"));
    wait_for("the replay in its folder", || {
        replay.is_file().then_some(())
    });
    let said = succeed(["replay", "verify", replay.to_str().unwrap()]);
    assert!(said.contains("1 fault"), "{said}");
    let transcript = succeed(["replay", "show", replay.to_str().unwrap()]);
    assert!(
        transcript.contains("seat 1: FAULT never connected, costs forfeit"),
        "{transcript}"
    );
}

#[test]
fn a_watcher_comes_back_when_the_server_does() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let (log, said) = (
        tempfile::NamedTempFile::new().unwrap(),
        tempfile::NamedTempFile::new().unwrap(),
    );
    let mut server = Served::start(&["--data", data]);
    let create = [
        "match",
        "create",
        "--seats",
        "2",
        "--json",
        "--server",
        &server.url,
    ];
    let made: Value = serde_json::from_str(&succeed(create)).unwrap();
    let match_id = made["match"]["matchId"].as_str().unwrap().to_owned();
    let watcher = bridgemaster(["match", "watch", &match_id, "--server", &server.url])
        .stdout(said.reopen().unwrap())
        .stderr(log.reopen().unwrap())
        .spawn()
        .unwrap();
    let read = |file: &tempfile::NamedTempFile| std::fs::read_to_string(file.path()).unwrap();
    wait_for("the first news", || {
        read(&said).contains("waiting for bots").then_some(())
    });
    server.process.kill().unwrap();
    server.process.wait().unwrap();
    wait_for("the loss of the stream", || {
        read(&log).contains("retrying for").then_some(())
    });
    let addr = server.url.strip_prefix("http://").unwrap().to_owned();
    let server = Served::start_at(&addr, Stdio::inherit(), &["--data", data]);
    wait_for("the new stream", || {
        read(&log)
            .contains("reconnected to the server")
            .then_some(())
    });
    let bots = server.bots(&made, &["random", "random"]);
    let watched = watcher.wait_with_output().unwrap();
    assert!(watched.status.success(), "{}", read(&log));
    assert!(read(&said).contains("empty_spaces"), "{}", read(&said));
    assert_eq!(read(&log).lines().count(), 2, "{}", read(&log));
    for bot in bots {
        assert!(bot.wait_with_output().unwrap().status.success());
    }

    // Without patience the loss is the end.
    let create = [
        "match",
        "create",
        "--seats",
        "2",
        "--json",
        "--server",
        &server.url,
    ];
    let made: Value = serde_json::from_str(&succeed(create)).unwrap();
    let match_id = made["match"]["matchId"].as_str().unwrap();
    let flags = ["--reconnect-for", "0", "--server", &server.url];
    let said = tempfile::NamedTempFile::new().unwrap();
    let mut watcher = bridgemaster(["match", "watch", match_id].iter().chain(&flags))
        .stdout(said.reopen().unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("the first news", || {
        read(&said).contains("waiting for bots").then_some(())
    });
    drop(server);
    assert_eq!(watcher.wait().unwrap().code(), Some(1));
}

#[test]
fn create_tells_the_tickets_and_the_commands_that_go_on() {
    let server = Served::start(&[]);
    let said = succeed(words(&format!(
        "match create --server {} --seats 3 --seed s",
        server.url
    )));
    assert_eq!(said.matches("BRIDGEMASTER_TICKET=").count(), 3, "{said}");
    assert!(said.contains(&format!("--server {}", server.url)), "{said}");
    assert!(said.contains(" watch "), "{said}");
    // Half a minute is short for tickets that are pasted by hand.
    assert!(said.contains("bots have 30 s to connect"), "{said}");
}

#[test]
fn a_match_that_is_not_there_is_a_failure_with_its_name() {
    let server = Served::start(&[]);
    let ran = crate::program::run(["match", "watch", "no-such-match", "--server", &server.url]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.err.contains("no-such-match") && ran.err.contains("MATCH_UNKNOWN"),
        "{}",
        ran.err
    );
}

#[test]
fn ctrl_c_and_the_signal_to_end_stop_a_server_cleanly() {
    for name in ["-INT", "-TERM"] {
        let mut server = Served::start(&[]);
        assert!(signal(name, server.process.id()));
        assert_eq!(server.process.wait().unwrap().code(), Some(0), "{name}");
    }
}
