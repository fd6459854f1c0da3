//! The server with TLS, keys, limits, metrics, and folders for its data and replays.

use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use tempfile::TempDir;

use super::target::Target;
use crate::{
    certificates::Authority,
    kit::{
        program::{PROGRAM, Ran, clean},
        served::Served,
    },
};

/// Variable with the program to attack, if it is not the program that was built with this test.
const PROGRAM_VARIABLE: &str = "BRIDGEMASTER_ATTACKED";

/// A running server, and two keys with all scopes.
pub(crate) struct ServerProcess {
    pub(crate) served: Served,
    pub(crate) target: Target,
    pub(crate) attacker_key: String,
    pub(crate) fair_key: String,
    folder: TempDir,
    _authority: Authority,
}

fn program(line: &str) -> Command {
    let program = env::var_os(PROGRAM_VARIABLE).unwrap_or(PROGRAM.into());
    let mut command = Command::new(program);
    clean(&mut command).args(shell_words::split(line).unwrap());
    command
}

impl ServerProcess {
    /// Starts a server with these lines of `[limits]`.
    pub(crate) fn start(limits: &str) -> Self {
        let folder = TempDir::with_prefix("bridgemaster-attack-").unwrap();
        let at = folder.path().display();
        let key = |name: &str| {
            let scopes = "--scope play --scope create --scope read";
            let added = program(&format!("key add {name} {scopes} --data {at}/data")).output();
            Ran::from(added.unwrap()).exits(0).out.trim().to_owned()
        };
        let (attacker_key, fair_key) = (key("attacker"), key("fair"));
        fs::write(folder.path().join("server.toml"), format!("[limits]\n{limits}")).unwrap();
        let authority = Authority::new();
        let own = authority.certify("server");
        let tls = format!("--tls-cert {} --tls-key {}", own.cert.display(), own.key.display());
        let flags = "--listen 127.0.0.1:0 --durability process --require-keys --no-page";
        let files = format!("--config {at}/server.toml --data {at}/data --replays {at}/replays");
        let line = format!("serve {flags} --metrics 127.0.0.1:0 {tls} {files}");
        let log = folder.path().join("log");
        let served = Served::try_by(program(&line).stdin(Stdio::null()), &log);
        let mut served = served.unwrap_or_else(|ran| panic!("{}", ran.all()));
        let metrics = served.line("http://");
        let (_, metrics) = metrics.split_once("http://").unwrap();
        let metrics = metrics.split(['/', ' ']).next().unwrap().parse().unwrap();
        let server = served.address().parse().unwrap();
        Self {
            target: Target::new(server, metrics, &authority.ca()),
            served,
            attacker_key,
            fair_key,
            folder,
            _authority: authority,
        }
    }

    /// Returns the path of the replay of a match.
    pub(crate) fn replay_file(&self, match_id: &str) -> PathBuf {
        let replays = self.folder.path().join("replays");
        replays.join(format!("{match_id}.replay.binpb"))
    }

    /// Returns the peak memory use of the server so far, in bytes.
    pub(crate) fn most_memory(&self) -> u64 {
        self.status("VmHWM:")
    }

    /// Returns the memory that the server uses now, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.status("VmRSS:")
    }

    fn status(&self, name: &str) -> u64 {
        let file = format!("/proc/{}/status", self.served.process.id());
        let status = fs::read_to_string(file).unwrap();
        let line = status.lines().find(|line| line.starts_with(name));
        let line = line.expect("the process has ended, so its memory use is unknown");
        let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kib * 1024
    }
}
