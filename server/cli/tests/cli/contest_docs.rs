//! Documentation of contests agrees with the program.

use std::collections::BTreeSet;

use bridgemaster_runner::ExitReason;
use serde_json::Value;

use crate::program::succeed;

/// Exit code of a mistake in the command line, which makes no report.
const MISUSE: u8 = 2;

/// The flags in a text.
fn flags(text: &str) -> BTreeSet<&str> {
    let is_of_a_name = |c: char| c.is_ascii_lowercase() || c == '-';
    let words = text.split(|c: char| !is_of_a_name(c));
    let flags = words.filter(|word| word.strip_prefix("--").is_some_and(|name| !name.is_empty()));
    flags.filter(|flag| *flag != "--help").collect()
}

/// The whole numbers in a text.
fn numbers(text: &str) -> BTreeSet<u8> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter_map(|word| word.parse().ok()).collect()
}

/// The first cells of the rows of the first table behind this heading.
fn first_cells(text: &str, heading: &str) -> String {
    let (_, behind) = text.split_once(heading).unwrap();
    let lines = behind.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    cells.collect::<Vec<_>>().join("\n")
}

/// Returns the part between two texts.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, behind) = text.split_once(begin).unwrap();
    behind.split_once(end).unwrap().0
}

#[test]
fn every_flag_of_contests_and_forks_is_in_the_documentation() {
    let docs = include_str!("../../../../docs/contest.md");
    for command in [&["contest"][..], &["contest", "show"], &["replay", "fork"]] {
        let help = succeed(command.iter().chain(&["--help"]));
        let missing: Vec<&str> = flags(&help).difference(&flags(docs)).copied().collect();
        assert!(missing.is_empty(), "{command:?}: {missing:?}");
    }
}

#[test]
fn each_exit_code_is_named_wherever_they_are_listed_and_no_other() {
    let reported: BTreeSet<u8> = ExitReason::ALL.map(ExitReason::code).into();
    let all: BTreeSet<u8> = reported.iter().copied().chain([MISUSE]).collect();
    let heading = "## Exit codes\n";
    for (place, listed) in [
        (
            "docs/contest.md",
            first_cells(include_str!("../../../../docs/contest.md"), heading),
        ),
        (
            "docs/ci.md",
            first_cells(include_str!("../../../../docs/ci.md"), heading),
        ),
        (
            "action.yml",
            between(
                include_str!("../../../../action.yml"),
                "The exit code of the contest:",
                "value:",
            )
            .to_owned(),
        ),
        (
            "contest --help",
            between(&succeed(["contest", "--help"]), "Exit codes:", ".").to_owned(),
        ),
        (
            "replay fork --help",
            between(&succeed(["replay", "fork", "--help"]), "Exit codes:", ".").to_owned(),
        ),
    ] {
        // What is played on has no test.
        let none: &[u8] = match place {
            "replay fork --help" => &[1],
            _ => &[],
        };
        let expected = all.iter().filter(|code| !none.contains(code));
        assert_eq!(
            numbers(&listed),
            expected.copied().collect(),
            "{place}: {listed}"
        );
    }

    let schema = include_str!("../../../../docs/contest-report.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let exit = &schema["$defs"]["exit"]["properties"];
    let described = exit["code"]["description"].as_str().unwrap();
    assert_eq!(numbers(described), reported, "{described}");
    let listed: BTreeSet<u8> = serde_json::from_value(exit["code"]["enum"].clone()).unwrap();
    assert_eq!(listed, reported);
    let reasons = ExitReason::ALL.map(|reason| serde_json::to_value(reason).unwrap());
    assert_eq!(exit["reason"]["enum"], Value::from(reasons.to_vec()));
}
