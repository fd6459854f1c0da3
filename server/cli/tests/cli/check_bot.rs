//! `bridgemaster check-bot`.

use std::fs;

use serde_json::Value;

use crate::program::{run, succeed};

/// A check that takes a moment, for what is not about the checks.
const QUICK: [&str; 3] = ["check-bot", "--only", "refused-answer"];

#[test]
fn the_house_bot_passes_every_check() {
    // The checks share a machine with other tests.
    let flags = ["--time-limit", "3", "--game", "bridges_to_nowhere"];
    let said = succeed(["check-bot"].iter().chain(&flags).chain(&["--", "random"]));
    assert!(!said.contains("FAIL") && !said.contains("skip"), "{said}");
    for check in ["whole-match", "drain", "superseded"] {
        assert!(said.contains(&format!("pass  {check}")), "{said}");
    }
    assert!(said.contains(" passed, 0 failed in "), "{said}");
}

#[test]
fn the_report_is_written_as_json_and_as_junit_xml() {
    let folder = tempfile::tempdir().unwrap();
    let (json, junit) = (folder.path().join("r.json"), folder.path().join("r.xml"));
    let files = [
        "--json",
        json.to_str().unwrap(),
        "--junit",
        junit.to_str().unwrap(),
    ];
    succeed(QUICK.iter().chain(&files).chain(&["--", "random"]));
    let report: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(report["bot"]["name"], "random");
    if cfg!(target_os = "linux") {
        let kinds = ["pid_namespace", "process_tree"];
        assert!(
            kinds.contains(&report["isolation"].as_str().unwrap()),
            "{report}"
        );
    }
    let checks = report["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 1);
    assert_eq!(checks[0]["name"], "refused-answer");
    assert_eq!(checks[0]["outcome"], "passed");
    assert!(checks[0]["duration_ms"].is_u64() && checks[0]["seats"] == 2);
    let xml = fs::read_to_string(junit).unwrap();
    assert!(
        xml.contains("<testsuite name=\"random\" tests=\"1\""),
        "{xml}"
    );
    assert!(
        xml.contains("name=\"refused-answer (old_london_bridge, 2 seats)\""),
        "{xml}"
    );
}

#[cfg(unix)]
#[test]
fn a_bot_that_never_comes_fails_with_what_was_expected_and_its_last_words() {
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("r.xml");
    let files = ["--json", "-", "--junit", junit.to_str().unwrap()];
    let bot = ["--", "sh", "-c", "echo out of ideas >&2; exit 3"];
    let ran = run(["check-bot"].iter().chain(&files).chain(&bot));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let check = &report["checks"][0];
    assert_eq!(check["outcome"], "failed");
    assert_eq!(check["section"], "Message flow");
    assert_eq!(check["stderr"], "out of ideas");
    let seen = check["seen"].as_str().unwrap();
    assert!(seen.contains("exit status: 3"), "{seen}");
    let xml = fs::read_to_string(junit).unwrap();
    assert!(
        xml.contains("failures=\"1\"") && xml.contains("out of ideas"),
        "{xml}"
    );
    assert!(xml.contains("<testsuite name=\"sh -c "), "{xml}");

    let ran = run(["check-bot"].iter().chain(&bot));
    assert_eq!(ran.code, Some(1));
    for text in [
        "FAIL  unknown-ticket",
        "expected  ",
        "seen  ",
        "| out of ideas",
        "1 failed",
    ] {
        assert!(ran.out.contains(text), "{text} is missing in:\n{}", ran.out);
    }
}

#[test]
fn the_list_has_every_check_with_what_it_proves() {
    let said = succeed(["check-bot", "--list"]);
    assert!(said.lines().count() > 20, "{said}");
    assert!(said.contains("ping "), "{said}");
    assert!(
        said.contains(
            "A bot whose stream is lost just before MatchEnded reconnects to receive it."
        )
    );
}

#[test]
fn what_is_not_there_is_a_mistake_in_the_command_line() {
    for (flags, expected) in [
        (&["--only", "pong", "--", "random"][..], "refused-answer"),
        (&["--game", "chess", "--", "random"], "alhambra"),
        (&["--time-limit", "0", "--", "random"], "--time-limit"),
        (&["--", "./no/such/bot"], "cannot find the program"),
        (&[], "COMMAND"),
    ] {
        let ran = run(["check-bot"].iter().chain(flags));
        assert_eq!(ran.code, Some(2), "{flags:?}: {}", ran.err);
        assert!(ran.err.contains(expected), "{flags:?}: {}", ran.err);
    }
}

#[test]
fn junit_xml_on_standard_output_comes_alone() {
    let said = succeed(QUICK.iter().chain(&["--junit", "-", "--", "random"]));
    assert!(said.starts_with("<?xml"), "{said}");
    assert!(said.trim_end().ends_with("</testsuites>"), "{said}");
}

#[test]
fn files_that_cannot_be_written_are_told_before_any_check() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    for (flags, expected) in [
        (
            ["--json", "no/such/folder/r.json"],
            "--json: cannot write no/such/folder/r.json",
        ),
        (
            ["--junit", "no/such/folder/r.xml"],
            "--junit: cannot write no/such/folder/r.xml",
        ),
        (["--json", folder], "is a folder"),
    ] {
        let ran = run(["check-bot"].iter().chain(&flags).chain(&["--", "random"]));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        assert!(ran.err.contains(expected), "{flags:?}: {}", ran.err);
    }
    let both = ["--json", "-", "--junit", "-", "--", "random"];
    let ran = run(["check-bot"].iter().chain(&both));
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
    assert!(ran.err.contains("write the others to files"), "{}", ran.err);
}
