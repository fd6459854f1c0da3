//! Options of a contest: format, test, seeds and rules.

use std::{collections::BTreeSet, fs};

use crate::contest::Contest;

/// Edition data of Old London Bridge.
const EDITION: &str = include_str!("../../../../games/data/old_london_bridge/built_in.toml");

fn bots<'a>(names: &[&'a str]) -> Vec<&'a str> {
    names.iter().flat_map(|name| ["--bot", name]).collect()
}

#[test]
fn each_format_plays_its_matches() {
    let four = bots(&["greedy", "one=random", "two=random", "three=random"]);
    for (flags, named, matches) in [
        // Each of the two bots takes each seat.
        (
            &["--format", "series", "--groups", "1"][..],
            &bots(&["greedy", "random"]),
            2,
        ),
        // Three opponents.
        (&["--format", "gauntlet", "--rounds", "1"], &four, 6),
        // Six pairs.
        (&["--format", "round-robin", "--rounds", "1"], &four, 12),
        // Two tables in each round.
        (&["--format", "swiss", "--rounds", "2"], &four, 8),
    ] {
        let contest = Contest::new();
        let ran = contest.run(&[flags, named].concat());
        assert_eq!(ran.code, Some(0), "{flags:?}: {}{}", ran.out, ran.err);
        assert_eq!(contest.scores().len(), matches, "{flags:?}");
    }
}

#[test]
fn a_verdict_is_given_by_the_test_and_the_bounds_that_were_asked_for() {
    let named = [&bots(&["greedy"])[..], &["--against", "random"]].concat();
    for (flags, expected) in [
        (
            &["--test", "pentanomial", "--elo", "0,400"][..],
            "accepted by the pentanomial test",
        ),
        (&["--nelo", "0,300"], "accepted by"),
        (&["--elo", "0,400", "--level", "0.8"], "intervals of 80 %"),
    ] {
        let contest = Contest::new();
        let seed = ["--seed", "spring", "--max-groups", "40"];
        let ran = contest.run(&[&named, flags, &seed].concat());
        assert_eq!(ran.code, Some(0), "{flags:?}: {}{}", ran.out, ran.err);
        assert!(
            ran.out.contains(expected),
            "{expected} is missing in:\n{}",
            ran.out
        );
    }
}

#[test]
fn a_contest_ends_with_its_listed_seeds_and_plays_one_that_is_there_twice_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("seeds");
    fs::write(&file, "spring\nautumn\n\nspring\n").unwrap();
    let contest = Contest::new();
    let seeds = ["--seeds", file.to_str().unwrap()];
    let named = bots(&["one=random", "other=random"]);
    let ran = contest.run(&[&named[..], &seeds].concat());
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    let expected = "1 group skipped because of a repeated seed";
    assert!(ran.out.contains(expected), "{}", ran.out);
    assert_eq!(contest.scores().len(), 4);
    let rows = contest.rows();
    let played: BTreeSet<&str> = rows.iter().filter_map(|row| row["seed"].as_str()).collect();
    assert_eq!(played, BTreeSet::from(["autumn", "spring"]));
}

#[test]
fn nothing_is_played_by_another_version_of_the_rules() {
    let contest = Contest::new();
    let named = bots(&["greedy", "random"]);
    let ran = contest.run(&[&named[..], &["--groups", "1", "--rules-version", "1"]].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let contest = Contest::new();
    let ran = contest.run(&[&named[..], &["--groups", "1", "--rules-version", "99"]].concat());
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("version"), "{}", ran.err);
    assert_eq!(contest.rows().len(), 0);
}

#[test]
fn a_file_may_hold_an_edition_and_a_clock() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contest.toml");
    let text = |edition: &str| {
        format!(
            "test = {{ kind = \"fixed\", groups = 1 }}\n\
             [match]\ngame = \"old_london_bridge\"\nrules_version = 1\nseats = 2\n\
             clock = {{ bank_ms = 600000, referee_lag_limit_ms = 10000 }}\n\
             [match.options]\nedition = '''\n{edition}'''\n\
             [format]\nkind = \"series\"\n\
             [[bots]]\nname = \"greedy\"\n[[bots]]\nname = \"random\"\n"
        )
    };
    let path = file.to_str().unwrap();
    let named = EDITION.replace("name = \"built-in\"", "name = \"of the attic\"");
    assert_ne!(named, EDITION);
    fs::write(&file, text(&named)).unwrap();
    let contest = Contest::new();
    let ran = contest.run_config(path, &[]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(contest.scores().len(), 2);
    let spec = fs::read_to_string(contest.path.join("contest.json")).unwrap();
    assert!(
        spec.contains("of the attic") && spec.contains("600000"),
        "{spec}"
    );

    fs::write(&file, text("ring = 7\n")).unwrap();
    let ran = Contest::new().run_config(path, &[]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("edition"), "{}", ran.err);
}
