//! Tests that the documentation of contests agrees with the program.

use std::collections::BTreeSet;

use bridgemaster_runner::ExitReason;
use serde_json::Value;

use crate::kit::program::succeed;

/// Exit code of a command-line error, for which no report is written.
const MISUSE: u8 = 2;
const EXIT_CODES: &str = include_str!("../../../../docs/reference/exit-codes.md");
const ACTION: &str = include_str!("../../../../action.yml");

/// Returns the whole numbers in a text.
fn numbers(text: &str) -> BTreeSet<u8> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter_map(|word| word.parse().ok()).collect()
}

/// Returns the first cells in the rows of the table of exit codes.
fn first_cells(text: &str) -> String {
    let (_, behind) = text.split_once("## Contest\n").unwrap();
    let lines = behind.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    cells.collect::<Vec<_>>().join("\n")
}

/// Returns the part between two texts.
fn between(text: &str, begin: &str, end: &str) -> String {
    let (_, behind) = text.split_once(begin).unwrap();
    behind.split_once(end).unwrap().0.to_owned()
}

#[test]
fn each_exit_code_is_named_wherever_they_are_listed_and_no_other() {
    let reported: BTreeSet<u8> = ExitReason::ALL.map(ExitReason::code).into();
    let all: BTreeSet<u8> = reported.iter().copied().chain([MISUSE]).collect();
    // A contest that continues from a position has no test, so it cannot exit with 1.
    let of_forks: BTreeSet<u8> = all.iter().copied().filter(|code| *code != 1).collect();
    let help = |command: &str| between(&succeed(command), "Exit codes:", ".");
    for (place, listed, expected) in [
        ("exit-codes.md", first_cells(EXIT_CODES), &all),
        ("action.yml", between(ACTION, "The exit code of the contest:", "value:"), &all),
        ("contest", help("contest --help"), &all),
        ("replay fork", help("replay fork --help"), &of_forks),
    ] {
        assert_eq!(&numbers(&listed), expected, "{place}: {listed}");
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
