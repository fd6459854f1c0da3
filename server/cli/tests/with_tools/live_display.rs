//! Live output of a contest on a terminal.

use std::{path::Path, process::Command};

use libtest_mimic::{Failed, Trial};
use tempfile::TempDir;

use crate::tool::PYTHON;

/// A script that runs its arguments on a terminal, and prints what they write there.
const TERMINAL: &str = "\
import os, pty, sys
os.environ.update(TERM='xterm', COLUMNS='120', LINES='40')
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
";

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let trial = Trial::ignorable_test(
        "live_display::has_a_bar_the_pace_the_table_and_the_verdict_so_far",
        || PYTHON.with(has_a_bar_the_pace_the_table_and_the_verdict_so_far),
    );
    cfg!(unix).then_some(trial).into_iter()
}

fn has_a_bar_the_pace_the_table_and_the_verdict_so_far(python: &Path) -> Result<(), Failed> {
    let folder = TempDir::new()?;
    let output = Command::new(python)
        .args(["-c", TERMINAL, env!("CARGO_BIN_EXE_bridgemaster")])
        .args(["contest", "--game", "bridges_to_nowhere", "--groups", "4"])
        .args(["--bot", "greedy", "--against", "random"])
        .args(["--referee-lag-limit-ms", "10000", "--folder", "contest"])
        .current_dir(folder.path())
        .output()?;
    let shown = String::from_utf8_lossy(&output.stdout);
    let (live, end) =
        shown.rsplit_once("rank").ok_or_else(|| format!("there is no table:\n{shown}"))?;
    assert!(output.status.success(), "{shown}");
    for text in ["░", "0/4", "matches/s, at most", "left", "rank", "Elo of greedy"] {
        assert!(live.contains(text), "{text:?} is missing in:\n{live}");
    }
    assert!(end.contains("all 4 groups have been played"), "{end}");
    Ok(())
}
