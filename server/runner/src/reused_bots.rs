//! Reuses bot processes for several matches in sequence (`--reuse`).
//!
//! Each process attends its own queue on the contest's own server, with a key that is valid only
//! for this queue, and plays one match at a time. A bot with several concurrent seats has one
//! process per seat, so the death of a process affects exactly one match.

use std::time::Duration;

use bridgemaster_contest::schedule::BotNumber;
use bridgemaster_sdk::ApiKey;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

use crate::running_bot::RunningBot;

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
