//! Tests contests that end early, because of a time limit or a signal, and still write all reports.
//! Also tests the output of their bots.

use std::{fs, net::TcpListener, path::Path};

use crate::{
    contest::Contest,
    kit::{
        program::{Background, PROGRAM, quoted, signal, succeed, wait_for, wait_until},
        results::read_json,
    },
};

const LONG: &str = "--bot one=random --bot other=random --groups 500";
const REPORTS: [&str; 5] = ["json", "junit", "markdown", "csv", "svg"];

/// Returns the flags for all reports in a folder.
fn reports(folder: &Path) -> String {
    let flag = |name| format!("--{name} {}/{name} ", folder.display());
    REPORTS.map(flag).concat()
}

fn assert_reported(folder: &Path) {
    for name in REPORTS {
        let file = fs::metadata(folder.join(name));
        assert!(file.is_ok_and(|file| file.len() > 0), "{name}");
    }
    let report = read_json(folder.join("json"));
    assert_eq!(report["exit"]["code"], 3, "{report}");
}

#[test]
fn a_contest_that_reaches_its_max_time_is_undecided_and_has_all_reports() {
    let (contest, folder) = (Contest::new(), tempfile::tempdir().unwrap());
    contest
        .run(format!("{LONG} {} --max-time 2s", reports(folder.path())))
        .prints(3, &["--max-time"]);
    assert_reported(folder.path());
    for bad in ["25", "0m", "+1m", "1d", "m", "1.5h"] {
        contest.run(format!("{LONG} --max-time {bad}")).fails(2, &["25m"]);
    }
}

#[test]
fn each_signal_that_ends_a_contest_leaves_all_reports_and_no_faults() {
    for name in ["-HUP", "-QUIT", "-INT", "-TERM"] {
        let (contest, folder) = (Contest::new(), tempfile::tempdir().unwrap());
        let line = contest.line(&format!("{LONG} {}", reports(folder.path())));
        let playing = Background::start(line);
        wait_until("a match", || !contest.rows().is_empty());
        playing.signal(name);
        playing.ended().exits(3);
        assert_reported(folder.path());
        for row in contest.rows() {
            let seats = row["seats"].as_array().unwrap();
            assert!(seats.iter().all(|seat| seat["fault_count"] == 0), "{row}");
        }
    }
}

#[test]
fn a_second_signal_ends_a_waiting_contest_with_all_reports() {
    // This server accepts connections, but does not answer.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = silent.local_addr().unwrap();
    let (contest, folder) = (Contest::new(), tempfile::tempdir().unwrap());
    let flags = format!("{} --server http://{at} --max-time 1s", reports(folder.path()));
    let mut playing = Background::start(contest.line(&format!("{LONG} {flags}")));
    drop(silent.accept().unwrap());
    let _held = silent.accept().unwrap();
    let ended = wait_for("its end", || {
        signal("-TERM", playing.id());
        playing.process().try_wait().unwrap()
    });
    assert_eq!(ended.code(), Some(3));
    assert_reported(folder.path());
}

#[test]
fn a_pipe_at_the_path_of_a_bots_output_does_not_stop_the_contest() {
    let contest = Contest::new();
    // Before a bot prints anything, it creates pipes at the paths of the bots' output files.
    let stderr = contest.path.join("stderr");
    let bot = format!(
        "mine=sh -c 'for s in 0 1; do for n in mine random; do for m in 0 1; do \
         mkfifo {}/000000.$m-seat$s-$n.txt; done; done; done; echo out >&2; exec {PROGRAM} bot \
         greedy --seed 1'",
        stderr.display(),
    );
    let flags = "--against random --groups 1 --max-time 2m";
    contest.run(format!("--bot {} {flags}", quoted(&bot))).exits(0);
    assert_eq!(contest.read("stderr/000000.0-seat0-mine.txt"), "out\n");
}

#[test]
fn the_output_of_bots_is_printed_with_their_names_and_kept_in_files() {
    let contest = Contest::new();
    let bot = format!("sh -c 'printf \"a\\033[2Jb\\n\" >&2; exec {PROGRAM} bot greedy --seed 1'");
    let mine = quoted(&format!("mine={bot}"));
    let ran = contest.run(format!("--bot {mine} --against random --groups 1 --show-output"));
    let stderr = contest.path.join("stderr");
    let ran = ran.prints(0, &[&format!("output of bots: {}\n", stderr.display())]);
    assert_eq!(ran.err.matches("[mine] a\\u{1b}[2Jb\n").count(), 2, "{}", ran.err);
    assert_eq!(fs::read_dir(stderr).unwrap().count(), 2);

    let folder = tempfile::tempdir().unwrap();
    let (bots, replay) = (quoted(&format!("{bot},random")), folder.path().join("replay"));
    let demo = format!("demo --game carcassonne --bots {bots} --replay {}", replay.display());
    assert!(succeed(demo).contains("output of seat 0"));
}
