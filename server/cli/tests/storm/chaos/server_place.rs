//! The server over a folder: started, killed, started again in its place.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use tokio::time::sleep;

use crate::kit::{program::bridgemaster, served::Served};

/// Number of characters of a log to show.
const SHOWN: usize = 4_000;

/// A server and all those that were in its place before.
pub(crate) struct ServerPlace {
    folder: PathBuf,
    /// Listen address; port 0 until the first server has chosen one.
    address: String,
    running: Option<Served>,
    /// Number of starts.
    pub(crate) starts: usize,
}

impl ServerPlace {
    /// Nothing runs yet.
    pub(crate) fn over(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            address: "127.0.0.1:0".to_owned(),
            running: None,
            starts: 0,
        }
    }

    /// The folder of the replays.
    pub(crate) fn replays(&self) -> PathBuf {
        self.folder.join("replays")
    }

    /// Starts a server, which must come up, and returns its address.
    pub(crate) fn start(&mut self) -> Result<String, String> {
        let mut command = self.command();
        let served = Served::try_by(&mut command, &self.log(self.starts));
        let served = served
            .map_err(|ran| format!("server {} did not come up: {}", self.starts, ran.all()))?;
        self.address = served.address();
        self.running = Some(served);
        Ok(self.address.clone())
    }

    /// Starts a server and kills it so long after, wherever it is by then.
    pub(crate) async fn start_and_kill(&mut self, after: Duration) -> Result<(), String> {
        let mut command = self.command();
        let log = File::create(self.log(self.starts)).map_err(|error| error.to_string())?;
        let process = command.stdout(Stdio::null()).stderr(log).spawn();
        let mut process = process.map_err(|error| error.to_string())?;
        // A moment as good as any other, which no condition tells.
        sleep(after).await;
        let ended = process.try_wait().map_err(|error| error.to_string())?;
        let _ = (process.kill(), process.wait());
        ended.map_or(Ok(()), |_| Err(self.ended_by_itself()))
    }

    /// SIGKILL: nothing of the process runs any more.
    ///
    /// # Errors
    /// When it had ended by itself.
    pub(crate) fn kill(&mut self) -> Result<(), String> {
        self.must_run()?.kill();
        Ok(())
    }

    /// Stops the server, which must end well.
    pub(crate) fn stop(&mut self) -> Result<(), String> {
        self.must_run()?.stop();
        Ok(())
    }

    fn must_run(&mut self) -> Result<Served, String> {
        let mut running = self.running.take();
        let runs = running.as_mut().is_some_and(Served::is_running);
        let running = running.filter(|_| runs);
        running.ok_or_else(|| self.ended_by_itself())
    }

    fn ended_by_itself(&self) -> String {
        let (number, log) = (self.starts, self.last_words());
        format!("server {number} ended by itself: {log}")
    }

    /// Panics in the logs.
    pub(crate) fn panics(&self) -> Vec<String> {
        let all = (1..=self.starts).filter_map(|number| {
            let log = fs::read_to_string(self.log(number)).unwrap_or_default();
            let panicked = log.contains("panicked");
            panicked.then(|| format!("server {number}:\n{}", end_of(&log)))
        });
        all.collect()
    }

    /// The end of the log of the last server.
    pub(crate) fn last_words(&self) -> String {
        end_of(&fs::read_to_string(self.log(self.starts)).unwrap_or_default())
    }

    fn log(&self, number: usize) -> PathBuf {
        self.folder.join(format!("server-{number:03}.log"))
    }

    fn command(&mut self) -> Command {
        self.starts += 1;
        // Every other one with the quicker commits, which survive a SIGKILL just as well.
        let durability = ["process", "disk"][self.starts % 2];
        let (data, replays) = (self.folder.join("data"), self.replays());
        bridgemaster(format!(
            "serve --listen {} --durability {durability} --data {} --replays {}",
            self.address,
            data.display(),
            replays.display()
        ))
    }
}

fn end_of(text: &str) -> String {
    let cut = text.char_indices().rev().nth(SHOWN).map_or(0, |(at, _)| at);
    text[cut..].to_owned()
}
