//! `serve --config FILE`.

#![cfg(unix)]

use std::fs;

use tempfile::TempDir;

use crate::{
    program::{run, succeed},
    served_match::Served,
};

/// The page for operators, with the example of a config file.
const OPERATING: &str = include_str!("../../../../docs/operating.md");

/// The page for organisers, with the example of a ladder.
const LADDER: &str = include_str!("../../../../docs/ladder.md");

fn config(text: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.toml");
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// Returns the error of `serve` for an invalid file.
fn refused(text: &str) -> String {
    let (_folder, path) = config(text);
    let ran = run(["serve", "--listen", "127.0.0.1:0", "--config", &path]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    ran.err
}

#[test]
fn the_example_of_the_operators_page_serves_and_flags_win_over_it() {
    let (_, rest) = OPERATING.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let example = example
        .replace("\"data\"", &format!("{:?}", data.to_str().unwrap()))
        .replace("9464", "0");
    let (_folder, path) = config(&example);
    // Where the file says to listen another server may listen.
    let server = Served::start(&["--config", &path]);
    assert!(!server.url.ends_with(":50051"), "{}", server.url);
    let ran = run(["match", "create", "--server", &server.url, "--seats", "2"]);
    assert!(ran.err.contains("KEY_MISSING"), "{}", ran.err);
    assert!(data.join("bridgemaster.db").is_file());
    server.stop();
}

#[test]
fn the_ladder_of_the_organisers_page_is_made_and_has_to_stay_as_it_is() {
    let (_, rest) = LADDER.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    let (_folder, path) = config(example);
    // Made once, and the same at the next start.
    for _ in 0..2 {
        let server = Served::start(&["--data", data, "--config", &path]);
        let listed = succeed(["ladder", "list", "--server", &server.url]);
        assert!(
            listed.contains("class") && listed.contains("open"),
            "{listed}"
        );
        server.stop();
    }
    let (_folder, path) = config(&example.replace("max_matches = 8", "max_matches = 9"));
    let flags = ["serve", "--listen", "127.0.0.1:0", "--no-page"];
    let ran = run(flags.iter().chain(&["--data", data, "--config", &path]));
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    for expected in ["ladder class", "ladder.max_matches"] {
        assert!(
            ran.err.contains(expected),
            "{expected} is not in {}",
            ran.err
        );
    }
}

#[test]
fn a_limit_of_the_file_holds() {
    let (_folder, path) = config("[limits]\nopen_matches = 1\n");
    let server = Served::start(&["--config", &path]);
    succeed(["match", "create", "--server", &server.url, "--seats", "2"]);
    let ran = run(["match", "create", "--server", &server.url, "--seats", "2"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("open_matches = 1"), "{}", ran.err);
}

#[test]
fn an_entry_that_is_not_known_or_out_of_range_is_refused_with_its_line() {
    let cases: &[(&str, &[&str])] = &[
        ("colour = \"red\"", &["colour", "line 1", "listen"]),
        (
            "listen = \"here\"",
            &["listen", "line 1", "127.0.0.1:50051"],
        ),
        (
            "[limits]\ncalls_per_key = 5",
            &[
                "calls_per_key",
                "line 2",
                "{ per_second = 1000, burst = 5000 }",
            ],
        ),
        ("log = \"xml\"", &["log", "text", "json"]),
        ("keep_replays = \"a while\"", &["line 1", "90d", "all"]),
        ("drain_time = 86401", &["drain_time", "86400"]),
        (
            "\n[limits]\nopen_games = 1",
            &["open_games", "line 3", "open_matches"],
        ),
        (
            "[limits]\nopen_matches = 0",
            &["open_matches", "line 2", "positive number"],
        ),
        (
            "[limits]\nhello_time_ms = 0",
            &["hello_time_ms", "1 to 86400000"],
        ),
        (
            "[limits]\noutbound_queue = 100",
            &["outbound_queue", "no longer an entry", "remove it"],
        ),
        ("[limits]\nconnections = -1", &["connections", "line 2"]),
        (
            "[limits]\ncalls_per_key = { per_second = 5 }",
            &["calls_per_key", "burst"],
        ),
        ("listen = ", &["server.toml", "line 1"]),
    ];
    for (text, named) in cases {
        let said = refused(text);
        for word in *named {
            assert!(said.contains(word), "{text:?}: no {word:?} in {said}");
        }
    }
}

#[test]
fn what_the_file_leaves_out_may_come_from_flags_but_not_from_nowhere() {
    assert!(refused("require_keys = true").contains("--data DIR"));
    assert!(refused("durability = \"process\"").contains("--data DIR"));
    assert!(refused("keep_replays = \"90d\"").contains("--data DIR"));
    assert!(refused("tls_cert = \"server.pem\"").contains("--tls-key"));
    assert!(refused("tls_client_ca = \"ca.pem\"").contains("--tls-cert"));
    let said = refused("metrics = \"0.0.0.0:0\"");
    assert!(said.contains("--insecure"), "{said}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let ran = run(["serve", "--config", "no-such-file.toml"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("no-such-file.toml"), "{}", ran.err);
}
