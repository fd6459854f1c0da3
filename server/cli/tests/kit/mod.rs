//! What the suites that run the real binary share: its command line, and its server as a process.

#![allow(dead_code, reason = "not every target needs all of it")]

use std::{
    ffi::OsStr,
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Command, Output, Stdio},
    time::Duration,
};

/// Longest wait for something that must happen; a loaded machine needs far less.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A run of the binary with nothing of the developer's own environment in it.
pub(crate) fn bridgemaster<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bridgemaster"));
    command.args(arguments).env_remove("RUST_LOG");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("BRIDGEMASTER_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
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

/// A running server, killed when dropped.
pub(crate) struct Served {
    pub(crate) process: Child,
    pub(crate) url: String,
}

impl Served {
    /// A process of a server, which must come up. Its standard output is a pipe.
    pub(crate) fn of(process: Child) -> Self {
        Self::try_of(process).unwrap_or_else(|(mut process, line)| {
            let mut said = String::new();
            if let Some(stderr) = &mut process.stderr {
                let _ = stderr.read_to_string(&mut said);
            }
            panic!("the server did not come up: {line}{said}");
        })
    }

    /// A process of a server, or the process that did not come up and its first line.
    pub(crate) fn try_of(mut process: Child) -> Result<Self, (Child, String)> {
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let mut words = line.split_whitespace();
        match words.find(|word| word.starts_with("http")) {
            Some(url) => Ok(Self {
                url: url.to_owned(),
                process,
            }),
            None => Err((process, line)),
        }
    }

    /// Its address, for the next server in its place.
    pub(crate) fn address(&self) -> String {
        self.url.trim_start_matches("http://").to_owned()
    }

    /// SIGKILL: nothing of the process runs any more.
    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Sends a signal.
    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        assert!(signal(name, self.process.id()));
    }

    /// Asks it to stop, and waits until it has.
    #[cfg(unix)]
    pub(crate) fn stop(mut self) {
        self.signal("-TERM");
        assert_eq!(self.process.wait().unwrap().code(), Some(0));
    }

    /// Waits for its end by itself.
    pub(crate) fn end(mut self) -> Output {
        let mut err = Vec::new();
        let stderr = self.process.stderr.take();
        if let Some(mut stderr) = stderr {
            let _ = stderr.read_to_end(&mut err);
        }
        Output {
            status: self.process.wait().unwrap(),
            stdout: Vec::new(),
            stderr: err,
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself, as it should.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
