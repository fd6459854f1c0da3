//! Reuses bot processes for several matches in sequence (`--reuse`).
//!
//! Each process attends its own queue on the contest's own server, with a key that is valid only
//! for this queue, and plays one match at a time. A bot with several concurrent seats has one
//! process per seat, so the death of a process affects exactly one match.

use std::{future::Future, process::ExitStatus, time::Duration};

use bridgemaster_bot_process::{BotProcess, Isolation, UsageTracker};
use bridgemaster_contest::schedule::BotNumber;
use bridgemaster_sdk::ApiKey;
use parking_lot::Mutex;
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use crate::BotEnd;

/// Time limit for bots to exit by themselves after the last match.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// A process, and the task that waits for it to end. Dropping this value kills the process.
pub(crate) struct WatchedProcess {
    /// The process's isolation.
    pub(crate) isolation: Isolation,
    ended: watch::Receiver<Option<ProcessEnd>>,
    kill: CancellationToken,
    used: UsageTracker,
    /// The CPU time that earlier calls of [`ReusedBot::take_used`] returned.
    counted: Duration,
    _waiting: AbortOnDropHandle<()>,
}

impl WatchedProcess {
    pub(crate) fn new(process: BotProcess) -> Self {
        let (sender, ended) = watch::channel(None);
        let kill = CancellationToken::new();
        let (isolation, used) = (process.isolation(), process.usage());
        let end = end_of_process(process, kill.clone());
        let waiting = tokio::spawn(async move {
            sender.send_replace(Some(end.await));
        });
        Self {
            isolation,
            ended,
            kill,
            used,
            counted: Duration::ZERO,
            _waiting: AbortOnDropHandle::new(waiting),
        }
    }
}

/// A bot's process, and the queue that it attends.
pub(crate) struct ReusedBot {
    pub(crate) bot: BotNumber,
    /// The core to which the process is pinned, if any.
    pub(crate) core: Option<usize>,
    pub(crate) queue_id: String,
    pub(crate) key: ApiKey,
    /// Name of the file with the process's standard error.
    pub(crate) stderr: String,
    pub(crate) process: WatchedProcess,
    /// The number of changes to bot files that were detected before the process was started. If
    /// further changes are detected, the process is out of date.
    pub(crate) changes: usize,
}

impl ReusedBot {
    /// Returns how the process ended; `None` while it is running.
    pub(crate) fn end(&self) -> Option<ProcessEnd> {
        self.process.ended.borrow().clone()
    }

    /// Waits for the process to end.
    pub(crate) fn ended(&self) -> impl Future<Output = ProcessEnd> + Send + use<> {
        let mut ended = self.process.ended.clone();
        async move {
            let end = ended.wait_for(Option::is_some).await;
            let end = end.ok().and_then(|end| end.clone());
            end.unwrap_or(ProcessEnd { end: BotEnd::Unknown, tail: String::new() })
        }
    }

    /// Returns the process's peak memory so far, and its CPU time since the previous call.
    pub(crate) fn take_used(&mut self) -> UsageTracker {
        let (used, taken) = (self.process.used.get(), UsageTracker::default());
        if let Some(time) = used.cpu_time {
            let since = time.saturating_sub(self.process.counted);
            taken.record(used.peak_memory_bytes.unwrap_or(0), since);
            self.process.counted = time;
        }
        taken
    }
}

/// A pool of idle bot processes.
#[derive(Default)]
pub(crate) struct ReusedBots {
    idle: Mutex<Vec<ReusedBot>>,
    /// The number of processes that have been started.
    started: Mutex<u64>,
}

impl ReusedBots {
    /// Returns the next process's number, from 1.
    pub(crate) fn next_number(&self) -> u64 {
        let mut started = self.started.lock();
        *started += 1;
        *started
    }

    /// Removes an idle process of this bot on this core from the pool, and returns it. The process
    /// might have exited in the meantime.
    pub(crate) fn acquire(&self, bot: BotNumber, core: Option<usize>) -> Option<ReusedBot> {
        let mut idle = self.idle.lock();
        let found = idle.iter().position(|one| one.bot == bot && one.core == core)?;
        Some(idle.swap_remove(found))
    }

    /// Returns a process to the pool after its match.
    pub(crate) fn release(&self, bot: ReusedBot) {
        self.idle.lock().push(bot);
    }

    /// Removes all idle processes from the pool, and returns them.
    pub(crate) fn drain(&self) -> Vec<ReusedBot> {
        std::mem::take(&mut *self.idle.lock())
    }
}

/// Waits at most `timeout` for these processes to exit, then kills those still running. All
/// processes have ended when this function returns.
pub(crate) async fn shut_down(bots: &[ReusedBot], timeout: Duration) {
    let until = Instant::now() + timeout;
    for bot in bots {
        // If the wait timed out, dropping the process kills it.
        let _ = timeout_at(until, bot.ended()).await;
        bot.process.kill.cancel();
    }
    for bot in bots {
        bot.ended().await;
    }
}

/// The way in which a bot process ended.
#[derive(Clone, Debug)]
pub(crate) struct ProcessEnd {
    pub(crate) end: BotEnd,
    /// The last lines of the process's standard error.
    pub(crate) tail: String,
}

/// Waits for a process to end. Cancelling `kill` terminates it. When this returns, its child
/// processes have ended too.
pub(crate) async fn end_of_process(mut process: BotProcess, kill: CancellationToken) -> ProcessEnd {
    let ended = kill.run_until_cancelled(process.ended()).await;
    let Some(ended) = ended else {
        // If the process cannot be killed, waiting for its end fails, and that error is reported.
        let _ = process.kill().await;
        let tail = process.final_stderr().await;
        let end = BotEnd::Stopped;
        return ProcessEnd { end, tail };
    };
    let tail = process.final_stderr().await;
    let end = match ended {
        Ok(status) if process.ran_out_of_memory(status, &tail) => BotEnd::OutOfMemory,
        Ok(status) => end_of(status),
        Err(_) => BotEnd::Unknown,
    };
    ProcessEnd { end, tail }
}

fn end_of(status: ExitStatus) -> BotEnd {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return BotEnd::Signalled { signal };
    }
    match status.code() {
        Some(0) => BotEnd::Done,
        Some(code) => BotEnd::Exited { code },
        None => BotEnd::Unknown,
    }
}
