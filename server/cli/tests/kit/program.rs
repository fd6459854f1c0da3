//! Command lines of the binary, and their outcomes.

use std::{
    io::{BufRead, BufReader, Read as _},
    process::{Child, Command, Output, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// The binary under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_bridgemaster");
/// The longest wait for a condition that must become true. Even a loaded machine needs far less.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// Pause between two checks of a condition.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Creates a command that runs the binary. The line is split like a shell command, and the
/// developer's settings are removed from the environment.
pub(crate) fn bridgemaster(line: impl AsRef<str>) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(shell_words::split(line.as_ref()).unwrap());
    clean(&mut command);
    command
}

/// Removes the developer's own settings from the environment of a command.
pub(crate) fn clean(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        if name == "RUST_LOG" || name.to_string_lossy().starts_with("BRIDGEMASTER_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null())
}

/// Quotes a text as one word of a command line.
pub(crate) fn quoted(text: &str) -> String {
    shell_words::quote(text).into_owned()
}

/// The output and exit code of a command.
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

impl Ran {
    /// Returns both outputs.
    pub(crate) fn all(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.all());
        self
    }

    /// Checks the exit code, and that standard output contains all texts.
    #[track_caller]
    pub(crate) fn prints(self, code: i32, texts: &[&str]) -> Self {
        assert_has(&self.out, texts);
        self.exits(code)
    }

    /// Checks the exit code, and that standard error contains all texts.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, texts: &[&str]) -> Self {
        assert_has(&self.err, texts);
        self.exits(code)
    }

    /// Checks the exit code, and that both outputs together contain all texts.
    #[track_caller]
    pub(crate) fn says(self, code: i32, texts: &[&str]) -> Self {
        assert_has(&self.all(), texts);
        self.exits(code)
    }
}

#[track_caller]
pub(crate) fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in:\n{text}");
    }
}

/// Runs the binary to its end.
pub(crate) fn run(line: impl AsRef<str>) -> Ran {
    bridgemaster(line).output().unwrap().into()
}

/// Runs the binary to its end, which must be a success, and returns its standard output.
#[track_caller]
pub(crate) fn succeed(line: impl AsRef<str>) -> String {
    run(line).exits(0).out
}

/// Runs a command that must be refused as misuse, without output on standard output and with these
/// texts in the error.
#[track_caller]
pub(crate) fn refused(line: impl AsRef<str>, texts: &[&str]) {
    let line = line.as_ref();
    let ran = run(line);
    assert_eq!(ran.out, "", "{line}");
    ran.fails(2, texts);
}

/// Runs commands that must be refused as misuse, each with these texts in the error.
#[track_caller]
pub(crate) fn all_refused(cases: &[(&str, &[&str])]) {
    for (line, texts) in cases {
        refused(line, texts);
    }
}

/// Sends a signal to a process, and returns whether the process existed.
#[cfg(unix)]
pub(crate) fn signal(name: &str, process: u32) -> bool {
    let kill = Command::new("kill").args([name, &process.to_string()]).output();
    kill.unwrap().status.success()
}

/// Waits until `condition` returns a value.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(start.elapsed() < PATIENCE, "{what} did not happen");
        sleep(LOOK_AGAIN);
    }
}

/// Waits until a condition holds.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    wait_for(what, || holds().then_some(()));
}

/// A process of the binary that runs during a test, and is killed when dropped.
pub(crate) struct Background {
    process: Option<Child>,
    out: Option<Box<dyn BufRead + Send>>,
    err: Option<Box<dyn BufRead + Send>>,
}

impl Background {
    pub(crate) fn start(line: impl AsRef<str>) -> Self {
        Self::spawn(&mut bridgemaster(line))
    }

    pub(crate) fn spawn(command: &mut Command) -> Self {
        let process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Self { process: Some(process.unwrap()), out: None, err: None }
    }

    pub(crate) fn process(&mut self) -> &mut Child {
        self.process.as_mut().expect("the process was not awaited")
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.as_ref().map_or(0, Child::id)
    }

    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn signal(&self, name: &str) {
        assert!(signal(name, self.id()), "the process had ended before {name}");
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.process().try_wait().unwrap().is_some()
    }

    /// Waits for the end of the process. Lines that were read before are missing in its outputs.
    pub(crate) fn ended(mut self) -> Ran {
        let (out, err) = (self.out.take(), self.err.take());
        let process = self.process.take().expect("the process was not awaited");
        let mut ran = Ran::from(process.wait_with_output().unwrap());
        for (rest, text) in [(out, &mut ran.out), (err, &mut ran.err)] {
            rest.map(|mut rest| rest.read_to_string(text).unwrap());
        }
        ran
    }

    /// Kills the process, and waits for its end.
    pub(crate) fn kill(mut self) {
        self.process().kill().unwrap();
        self.process().wait().unwrap();
    }

    /// Returns the next line of standard output with this text.
    #[track_caller]
    pub(crate) fn line(&mut self, with: &str) -> String {
        if self.out.is_none() {
            let out = self.process().stdout.take().unwrap();
            self.out = Some(Box::new(BufReader::new(out)));
        }
        next_line(self.out.as_mut().unwrap(), with)
    }

    /// Stops reading the standard output of the process.
    pub(crate) fn close_output(&mut self) {
        self.out = None;
    }

    /// Returns the next line of standard error with this text.
    #[track_caller]
    pub(crate) fn error_line(&mut self, with: &str) -> String {
        if self.err.is_none() {
            let err = self.process().stderr.take().unwrap();
            self.err = Some(Box::new(BufReader::new(err)));
        }
        next_line(self.err.as_mut().unwrap(), with)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // The process may have ended by itself.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Reads lines until one contains this text.
#[track_caller]
pub(crate) fn next_line(lines: &mut impl BufRead, with: &str) -> String {
    loop {
        let mut line = String::new();
        let read = lines.read_line(&mut line).unwrap();
        assert!(read > 0, "the output ended without a line with {with:?}");
        if line.contains(with) {
            return line;
        }
    }
}
