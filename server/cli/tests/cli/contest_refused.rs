//! Contests that are refused, and those of a file.

use std::{ffi::OsStr, fs, path::Path};

use crate::{
    contest::Contest,
    program::{run, words},
};

/// A mistake in the command line, which leaves no folder behind.
fn refused(flags: &[&str], said: &[&str]) {
    let contest = Contest::new();
    let ran = contest.run(flags);
    assert_eq!(ran.code, Some(2), "{flags:?}: {}{}", ran.out, ran.err);
    for text in said {
        assert!(
            ran.err.contains(text),
            "{text:?} is missing in:\n{}",
            ran.err
        );
    }
    assert!(!contest.path.exists(), "{flags:?}");
}

#[test]
fn what_makes_no_contest_is_told_before_anything_starts() {
    refused(
        &["--bot", "greddy", "--against", "random"],
        &["greddy", "random, greedy"],
    );
    refused(
        &["--bot", "greedy@7", "--against", "random"],
        &["version 1"],
    );
    refused(&[], &["--bot"]);
    refused(&["--bot", "greedy"], &["--against"]);
    refused(
        &["--bot", "greedy", "--against", "random", "--elo", "50,0"],
        &["lower bound"],
    );
    refused(
        &words("--bot greedy --against random --require fun>=3"),
        &["--require", "margin"],
    );
    let empty = tempfile::tempdir().unwrap();
    let ran = run([
        OsStr::new("contest"),
        OsStr::new("--resume"),
        empty.path().as_os_str(),
    ]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("no contest"), "{}", ran.err);
}

#[test]
fn a_folder_that_has_a_contest_is_not_written_over() {
    let contest = Contest::new();
    let flags = ["--bot", "greedy", "--against", "random", "--groups", "1"];
    assert_eq!(contest.run(&flags).code, Some(0));
    let before = contest.rows();
    let ran = contest.run(&flags);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("--resume"), "{}", ran.err);
    assert_eq!(contest.rows(), before);
}

#[test]
fn a_server_that_does_not_answer_has_exit_code_6() {
    let contest = Contest::new();
    let flags = words("--bot greedy --against random --server http://127.0.0.1:1");
    let ran = contest.run(&flags);
    assert_eq!(ran.code, Some(6), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("no server answers"), "{}", ran.err);
}

/// The TOML of docs/contest.md.
fn documented() -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/contest.md");
    let text = fs::read_to_string(docs).unwrap();
    let (_, behind) = text.split_once("```toml\n").unwrap();
    behind.split_once("```").unwrap().0.to_owned()
}

#[test]
fn a_contest_is_read_from_the_file_of_the_documentation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contest.toml");
    // The bots of the documentation are somebody's.
    let text = documented()
        .replace("python3 bot.py", "sh bot")
        .replace("python3 old_bot.py", "sh");
    fs::write(&file, text).unwrap();
    let contest = Contest::new();
    let path = file.to_str().unwrap();
    let ran = contest.run_config(path, &[]);
    // It can be played as far as its bots can: these two are none.
    assert_eq!(ran.code, Some(52), "{}{}", ran.out, ran.err);
    fs::write(&file, documented().replace("seats = 2", "seats = 99")).unwrap();
    let ran = Contest::new().run_config(path, &[]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
    assert!(
        ran.err.contains("match.seats: 99 is out of range"),
        "{}",
        ran.err
    );
}

#[test]
fn a_flag_that_would_say_nothing_beside_a_file_or_a_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("contest.toml");
    fs::write(&file, documented()).unwrap();
    let contest = Contest::new();
    for flags in [
        &["--require", "faults<=0"][..],
        &["--faults", "fail"],
        &["--alpha", "0.1"],
        &["--game", "alhambra"],
        &["--bank-ms", "1000"],
        &["--on-late", "forfeit"],
        &["--fields", "off"],
        &["--bot", "greedy"],
        &["--rounds", "3"],
        &["--seats", "2"],
        &["--house", "first"],
    ] {
        let ran = contest.run_config(file.to_str().unwrap(), flags);
        assert_eq!(ran.code, Some(2), "{flags:?}: {}", ran.err);
        assert!(ran.err.contains(flags[0]), "{flags:?}: {}", ran.err);
        let resumed = ["contest", "--resume", folder.path().to_str().unwrap()];
        let ran = run(resumed.iter().chain(flags));
        assert_eq!(ran.code, Some(2), "{flags:?}: {}", ran.err);
        assert!(ran.err.contains(flags[0]), "{flags:?}: {}", ran.err);
    }
}
