//! Runs of the binary.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// Longest wait for something that must happen; a loaded machine needs far less.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A run of the binary with nothing of the developer's own environment in it.
pub(crate) fn bridgemaster<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bridgemaster"));
    command
        .args(arguments)
        .env_remove("BRIDGEMASTER_SERVER")
        .env_remove("BRIDGEMASTER_TICKET")
        .env_remove("BRIDGEMASTER_KEY")
        .env_remove("BRIDGEMASTER_QUEUE")
        .env_remove("BRIDGEMASTER_SLOTS")
        .env_remove("BRIDGEMASTER_STORE")
        .env_remove("BRIDGEMASTER_CA")
        .env_remove("BRIDGEMASTER_CLIENT_CERT")
        .env_remove("BRIDGEMASTER_CLIENT_KEY")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    command
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

/// Sends a signal to a process, and tells whether it was there.
#[cfg(unix)]
pub(crate) fn signal(name: &str, process: u32) -> bool {
    let sent = Command::new("kill")
        .args([name, &process.to_string()])
        .output()
        .unwrap();
    sent.status.success()
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
