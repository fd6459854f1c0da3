//! A match's bots: their processes, or the tasks of built-in bots.

use bridgemaster_bot_process::{Isolation, Usage};
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::time::{Instant, timeout_at};

use crate::{
    BotEnd,
    running_bots::{ProcessEnd, ReusedBot, RunningBot, SHUTDOWN_TIMEOUT},
};

/// A match's bots. Dropping this value kills bots that are still running.
#[derive(Default)]
pub(crate) struct MatchBots {
    /// The status of each seat's bot, in seat order.
    pub(crate) status: Vec<BotStatus>,
}

/// A bot that the contest has started for a seat.
pub(crate) enum SeatedBot {
    /// A bot that plays only this match.
    Started(RunningBot),
    /// A process that plays several matches.
    Reused(ReusedBot),
}

impl SeatedBot {
    fn running(&mut self) -> &mut RunningBot {
        match self {
            Self::Started(running) => running,
            Self::Reused(bot) => &mut bot.process,
        }
    }
}

/// The status of a seat's bot.
#[derive(Default)]
pub(crate) struct BotStatus {
    /// The way in which the bot's process ended; `None` while it is running.
    pub(crate) end: Option<BotEnd>,
    pub(crate) tail: String,
    /// Name of the file with the bot's standard error.
    pub(crate) stderr: String,
    /// The number of the bot's restarts within the match.
    pub(crate) restarts: u32,
    /// True if the seat needs no further action: its process has ended and is not restarted, and
    /// the server does not wait for the bot.
    pub(crate) is_expired: bool,
    /// The isolation of the bot's processes; `None` without a process.
    pub(crate) isolation: Option<Isolation>,
    /// The resource usage of the seat's earlier processes.
    used: Usage,
    /// The running bot; `None` for a bot that attends by itself.
    bot: Option<SeatedBot>,
}

impl BotStatus {
    /// Returns the total resource usage of the bot's processes.
    pub(crate) fn used(&mut self) -> Usage {
        if let Some(bot) = &mut self.bot {
            let since = bot.running().take_used();
            self.used = Usage {
                peak_memory_bytes: self.used.peak_memory_bytes.max(since.peak_memory_bytes),
                cpu_time: match (self.used.cpu_time, since.cpu_time) {
                    (Some(before), Some(since)) => Some(before + since),
                    (before, since) => before.or(since),
                },
            };
        }
        self.used
    }

    /// Returns whether the process of the bot failed or was killed, so that a restart might help.
    /// After exit code 0 or a lack of memory, a restarted process would end in the same way.
    pub(crate) fn has_died(&self) -> bool {
        matches!(self.end, Some(BotEnd::Exited { .. } | BotEnd::Signalled { .. }))
    }

    /// Returns whether the bot's process has ended while the server might still wait for the bot.
    pub(crate) fn must_be_expired(&self) -> bool {
        !self.is_expired && self.end.as_ref().is_some_and(|end| *end != BotEnd::Attended)
    }

    /// Returns the bot if its process is reused.
    pub(crate) fn reused(&self) -> Option<&ReusedBot> {
        match &self.bot {
            Some(SeatedBot::Reused(bot)) => Some(bot),
            _ => None,
        }
    }
}

impl MatchBots {
    /// Adds the bot for the next seat. `stderr` names the file with its standard error.
    pub(crate) fn add(&mut self, mut bot: SeatedBot, stderr: String) {
        let isolation = bot.running().isolation;
        self.status.push(BotStatus { stderr, isolation, bot: Some(bot), ..BotStatus::default() });
    }

    /// Adds a bot for the next seat. The bot attends the queue by itself.
    pub(crate) fn add_attending(&mut self) {
        self.status.push(BotStatus { end: Some(BotEnd::Attended), ..BotStatus::default() });
    }

    /// Replaces the process of a bot that died.
    pub(crate) fn restart(&mut self, process: RunningBot, seat: usize) {
        let status = &mut self.status[seat];
        status.used();
        if let Some(bot) = &mut status.bot {
            *bot.running() = process;
        }
        status.end = None;
        status.restarts += 1;
    }

    /// Removes and returns the reused processes, with their seats, after the match.
    pub(crate) fn take_reused(&mut self) -> Vec<(usize, ReusedBot)> {
        let seats = self.status.iter_mut().enumerate();
        let reused = seats.filter_map(|(seat, status)| {
            status.reused()?;
            status.used();
            let Some(SeatedBot::Reused(bot)) = status.bot.take() else {
                return None;
            };
            // The process may have ended at the same moment as the match.
            let gone = bot.process.end().filter(|_| status.end.is_none());
            if let Some(ProcessEnd { end, tail }) = gone {
                (status.end, status.tail) = (Some(end), tail);
            }
            status.end = status.end.take().or(Some(BotEnd::Reused));
            Some((seat, bot))
        });
        reused.collect()
    }

    /// Waits for the next bot to end, and returns its seat. Returns `None` once all bots have
    /// ended. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<usize> {
        self.next_of(|_| true).await
    }

    async fn next_of(&mut self, is_awaited: impl Fn(&SeatedBot) -> bool) -> Option<usize> {
        let running = self.status.iter_mut().enumerate().filter(|(_, status)| status.end.is_none());
        let running = running.filter_map(|(seat, status)| {
            let bot = status.bot.as_mut().filter(|bot| is_awaited(bot))?;
            let ended = bot.running().ended();
            Some(async move { (seat, ended.await) })
        });
        let mut running: FuturesUnordered<_> = running.collect();
        let (seat, left) = running.next().await?;
        let status = &mut self.status[seat];
        // If the restarted process exited with code 0, the output of the crashed process is more
        // useful.
        if status.restarts == 0 || !left.end.is_regular() {
            status.tail = left.tail;
        }
        status.end = Some(left.end);
        Some(seat)
    }

    /// Waits [`SHUTDOWN_TIMEOUT`] for the bots to exit, then kills the rest. Reused processes keep
    /// running.
    pub(crate) async fn shut_down(&mut self) {
        let is_awaited = |bot: &SeatedBot| matches!(bot, SeatedBot::Started(_));
        let until = Instant::now() + SHUTDOWN_TIMEOUT;
        while let Ok(Some(_)) = timeout_at(until, self.next_of(is_awaited)).await {}
        for bot in self.status.iter().filter_map(|status| status.bot.as_ref()) {
            if let SeatedBot::Started(running) = bot {
                running.kill();
            }
        }
        while self.next_of(is_awaited).await.is_some() {}
    }
}
