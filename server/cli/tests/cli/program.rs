//! Runs of the binary.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Output,
    sync::OnceLock,
    time::{Duration, Instant},
};

use tempfile::TempDir;

#[cfg(unix)]
pub(crate) use crate::kit::signal;
pub(crate) use crate::kit::{PATIENCE, bridgemaster};

/// The words of a command line without quotes.
pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Output and exit code of a run.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Runs the binary to its end.
pub(crate) fn run<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> Ran {
    bridgemaster(arguments).output().unwrap().into()
}

/// Runs the binary to its end, which must be a success, and gives what it printed.
pub(crate) fn succeed<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> String {
    let ran = run(arguments);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    ran.out
}

/// Waits until `condition` gives something.
pub(crate) fn wait_for<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(start.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The replay of a match that was played once for all tests that read one.
pub(crate) fn sample_replay() -> &'static Path {
    static SAMPLE: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = SAMPLE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.replay");
        let flags = [
            "demo", "--seats", "3", "--seed", "sample", "--quiet", "--replay",
        ];
        succeed(flags.iter().map(OsStr::new).chain([path.as_os_str()]));
        (folder, path)
    });
    path
}
