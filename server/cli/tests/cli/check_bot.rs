//! `bridgemaster check-bot`.

use std::fs;

use crate::kit::{
    program::{all_refused, assert_has, refused, run, succeed},
    results::read_json,
};

/// A quick check, for tests that do not depend on which check runs.
const QUICK: &str = "check-bot --only refused-answer";

#[test]
fn the_house_bot_passes_every_check() {
    // The time limits are longer because other tests run on the same machine.
    let said = succeed("check-bot --time-limit 3 --game bridges_to_nowhere -- random");
    assert!(!said.contains("FAIL") && !said.contains("skip"), "{said}");
    assert_has(&said, &["pass  whole-match", "pass  drain", "pass  superseded"]);
    assert_has(&said, &[" passed, 0 failed in "]);
}

#[test]
fn the_report_is_written_as_json_and_as_junit_xml() {
    let folder = tempfile::tempdir().unwrap();
    let (json, junit) = (folder.path().join("r.json"), folder.path().join("r.xml"));
    let files = format!("--json {} --junit {}", json.display(), junit.display());
    succeed(format!("{QUICK} {files} -- random"));
    let report = read_json(json);
    assert_eq!(report["bot"]["name"], "random");
    if cfg!(target_os = "linux") {
        let isolation = report["isolation"].as_str().unwrap();
        assert!(["pid_namespace", "process_tree"].contains(&isolation), "{report}");
    }
    let checks = report["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 1);
    assert_eq!(checks[0]["name"], "refused-answer");
    assert_eq!(checks[0]["outcome"], "passed");
    assert!(checks[0]["duration_ms"].is_u64() && checks[0]["seats"] == 2);
    let xml = fs::read_to_string(junit).unwrap();
    let case = "name=\"refused-answer (old_london_bridge, 2 seats)\"";
    assert_has(&xml, &["<testsuite name=\"random\" tests=\"1\"", case]);

    let alone = succeed(format!("{QUICK} --junit - -- random"));
    assert!(alone.starts_with("<?xml"), "{alone}");
    assert!(alone.trim_end().ends_with("</testsuites>"), "{alone}");
}

#[test]
fn a_bot_that_never_connects_fails_with_its_stderr() {
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("r.xml");
    let bot = "-- sh -c 'echo out of ideas >&2; exit 3'";
    let ran = run(format!("check-bot --json - --junit {} {bot}", junit.display())).exits(1);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let check = &report["checks"][0];
    assert_eq!(check["outcome"], "failed");
    assert_eq!(check["section"], "Message flow");
    assert_eq!(check["stderr"], "out of ideas");
    assert_has(check["seen"].as_str().unwrap(), &["exit status: 3"]);
    let xml = fs::read_to_string(junit).unwrap();
    assert_has(&xml, &["failures=\"1\"", "out of ideas", "<testsuite name=\"sh -c "]);
    let shown = ["FAIL  unknown-ticket", "expected  ", "seen  ", "| out of ideas", "1 failed"];
    run(format!("check-bot {bot}")).prints(1, &shown);
}

#[test]
fn the_list_has_every_check_with_its_purpose() {
    let said = succeed("check-bot --list");
    assert!(said.lines().count() > 20, "{said}");
    let lost = "A bot whose stream is lost just before MatchEnded reconnects to receive it.";
    assert_has(&said, &["ping ", lost]);
}

#[test]
fn missing_or_unwritable_files_are_misuse() {
    let missing = "--json: cannot write no/such/folder/r.json";
    let missing_xml = "--junit: cannot write no/such/folder/r.xml";
    all_refused(&[
        ("check-bot --only pong -- random", &["refused-answer"]),
        ("check-bot --game chess -- random", &["alhambra"]),
        ("check-bot --time-limit 0 -- random", &["--time-limit"]),
        ("check-bot -- ./no/such/bot", &["nor a program in PATH"]),
        ("check-bot", &["COMMAND"]),
        ("check-bot --json no/such/folder/r.json -- random", &[missing]),
        ("check-bot --junit no/such/folder/r.xml -- random", &[missing_xml]),
        ("check-bot --json - --junit - -- random", &["write the others to files"]),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let line = format!("check-bot --json {} -- random", folder.path().display());
    refused(line, &["is a folder"]);
}
