//! The server over a folder, and what it says.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

/// A data folder and a folder of replays.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    pub(crate) data: PathBuf,
    pub(crate) replays: PathBuf,
    /// Last log lines of the server.
    log: PathBuf,
}

/// A running server, killed when dropped.
pub(crate) struct Served {
    process: Child,
    pub(crate) url: String,
}

impl Folders {
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self {
            data: folder.join("data"),
            replays: folder.join("replays"),
            log: folder.join("log"),
        }
    }

    /// Starts a server.
    ///
    /// # Errors
    /// Error of a server that exits instead.
    pub(crate) fn serve(&self) -> Result<Served, String> {
        let mut process = Command::new(env!("CARGO_BIN_EXE_bridgemaster"))
            .args(["serve", "--listen", "127.0.0.1:0", "--require-keys"])
            .args(["--durability", "process", "--drain-time", "0"])
            .args(["--data".as_ref(), self.data.as_os_str()])
            .args(["--replays".as_ref(), self.replays.as_os_str()])
            .env_remove("RUST_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&self.log).unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let mut words = line.split_whitespace();
        let url = words.find(|word| word.starts_with("http://"));
        match url.map(str::to_owned) {
            Some(url) => Ok(Served { process, url }),
            None => {
                let code = process.wait().unwrap().code();
                Err(format!("exit code {code:?}: {}", self.said()))
            }
        }
    }

    /// Returns whether `data check` finds no damage, and its output.
    pub(crate) fn check(&self) -> (bool, String) {
        let (data, replays) = (self.data.as_os_str(), self.replays.as_os_str());
        let words = ["data", "check", "--replays"].map(OsStr::new);
        let checked = bridgemaster(words.into_iter().chain([replays, data]));
        let said = [checked.stdout, checked.stderr].concat();
        (checked.status.success(), String::from_utf8(said).unwrap())
    }

    /// Log of the last server.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Served {
    /// Asks it to stop, and waits until it has.
    pub(crate) fn stop(mut self) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status();
        assert!(sent.unwrap().success());
        assert!(self.process.wait().unwrap().success());
    }
}

impl Drop for Served {
    /// SIGKILL: nothing of the process runs any more.
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs a command of the program to its end.
pub(crate) fn bridgemaster<'a>(arguments: impl IntoIterator<Item = &'a OsStr>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bridgemaster"))
        .args(arguments)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}
