//! Checks that the files of a crate do not depend on each other in a cycle.
//!
//! A file depends on the file that contains the definition of a name that it uses, through any
//! number of re-exports. A re-export itself is not a dependency. The check reads the text of the
//! files, so it does not see code that macros generate.

mod resolve;
mod source;

use std::collections::{BTreeMap, BTreeSet};

use self::resolve::Crate;
use crate::cargo::packages;

type Uses = BTreeMap<String, BTreeSet<String>>;

/// Returns all files that a file depends on, directly or indirectly.
fn reached<'a>(uses: &'a Uses, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        for used in uses.get(file).into_iter().flatten() {
            if reached.insert(used.as_str()) {
                open.push(used);
            }
        }
    }
    reached
}

/// Returns the files in a cycle, each with the files of the cycle that it depends on directly.
fn in_cycles(uses: &Uses) -> BTreeMap<&str, Vec<&str>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|file| (file.as_str(), reached(uses, file))).collect();
    let leads_back = |from: &str, to: &str| reach.get(from).is_some_and(|all| all.contains(to));
    let circular = uses.keys().filter(|file| leads_back(file, file));
    let with_uses = circular.map(|file| {
        let on_the_way = uses[file].iter().filter(|used| leads_back(used, file));
        (file.as_str(), on_the_way.map(String::as_str).collect())
    });
    with_uses.collect()
}

#[test]
fn no_files_of_a_crate_use_each_other_in_a_cycle() {
    for package in packages() {
        let Some(uses) = Crate::read(&package).map(|known| known.uses()) else {
            continue;
        };
        let circular = in_cycles(&uses);
        assert!(
            circular.is_empty(),
            "{}: files use each other in cycles: {circular:#?}",
            package.name,
        );
    }
}

#[test]
fn the_files_of_a_cycle_are_found_and_others_are_not() {
    let file = |name: &str, used: &[&str]| {
        let used = used.iter().map(|&used| used.to_owned()).collect();
        (name.to_owned(), used)
    };
    let uses =
        Uses::from([file("a", &["b"]), file("b", &["c", "d"]), file("c", &["b"]), file("d", &[])]);
    let found = in_cycles(&uses);
    assert_eq!(found, BTreeMap::from([("b", vec!["c"]), ("c", vec!["b"])]));
}
