//! Checks the table in ARCHITECTURE.md that lists which crate may use which.

use std::{collections::BTreeMap, fs};

use crate::cargo::{packages, root};

/// A crate, a crate that it depends on, and whether only its tests use that crate.
type Arrow = (String, String, bool);

const HEAD: &str = "| crate | may use | because |";
const ONLY_IN_TESTS: &str = "(only in tests) ";

/// Returns the rows of the table, each with its reason.
fn table() -> BTreeMap<Arrow, String> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, below) = text.split_once(HEAD).expect("the table of arrows");
    let mut arrows = BTreeMap::new();
    for line in below
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
    {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [from, to, because] = cells[..] else {
            panic!("three cells: {line}");
        };
        let name = |cell: &str| cell.trim_matches('`').to_owned();
        let in_tests = because.starts_with(ONLY_IN_TESTS);
        let reason = because.trim_start_matches(ONLY_IN_TESTS).to_owned();
        let earlier = arrows.insert((name(from), name(to), in_tests), reason);
        assert!(earlier.is_none(), "a row that is there twice: {line}");
    }
    arrows
}

/// Returns the dependencies among the crates of the workspace, as stated in their manifests. A
/// dependency that is both normal and for tests is listed once. A dependency of a crate on itself
/// in tests is omitted.
fn arrows() -> Vec<Arrow> {
    let packages = packages();
    let is_ours = |name: &str| packages.iter().any(|package| package.name == name);
    let mut arrows = Vec::new();
    for package in &packages {
        let ours = package.dependencies.iter();
        for used in ours.filter(|used| is_ours(&used.name) && used.name != package.name) {
            let in_tests = used.kind.as_deref() == Some("dev");
            arrows.push((package.name.clone(), used.name.clone(), in_tests));
        }
    }
    let normal = arrows.clone();
    arrows.retain(|(from, to, in_tests)| {
        !in_tests || !normal.contains(&(from.clone(), to.clone(), false))
    });
    arrows
}

#[test]
fn each_arrow_between_crates_is_in_the_table_with_its_reason() {
    let table = table();
    for arrow in arrows() {
        let reason = table.get(&arrow);
        let (from, to, in_tests) = arrow;
        let mark = if in_tests { ONLY_IN_TESTS } else { "" };
        assert!(
            reason.is_some_and(|reason| !reason.is_empty()),
            "{from} uses {to}, which ARCHITECTURE.md does not allow. If it may, add the row\n\
             | `{from}` | `{to}` | {mark}REASON |",
        );
    }
}

#[test]
fn each_row_of_the_table_is_an_arrow_of_the_code() {
    let arrows = arrows();
    for arrow in table().into_keys() {
        assert!(arrows.contains(&arrow), "a row without an arrow: {arrow:?}");
    }
}
