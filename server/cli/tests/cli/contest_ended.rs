//! Contests that are ended before all is played: by their time or by a signal, with all reports.

use std::{fs, path::Path, process::Stdio};

use serde_json::Value;

use crate::{
    contest::Contest,
    program::{bridgemaster, signal, succeed, wait_for},
};

const LONG: [&str; 6] = [
    "--bot",
    "one=random",
    "--bot",
    "other=random",
    "--groups",
    "500",
];

/// Flags for all reports in a folder, and their names.
fn reports(folder: &Path) -> (Vec<String>, Vec<String>) {
    let names = [
        ("--json", "report.json"),
        ("--junit", "junit.xml"),
        ("--markdown", "summary.md"),
        ("--csv", "results.csv"),
        ("--svg", "contest.svg"),
    ];
    let path = |name: &str| folder.join(name).display().to_string();
    let flags = names.iter();
    let flags = flags.flat_map(|(flag, name)| [(*flag).to_owned(), path(name)]);
    (flags.collect(), names.map(|(_, name)| path(name)).into())
}

fn assert_reported(files: &[String]) {
    for file in files {
        assert!(
            fs::metadata(file).is_ok_and(|file| file.len() > 0),
            "{file}"
        );
    }
    let report: Value = serde_json::from_str(&fs::read_to_string(&files[0]).unwrap()).unwrap();
    assert_eq!(report["exit"]["code"], 3, "{report}");
}

#[test]
fn a_contest_whose_time_is_up_is_not_decided_and_has_all_reports() {
    let contest = Contest::new();
    let folder = tempfile::tempdir().unwrap();
    let (flags, files) = reports(folder.path());
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let ran = contest.run(&[&LONG[..], &flags, &["--max-time", "2s"]].concat());
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("--max-time"), "{}", ran.out);
    assert_reported(&files);
    for bad in ["25", "0m", "+1m", "1d", "m", "1.5h"] {
        let refused = contest.run(&[&LONG[..], &["--max-time", bad]].concat());
        assert_eq!(refused.code, Some(2), "{bad}");
        assert!(refused.err.contains("25m"), "{}", refused.err);
    }
}

#[cfg(unix)]
#[test]
fn each_signal_that_ends_a_contest_leaves_all_reports() {
    for name in ["-HUP", "-QUIT", "-INT", "-TERM"] {
        let contest = Contest::new();
        let folder = tempfile::tempdir().unwrap();
        let (flags, files) = reports(folder.path());
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let mut command = bridgemaster(contest.flags(&[&LONG[..], &flags].concat()));
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        wait_for("a match", || (!contest.rows().is_empty()).then_some(()));
        assert!(signal(name, child.id()), "it had ended before");
        assert_eq!(child.wait().unwrap().code(), Some(3), "{name}");
        assert_reported(&files);
    }
}

#[cfg(unix)]
#[test]
fn a_second_signal_leaves_all_reports_of_a_contest_that_waits_for_good() {
    // It accepts connections, and answers nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let contest = Contest::new();
    let folder = tempfile::tempdir().unwrap();
    let (flags, files) = reports(folder.path());
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let more = ["--server", &url, "--max-time", "1s"];
    let mut command = bridgemaster(contest.flags(&[&LONG[..], &flags, &more].concat()));
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop(silent.accept().unwrap());
    let held = silent.accept().unwrap();
    let ended = wait_for("its end", || {
        signal("-TERM", child.id());
        child.try_wait().unwrap()
    });
    assert_eq!(ended.code(), Some(3));
    assert_reported(&files);
    drop(held);
}

#[cfg(unix)]
#[test]
fn a_pipe_where_a_bot_writes_its_output_stops_no_contest() {
    let contest = Contest::new();
    // Each bot lays pipes where the output of bots is to be, before it says something.
    let stderr = contest.path.join("stderr");
    let bot = format!(
        "mine=sh -c 'for s in 0 1; do for n in mine random; do for m in 0 1; do \
         mkfifo {}/000000.$m-seat$s-$n.txt; done; done; done; echo out >&2; exec {} bot \
         greedy --seed 1'",
        stderr.display(),
        env!("CARGO_BIN_EXE_bridgemaster")
    );
    let flags = ["--bot", &bot, "--against", "random", "--groups", "1"];
    let ran = contest.run(&[&flags[..], &["--max-time", "2m"]].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let report = contest.path.join("stderr/000000.0-seat0-mine.txt");
    assert_eq!(fs::read_to_string(report).unwrap(), "out\n");
}

#[cfg(unix)]
#[test]
fn what_bots_write_is_printed_with_their_names_and_found_at_the_end() {
    let contest = Contest::new();
    let bot = format!(
        "mine=sh -c 'printf \"a\\033[2Jb\\n\" >&2; exec {} bot greedy --seed 1'",
        env!("CARGO_BIN_EXE_bridgemaster")
    );
    let flags = ["--bot", &bot, "--against", "random", "--groups", "1"];
    let ran = contest.run(&[&flags[..], &["--show-output"]].concat());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let line = "[mine] a\\u{1b}[2Jb\n";
    assert_eq!(ran.err.matches(line).count(), 2, "{}", ran.err);
    let stderr = contest.path.join("stderr");
    let expected = format!("output of bots: {}\n", stderr.display());
    assert!(ran.out.contains(&expected), "{}", ran.out);
    assert_eq!(fs::read_dir(stderr).unwrap().count(), 2);
    let ran = contest_demo(&bot["mine=".len()..]);
    assert!(ran.contains("output of seat 0"), "{ran}");
}

/// Returns the output of a demo with this bot in seat 0.
#[cfg(unix)]
fn contest_demo(bot: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let replay = folder.path().join("replay");
    let bots = format!("{bot},random");
    let flags = ["demo", "--game", "carcassonne", "--bots", &bots, "--replay"];
    succeed(
        flags
            .iter()
            .map(|flag| (*flag).into())
            .chain([replay.into_os_string()]),
    )
}
