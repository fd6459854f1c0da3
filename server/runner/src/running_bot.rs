//! A bot that runs: its process, or the task of a built-in bot.

use std::{process::ExitStatus, time::Duration};

use bridgemaster_bot_process::{BotProcess, Isolation, Usage, UsageTracker};
use tokio::{runtime::Handle, sync::watch};
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
