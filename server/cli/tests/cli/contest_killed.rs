//! Contests that are killed or stopped, and go on.

use std::{fs, process::Stdio};

use crate::{
    contest::Contest,
    program::{bridgemaster, signal, wait_for, words},
};

/// Kills a contest in the middle.
pub(crate) fn killed(
    contest: &Contest,
    flags: &[&str],
    signal_name: &str,
    rows: usize,
) -> Option<i32> {
    let mut command = bridgemaster(contest.flags(flags));
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("enough matches", || {
        (contest.rows().len() >= rows).then_some(())
    });
    assert!(signal(signal_name, child.id()), "it had ended before");
    child.wait().unwrap().code()
}

#[test]
fn a_contest_that_is_killed_goes_on_and_comes_to_the_same_table_and_verdict() {
    let flags = words("--bot greedy --against random --seed autumn --groups 3 --concurrency 2");
    let undisturbed = Contest::new();
    let ran = undisturbed.run(&flags);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);

    let contest = Contest::new();
    assert_eq!(killed(&contest, &flags, "-KILL", 2), None);
    let before = contest.rows();
    // A line that the kill tore is dropped.
    let results = contest.path.join("results.jsonl");
    let mut torn = fs::read(&results).unwrap();
    torn.extend(b"{\"row\":{\"group\":9");
    fs::write(&results, torn).unwrap();
    let ran = contest.resume();
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert_eq!(
        contest.rows()[..before.len()],
        before,
        "nothing is replayed"
    );
    assert_eq!(contest.scores(), undisturbed.scores());
    assert_eq!(contest.verdict(), undisturbed.verdict());
}

#[test]
fn ctrl_c_ends_a_contest_with_what_is_finished_and_without_faults_of_bots() {
    let contest = Contest::new();
    let flags = words("--bot one=random --bot other=random --groups 500");
    assert_eq!(killed(&contest, &flags, "-INT", 1), Some(3));
    for row in contest.rows() {
        let seats = row["seats"].as_array().unwrap();
        assert!(seats.iter().all(|seat| seat["fault_count"] == 0), "{row}");
    }
}
