//! The server over a folder: started, killed, started again in its place.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use tokio::{
    task::spawn_blocking,
    time::{sleep, timeout},
};

use crate::kit::{
    program::{PATIENCE, bridgemaster, signal},
    served::Served,
};

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
    pub(crate) async fn start(&mut self) -> Result<String, String> {
        let process = self.spawn(Stdio::piped())?;
        let log = self.log(self.starts);
        let served = wait_for(process.id(), move || Served::serving(process, &log)).await?;
        let served = served
            .map_err(|ran| format!("server {} did not come up: {}", self.starts, ran.all()))?;
        self.address = served.address();
        self.running = Some(served);
        Ok(self.address.clone())
    }

    /// Starts a server and kills it so long after, wherever it is by then.
    pub(crate) async fn start_and_kill(&mut self, after: Duration) -> Result<(), String> {
        let mut process = self.spawn(Stdio::null())?;
        // The kill must come at an arbitrary moment, so there is no condition to wait for.
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
    pub(crate) async fn stop(&mut self) -> Result<(), String> {
        let served = self.must_run()?;
        let id = served.process.id();
        signal("-TERM", id);
        match wait_for(id, move || served.ended()).await?.code {
            Some(0) => Ok(()),
            code => Err(format!("server {} ended with {code:?}", self.starts)),
        }
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

    /// Starts the process of the next server.
    fn spawn(&mut self, out: Stdio) -> Result<Child, String> {
        let mut command = self.command();
        let log = File::create(self.log(self.starts)).map_err(|error| error.to_string())?;
        let process = command.stdout(out).stderr(log).spawn();
        process.map_err(|error| error.to_string())
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

/// Kills a process when dropped, so that the wait for it ends.
struct KillOnDrop(Option<u32>);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        if let Some(id) = self.0 {
            signal("-KILL", id);
        }
    }
}

/// Waits for a process on a thread of its own. The process is killed when the wait takes too long
/// or is dropped.
async fn wait_for<T: Send + 'static>(
    id: u32,
    wait: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let mut kill = KillOnDrop(Some(id));
    let waited = timeout(PATIENCE, spawn_blocking(wait)).await;
    let waited = waited.map_err(|_| format!("a server hangs for {PATIENCE:?}"))?;
    kill.0 = None;
    waited.map_err(|error| error.to_string())
}

fn end_of(text: &str) -> String {
    let cut = text.char_indices().rev().nth(SHOWN).map_or(0, |(at, _)| at);
    text[cut..].to_owned()
}
