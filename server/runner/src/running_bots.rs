//! Bots that run: processes, tasks of built-in bots, and processes that are reused for several
//! matches in sequence (`--reuse`).
//!
//! Each reused process attends its own queue on the contest's own server, with a key that is valid
//! only for this queue, and plays one match at a time. A bot with several concurrent seats has one
//! process per seat, so the death of a process affects exactly one match.

use std::{process::ExitStatus, time::Duration};

use bridgemaster_bot_process::{BotProcess, Isolation, Usage, UsageTracker};
use bridgemaster_contest::schedule::BotNumber;
use bridgemaster_sdk::ApiKey;
use parking_lot::Mutex;
use tokio::{
    runtime::Handle,
    sync::watch,
    time::{Instant, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use crate::BotEnd;

/// A bot that runs, and the task that waits for its end. Dropping this value kills the bot.
pub(crate) struct RunningBot {
    /// The isolation of the bot's processes; `None` for a built-in bot.
    pub(crate) isolation: Option<Isolation>,
    ended: watch::Receiver<Option<ProcessEnd>>,
    kill: CancellationToken,
    used: UsageTracker,
    /// The CPU time that earlier calls of [`Self::take_used`] returned.
    counted: Duration,
    _waiting: AbortOnDropHandle<()>,
}

/// The way in which a bot ended.
#[derive(Clone, Debug)]
pub(crate) struct ProcessEnd {
    pub(crate) end: BotEnd,
    /// The last lines of the process's standard error, or the error of a built-in bot.
    pub(crate) tail: String,
}

impl RunningBot {
    /// Waits for a process to end.
    pub(crate) fn of_process(process: BotProcess) -> Self {
        let kill = CancellationToken::new();
        let (isolation, used) = (process.isolation(), process.usage());
        let end = end_of_process(process, kill.clone());
        Self::new(Some(isolation), used, kill, &Handle::current(), end)
    }

    /// Runs the task of a built-in bot, which returns the bot's error, if any.
    pub(crate) fn built_in(
        used: UsageTracker,
        runtime: &Handle,
        play: impl Future<Output = Result<(), String>> + Send + 'static,
    ) -> Self {
        let kill = CancellationToken::new();
        let killed = kill.clone();
        let end = async move {
            match killed.run_until_cancelled(play).await {
                None => ProcessEnd { end: BotEnd::Stopped, tail: String::new() },
                Some(Ok(())) => ProcessEnd { end: BotEnd::Done, tail: String::new() },
                Some(Err(error)) => ProcessEnd { end: BotEnd::Failed, tail: error },
            }
        };
        Self::new(None, used, kill, runtime, end)
    }

    fn new(
        isolation: Option<Isolation>,
        used: UsageTracker,
        kill: CancellationToken,
        runtime: &Handle,
        end: impl Future<Output = ProcessEnd> + Send + 'static,
    ) -> Self {
        let (sender, ended) = watch::channel(None);
        let waiting = AbortOnDropHandle::new(runtime.spawn(async move {
            sender.send_replace(Some(end.await));
        }));
        Self { isolation, ended, kill, used, counted: Duration::ZERO, _waiting: waiting }
    }

    /// Returns how the bot ended; `None` while it is running.
    pub(crate) fn end(&self) -> Option<ProcessEnd> {
        self.ended.borrow().clone()
    }

    /// Waits for the bot to end.
    pub(crate) fn ended(&self) -> impl Future<Output = ProcessEnd> + Send + use<> {
        let mut ended = self.ended.clone();
        async move {
            let end = ended.wait_for(Option::is_some).await;
            let end = end.ok().and_then(|end| end.clone());
            end.unwrap_or(ProcessEnd { end: BotEnd::Unknown, tail: String::new() })
        }
    }

    /// Kills the bot, without waiting.
    pub(crate) fn kill(&self) {
        self.kill.cancel();
    }

    /// Returns the peak memory so far, and the CPU time since the previous call.
    pub(crate) fn take_used(&mut self) -> Usage {
        let used = self.used.get();
        let since = used.cpu_time.map(|time| time.saturating_sub(self.counted));
        self.counted = used.cpu_time.unwrap_or(self.counted);
        Usage { cpu_time: since, ..used }
    }
}

/// Waits for a process to end. Cancelling `kill` terminates it. When this returns, its child
/// processes have ended too.
async fn end_of_process(mut process: BotProcess, kill: CancellationToken) -> ProcessEnd {
    let Some(ended) = kill.run_until_cancelled(process.ended()).await else {
        // If the process cannot be killed, waiting for its end fails, and that error is reported.
        let _ = process.kill().await;
        return ProcessEnd { end: BotEnd::Stopped, tail: process.final_stderr().await };
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

/// Time limit for bots to exit by themselves after the last match.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// A bot's process, and the queue that it attends.
pub(crate) struct ReusedBot {
    pub(crate) bot: BotNumber,
    /// The core to which the process is pinned, if any.
    pub(crate) core: Option<usize>,
    pub(crate) queue_id: String,
    pub(crate) key: ApiKey,
    /// Name of the file with the process's standard error.
    pub(crate) stderr: String,
    pub(crate) process: RunningBot,
    /// The number of changes to bot files that were detected before the process was started. If
    /// further changes are detected, the process is out of date.
    pub(crate) changes: usize,
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
        let _ = timeout_at(until, bot.process.ended()).await;
        bot.process.kill();
    }
    for bot in bots {
        bot.process.ended().await;
    }
}
