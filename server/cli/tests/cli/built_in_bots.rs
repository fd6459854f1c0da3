//! Built-in bots in a contest, which plays them itself.

use std::{
    fs,
    process::{Command, Stdio},
};

use crate::{contest::Contest, program::Ran};

const BOTS: [&str; 6] = [
    "--bot",
    "greedy",
    "--against",
    "random",
    "--seed",
    "built-in",
];

#[cfg(unix)]
#[test]
fn a_contest_of_built_in_bots_needs_no_program_to_start_them() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = folder.path().join("bridgemaster");
    fs::hard_link(env!("CARGO_BIN_EXE_bridgemaster"), &program).unwrap();
    let contest = Contest::new();
    let groups = ["--groups", "20", "--concurrency", "2"];
    let playing = Command::new(&program)
        .args(contest.flags(&[&BOTS[..], &groups].concat()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It runs, and can be started no more.
    fs::remove_file(&program).unwrap();
    let ran = Ran::from(playing.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let rows = contest.rows();
    assert_eq!(rows.len(), 40);
    for seat in rows.iter().flat_map(|row| row["seats"].as_array().unwrap()) {
        assert_eq!(seat["end"]["how"], "done", "{seat}");
        assert!(seat["answered"].as_u64() > Some(0), "{seat}");
        assert!(seat["peak_memory_bytes"].is_null(), "{seat}");
        assert!(seat["stderr"].is_null(), "{seat}");
        if cfg!(target_os = "linux") {
            assert!(seat["cpu_time_ms"].is_u64(), "{seat}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_built_in_bot_decides_in_the_contest_as_it_does_in_a_process() {
    // A limit that is never reached, for which it is a process.
    let scores = [&[][..], &["--bot-memory", "8G"]].map(|limits| {
        let contest = Contest::new();
        let ran = contest.run(&[&BOTS[..], &["--groups", "2"], limits].concat());
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        let mut rows = contest.rows();
        let mut seats = rows.iter_mut().map(|row| row["seats"][0].take());
        let is_process = seats.next().unwrap()["peak_memory_bytes"].is_u64();
        assert_eq!(is_process, !limits.is_empty());
        contest.scores()
    });
    assert_eq!(scores[0], scores[1]);
}
