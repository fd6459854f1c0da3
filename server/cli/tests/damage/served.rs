//! The server over a folder, and what it says.

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Stdio,
};

pub(crate) use crate::kit::{Served, bridgemaster};

/// A data folder and a folder of replays.
#[derive(Clone, Debug)]
pub(crate) struct Folders {
    pub(crate) data: PathBuf,
    pub(crate) replays: PathBuf,
    /// Last log lines of the server.
    log: PathBuf,
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
        let process = bridgemaster(["serve", "--listen", "127.0.0.1:0", "--require-keys"])
            .args(["--durability", "process", "--drain-time", "0"])
            .args(["--data".as_ref(), self.data.as_os_str()])
            .args(["--replays".as_ref(), self.replays.as_os_str()])
            .stdout(Stdio::piped())
            .stderr(File::create(&self.log).unwrap())
            .spawn()
            .unwrap();
        Served::try_of(process).map_err(|(mut process, _)| {
            let code = process.wait().unwrap().code();
            format!("exit code {code:?}: {}", self.said())
        })
    }

    /// Returns whether `data check` finds no damage, and its output.
    pub(crate) fn check(&self) -> (bool, String) {
        let (data, replays) = (self.data.as_os_str(), self.replays.as_os_str());
        let words = ["data", "check", "--replays"].map(OsStr::new);
        let mut check = bridgemaster(words.into_iter().chain([replays, data]));
        let checked = check.output().unwrap();
        let said = [checked.stdout, checked.stderr].concat();
        (checked.status.success(), String::from_utf8(said).unwrap())
    }

    /// Log of the last server.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}
