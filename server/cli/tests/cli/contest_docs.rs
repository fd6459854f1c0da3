//! docs/contest.md beside the program.

use std::collections::BTreeSet;

use crate::program::succeed;

/// The flags in a text.
fn flags(text: &str) -> BTreeSet<&str> {
    let is_of_a_name = |c: char| c.is_ascii_lowercase() || c == '-';
    let words = text.split(|c: char| !is_of_a_name(c));
    let flags = words.filter(|word| word.strip_prefix("--").is_some_and(|name| !name.is_empty()));
    flags.filter(|flag| *flag != "--help").collect()
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
