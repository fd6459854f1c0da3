//! The server as a process over a data folder: started, killed, started again in its place.

use std::{
    fs::{self, File},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    time::{sleep, timeout},
};

/// Longest time until a server listens; it goes through all matches in play before.
const START_TIME: Duration = Duration::from_secs(60);
/// Number of characters of a log to show.
const SHOWN: usize = 4_000;

/// A server and all those that were in its place before.
pub(crate) struct ServerProcess {
    data: PathBuf,
    logs: PathBuf,
    /// Listen address; port 0 until the first server has chosen one.
    address: SocketAddr,
    process: Option<Child>,
    /// Number of starts.
    pub(crate) starts: u32,
}

impl ServerProcess {
    /// Nothing runs yet.
    pub(crate) fn over(folder: &Path) -> Self {
        Self {
            data: folder.join("data"),
            logs: folder.to_owned(),
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            process: None,
            starts: 0,
        }
    }

    /// Starts a server, which must come up: where it listens.
    pub(crate) async fn start(&mut self) -> Result<SocketAddr, String> {
        let mut process = self.spawn()?;
        let stdout = process.stdout.take().ok_or("no standard output")?;
        let mut line = String::new();
        let mut reader = BufReader::new(stdout);
        let read = timeout(START_TIME, reader.read_line(&mut line)).await;
        self.process = Some(process);
        let address = line.split_once("http://").and_then(|(_, rest)| {
            let address = rest.split_whitespace().next()?;
            address.parse().ok()
        });
        match (read, address) {
            (Ok(Ok(_)), Some(address)) => {
                self.address = address;
                Ok(address)
            }
            _ => Err(format!(
                "server {} did not come up: {line}{}",
                self.starts,
                self.last_words()
            )),
        }
    }

    /// Starts a server and kills it so long after, wherever it is by then.
    pub(crate) async fn start_and_kill(&mut self, after: Duration) -> Result<(), String> {
        let process = self.spawn()?;
        self.process = Some(process);
        // A moment as good as any other, which no condition tells.
        sleep(after).await;
        self.kill().await
    }

    /// SIGKILL: nothing of the process runs any more.
    ///
    /// # Errors
    /// When it had ended by itself.
    pub(crate) async fn kill(&mut self) -> Result<(), String> {
        self.must_run()?;
        if let Some(mut process) = self.process.take() {
            process.kill().await.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Checks that the server has not ended by itself.
    pub(crate) fn must_run(&mut self) -> Result<(), String> {
        let ended = self.process.as_mut().map(Child::try_wait);
        match ended {
            Some(Ok(None)) => Ok(()),
            other => Err(format!(
                "server {} ended by itself: {other:?}\n{}",
                self.starts,
                self.last_words()
            )),
        }
    }

    /// Log lines that no server may write.
    pub(crate) fn panics(&self) -> Vec<String> {
        let all = 1..=self.starts;
        all.filter_map(|number| {
            let said = fs::read_to_string(self.log(number)).unwrap_or_default();
            said.contains("panicked")
                .then(|| format!("server {number} panicked:\n{}", end_of(&said)))
        })
        .collect()
    }

    /// The end of the log of the last server.
    pub(crate) fn last_words(&self) -> String {
        end_of(&fs::read_to_string(self.log(self.starts)).unwrap_or_default())
    }

    fn log(&self, number: u32) -> PathBuf {
        self.logs.join(format!("server-{number:03}.log"))
    }

    fn spawn(&mut self) -> Result<Child, String> {
        self.starts += 1;
        let log = File::create(self.log(self.starts)).map_err(|error| error.to_string())?;
        // Every other one with the quicker commits, which survive a SIGKILL just as well.
        let durability = ["process", "disk"][self.starts as usize % 2];
        Command::new(env!("CARGO_BIN_EXE_bridgemaster"))
            .args(["serve", "--listen", &self.address.to_string()])
            .args(["--durability", durability])
            .arg("--data")
            .arg(&self.data)
            .env_remove("RUST_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| error.to_string())
    }
}

fn end_of(text: &str) -> String {
    let cut = text.char_indices().rev().nth(SHOWN).map_or(0, |(at, _)| at);
    text[cut..].to_owned()
}
