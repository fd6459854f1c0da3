//! The server as a process.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};

use tempfile::TempPath;

use super::program::{Ran, bridgemaster, next_line};

/// A running server, killed when dropped.
pub(crate) struct Served {
    pub(crate) process: Child,
    pub(crate) url: String,
    out: BufReader<ChildStdout>,
    log: PathBuf,
    _temporary: Option<TempPath>,
}

impl Served {
    /// Starts a server with these flags on a free loopback port. It must start successfully.
    pub(crate) fn start(flags: impl AsRef<str>) -> Self {
        Self::start_at("127.0.0.1:0", flags)
    }

    /// Starts a server at an address, for example that of an earlier server. It must start
    /// successfully.
    pub(crate) fn start_at(address: &str, flags: impl AsRef<str>) -> Self {
        let line = format!("serve --listen {address} {}", flags.as_ref());
        Self::by(&mut bridgemaster(line))
    }

    /// Starts a server with a command. It must start successfully.
    pub(crate) fn by(command: &mut Command) -> Self {
        let log = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let mut served = Self::try_by(command, &log)
            .unwrap_or_else(|ran| panic!("the server did not start: {}", ran.all()));
        served._temporary = Some(log);
        served
    }

    /// Starts a server that logs to a file.
    ///
    /// # Errors
    /// Returns an error if the server does not start. The error is the outcome of the process.
    pub(crate) fn try_by(command: &mut Command, log: &Path) -> Result<Self, Ran> {
        Self::of(command.stderr(File::create(log).unwrap()), log)
    }

    /// Starts a server with a command that sets the destination of its log.
    ///
    /// # Errors
    /// Returns an error if the server does not start. The error is the outcome of the process.
    pub(crate) fn of(command: &mut Command, log: &Path) -> Result<Self, Ran> {
        Self::serving(command.stdout(Stdio::piped()).spawn().unwrap(), log)
    }

    /// Waits until a process, whose standard output is a pipe, serves.
    ///
    /// # Errors
    /// Returns an error if the server does not start. The error is the outcome of the process.
    pub(crate) fn serving(mut process: Child, log: &Path) -> Result<Self, Ran> {
        let mut out = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let url = line.split_whitespace().find(|word| word.starts_with("http"));
        let Some(url) = url.map(str::to_owned) else {
            let code = process.wait().unwrap().code();
            let err = fs::read_to_string(log).unwrap_or_default();
            return Err(Ran { code, out: line, err });
        };
        Ok(Self { process, url, out, log: log.to_owned(), _temporary: None })
    }

    /// Returns the error of a server whose start must be refused.
    #[track_caller]
    pub(crate) fn refused(flags: impl AsRef<str>) -> String {
        let line = format!("serve --listen 127.0.0.1:0 {}", flags.as_ref());
        let log = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        match Self::try_by(&mut bridgemaster(line), &log) {
            Ok(server) => panic!("the server started at {}", server.url),
            Err(ran) => ran.exits(1).err,
        }
    }

    /// Returns the address, for a server that replaces this one.
    pub(crate) fn address(&self) -> String {
        let (_, address) = self.url.split_once("://").unwrap();
        address.to_owned()
    }

    /// Returns the next line of standard output with this text.
    pub(crate) fn line(&mut self, with: &str) -> String {
        next_line(&mut self.out, with)
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }

    /// Kills the process with SIGKILL.
    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn signal(&self, name: &str) {
        assert!(super::program::signal(name, self.process.id()), "{name}");
    }

    /// Stops the server with a signal, and returns its log.
    #[cfg(unix)]
    pub(crate) fn stop(self) -> String {
        self.signal("-TERM");
        self.ended().exits(0).err
    }

    /// Waits until the server ends by itself.
    pub(crate) fn ended(mut self) -> Ran {
        let code = self.process.wait().unwrap().code();
        let (out, err) = (String::new(), self.log());
        Ran { code, out, err }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Fails if the process has already ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
        if std::thread::panicking() {
            let log = format!("log of the server at {}:\n{}", self.url, self.log());
            #[allow(clippy::print_stderr, reason = "the log may explain why the test fails")]
            {
                eprintln!("{log}");
            }
        }
    }
}
