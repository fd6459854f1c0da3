//! The server as a process of its own, with TLS, keys, limits, metrics, and folders for its data and
//! its replays.

use std::{
    env,
    fs::{self, File},
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use bridgemaster_server::identity::KEY_METADATA;
use tempfile::TempDir;
use tonic::{Request, metadata::errors::InvalidMetadataValue};

use crate::{certificates::Authority, target::Target};

/// Which program is attacked, where it is not the one that was built with this test.
const PROGRAM: &str = "BRIDGEMASTER_ATTACKED";

/// A running server, killed when dropped.
pub(crate) struct ServerProcess {
    process: Child,
    pub(crate) target: Target,
    folder: TempDir,
    _authority: Authority,
}

/// A key that the server knows.
#[derive(Clone)]
pub(crate) struct Key(pub(crate) String);

impl Key {
    /// A call that shows it.
    pub(crate) fn showing<T>(&self, message: T) -> Result<Request<T>, InvalidMetadataValue> {
        let mut call = Request::new(message);
        call.metadata_mut().insert(KEY_METADATA, self.0.parse()?);
        Ok(call)
    }
}

fn program() -> Command {
    let program = env::var_os(PROGRAM).unwrap_or(env!("CARGO_BIN_EXE_bridgemaster").into());
    let mut command = Command::new(program);
    command.env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

impl ServerProcess {
    /// Starts a server with these lines of `[limits]`, and makes keys of these names that may do
    /// everything.
    pub(crate) fn start(limits: &str, keys: &[&str]) -> (Self, Vec<Key>) {
        let folder = TempDir::with_prefix("bridgemaster-attack-").unwrap();
        let data = folder.path().join("data");
        let keys = keys.iter().map(|name| add_key(&data, name)).collect();
        let config = folder.path().join("server.toml");
        fs::write(&config, format!("[limits]\n{limits}")).unwrap();
        let log = File::create(folder.path().join("log")).unwrap();
        let authority = Authority::new();
        let own = authority.certify("server");
        let mut process = program()
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--durability",
                "process",
            ])
            .args(["--require-keys", "--metrics", "127.0.0.1:0"])
            .arg("--tls-cert")
            .arg(&own.cert)
            .arg("--tls-key")
            .arg(&own.key)
            .arg("--config")
            .arg(&config)
            .arg("--data")
            .arg(&data)
            .arg("--replays")
            .arg(folder.path().join("replays"))
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut address_after = |scheme: &str| {
            let line = said.next()?.ok()?;
            let (_, rest) = line.split_once(scheme)?;
            rest.split(['/', ' ']).next()?.parse().ok()
        };
        let addresses = (address_after("https://"), address_after("http://"));
        let (Some(server), Some(metrics)) = addresses else {
            let log = fs::read_to_string(folder.path().join("log")).unwrap();
            panic!("the server does not come up: {log}");
        };
        let this = Self {
            process,
            target: Target::new(server, metrics, &authority.ca()),
            folder,
            _authority: authority,
        };
        (this, keys)
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Returns the path of the replay of a match.
    pub(crate) fn replay_file(&self, match_id: &str) -> PathBuf {
        let replays = self.folder.path().join("replays");
        replays.join(format!("{match_id}.replay.binpb"))
    }

    /// Most memory that it has taken so far, in bytes.
    pub(crate) fn most_memory(&self) -> u64 {
        self.status("VmHWM:")
    }

    /// Memory that it takes now, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.status("VmRSS:")
    }

    fn status(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(name));
        let line = line.expect("a process that has ended takes no memory");
        let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kib * 1024
    }

    /// Returns whether the process is still running.
    pub(crate) fn runs(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }

    /// Returns the log.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn add_key(data: &Path, name: &str) -> Key {
    let mut command = program();
    command.args(["key", "add", name]);
    for scope in ["play", "create", "read"] {
        command.args(["--scope", scope]);
    }
    let output = command.arg("--data").arg(data).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{:?}", output.stderr);
    Key(said.trim().to_owned())
}
