//! A running bot process.

use std::{io, process::ExitStatus, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{process::Child, time::timeout};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    BotGroup, Isolation, limits::UsageTracker, private_folders::PrivateFolders,
    reports_out_of_memory, stderr::Tail,
};
#[cfg(target_os = "linux")]
use crate::{
    supervisor::Control,
    watch::{Watch, WatchEvent},
};

/// Time limit for reading the rest of a bot's standard error after its process has ended. Without
/// it, a surviving descendant could keep the pipe open forever.
const STDERR_TIMEOUT: Duration = Duration::from_millis(500);

/// A running bot. Dropping this value kills the bot's processes.
#[derive(Debug)]
pub struct BotProcess {
    /// The child process: the supervisor, or the bot if there is no supervisor.
    pub(crate) child: Child,
    #[cfg(target_os = "linux")]
    pub(crate) control: Option<Control>,
    pub(crate) isolation: Isolation,
    pub(crate) max_memory_bytes: Option<u64>,
    pub(crate) group: Option<Arc<BotGroup>>,
    #[cfg(target_os = "linux")]
    pub(crate) watch: Option<Watch>,
    pub(crate) tail: Arc<Mutex<Tail>>,
    pub(crate) reading: Option<AbortOnDropHandle<()>>,
    /// The private folders, which are removed after the processes have been killed.
    pub(crate) folders: Option<PrivateFolders>,
}

impl BotProcess {
    /// Waits until the bot's first process has ended. The bot's other processes end with its first
    /// process. Cancel safe; can be called again.
    ///
    /// # Errors
    /// Returns an error if the operating system cannot wait for the process, or some of the bot's
    /// processes cannot be killed.
    pub async fn ended(&mut self) -> io::Result<ExitStatus> {
        #[cfg(target_os = "linux")]
        while let Some(watch) = &mut self.watch
            && let WatchEvent::OverLimit = watch.until_ended().await
        {
            self.kill_all().await;
        }
        let status = self.child.wait().await?;
        #[cfg(target_os = "linux")]
        if let Some(control) = &mut self.control {
            let status_of_bot = control.exit_status().await;
            // The supervisor exits with an error if some of the bot's processes remain.
            return match status_of_bot {
                Some(_) if !status.success() => Err(io::ErrorKind::TimedOut.into()),
                status_of_bot => Ok(status_of_bot.unwrap_or_else(killed)),
            };
        }
        Ok(status)
    }

    /// Returns the resource usage so far. Usage is measured only while [`ended`](Self::ended) is
    /// awaited.
    pub fn usage(&self) -> UsageTracker {
        #[cfg(target_os = "linux")]
        if let Some(watch) = &self.watch {
            return watch.so_far();
        }
        UsageTracker::default()
    }

    /// Returns the isolation of the bot's processes.
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// Returns whether a process with this exit status and standard error ran out of memory: it was
    /// killed at its memory limit, or failed and reported an out-of-memory error.
    pub fn ran_out_of_memory(&self, status: ExitStatus, stderr: &str) -> bool {
        #[cfg(target_os = "linux")]
        if matches!(&self.watch, Some(watch) if watch.has_exceeded_limit) {
            return true;
        }
        let mut groups = self.group.iter();
        if groups.any(|group| group.has_oom_kill()) {
            return true;
        }
        self.max_memory_bytes.is_some() && !status.success() && reports_out_of_memory(stderr)
    }

    /// Returns the id of the child process (the supervisor, if there is one); `None` once
    /// [`ended`](Self::ended) has returned.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Kills all of the bot's processes and waits until they have ended.
    ///
    /// # Errors
    /// Returns an error if the operating system cannot wait for the process.
    pub async fn kill(&mut self) -> io::Result<()> {
        self.kill_all().await;
        self.child.wait().await?;
        Ok(())
    }

    /// Kills all of the bot's processes, without waiting.
    async fn kill_all(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(control) = &mut self.control {
            control.shut_down().await;
            return;
        }
        self.kill_group();
        // The call fails if the process has already ended.
        let _ = self.child.start_kill();
    }

    /// Kills the processes in the cgroup and in the process group. If the bot was already reaped,
    /// the process group is skipped, because another group might have reused its id.
    fn kill_group(&self) {
        if let Some(group) = &self.group {
            group.kill();
        }
        #[cfg(target_os = "linux")]
        if self.control.is_none()
            && let Some(id) = self.child.id().and_then(|id| i32::try_from(id).ok())
            && let Some(group) = rustix::process::Pid::from_raw(id)
        {
            // The call fails if the process group has already ended.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    /// Returns the last complete lines that an ended process wrote to standard error.
    pub async fn final_stderr(&mut self) -> String {
        if let Some(reading) = &mut self.reading {
            // Output that arrives after the timeout is omitted.
            let _ = timeout(STDERR_TIMEOUT, reading).await;
        }
        self.reading = None;
        self.stderr_so_far()
    }

    /// Returns the last complete lines that the process has written to standard error so far.
    pub fn stderr_so_far(&self) -> String {
        let tail = self.tail.lock();
        tail.whole_lines()
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        self.kill_group();
    }
}

/// Returns the exit status of a bot that was killed by its supervisor, or whose supervisor was
/// killed.
#[cfg(target_os = "linux")]
fn killed() -> ExitStatus {
    let signal = rustix::process::Signal::KILL.as_raw();
    std::os::unix::process::ExitStatusExt::from_raw(signal)
}
