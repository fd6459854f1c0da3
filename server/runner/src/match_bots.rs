//! A match's bots: their processes, or the tasks of built-in bots.

use bridgemaster_bot_process::{BotProcess, Isolation, Usage, UsageTracker};
use bridgemaster_sdk::OptionsError;
use tokio::{
    task::{AbortHandle, JoinSet},
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use crate::{
    BotEnd,
    built_in::{BuiltInSeat, BuiltInSeats},
    reused_bots::{ProcessEnd, ReusedBot, SHUTDOWN_TIMEOUT, WatchedProcess, end_of_process},
};

/// A match's bots. Dropping this value kills processes that are still running.
pub(crate) struct MatchBots {
    running: JoinSet<(usize, ProcessEnd)>,
    /// Terminates all running processes.
    kill: CancellationToken,
    /// The status of each seat's bot, in seat order.
    pub(crate) status: Vec<BotStatus>,
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
    /// The resource usage of each process that was started for the seat.
    used: Vec<UsageTracker>,
    /// The reused process, and the task that waits for its end; `None` if the process is not
    /// reused.
    reused: Option<(ReusedBot, AbortHandle)>,
}

impl BotStatus {
    /// Returns the total resource usage of the bot's processes.
    pub(crate) fn used(&self) -> Usage {
        let used = self.used.iter().map(UsageTracker::get);
        used.reduce(|one, other| Usage {
            peak_memory_bytes: one.peak_memory_bytes.max(other.peak_memory_bytes),
            cpu_time: match (one.cpu_time, other.cpu_time) {
                (Some(one), Some(other)) => Some(one + other),
                (one, other) => one.or(other),
            },
        })
        .unwrap_or_default()
    }

    /// Returns whether the process of the bot failed or was killed, so that a restart might help.
    /// After exit code 0 or a lack of memory, a restarted process would end in the same way.
    pub(crate) fn has_died(&self) -> bool {
        matches!(self.end, Some(BotEnd::Exited { .. } | BotEnd::Signalled { .. }))
    }

    /// Returns whether the bot's process has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end != BotEnd::Attended)
    }

    /// Returns whether the bot's process has ended while the server might still wait for the bot.
    pub(crate) fn must_be_expired(&self) -> bool {
        self.has_ended() && !self.is_expired
    }
}

impl MatchBots {
    pub(crate) fn new() -> Self {
        Self { running: JoinSet::new(), kill: CancellationToken::new(), status: Vec::new() }
    }

    /// Adds the process for the next seat. `stderr` names the file with the process's standard
    /// error.
    pub(crate) fn add(&mut self, process: BotProcess, stderr: String) {
        let (used, isolation) = (process.usage(), process.isolation());
        self.run(process, self.status.len());
        self.status.push(BotStatus {
            stderr,
            isolation: Some(isolation),
            used: vec![used],
            ..BotStatus::default()
        });
    }

    /// Adds a built-in bot for the next seat.
    ///
    /// # Errors
    /// The address or the ticket is not valid.
    pub(crate) fn add_built_in(
        &mut self,
        seats: &BuiltInSeats,
        played: BuiltInSeat<'_>,
    ) -> Result<(), OptionsError> {
        let (seat, used) = (self.status.len(), UsageTracker::default());
        seats.play(played, used.clone(), &mut self.running, move |ended| {
            let (end, tail) = match ended {
                Ok(()) => (BotEnd::Done, String::new()),
                Err(error) => (BotEnd::Failed, error),
            };
            (seat, ProcessEnd { end, tail })
        })?;
        self.status.push(BotStatus { used: vec![used], ..BotStatus::default() });
        Ok(())
    }

    /// Replaces the process of a bot that died.
    pub(crate) fn restart(&mut self, process: BotProcess, seat: usize) {
        let bot = &mut self.status[seat];
        bot.used.push(process.usage());
        bot.end = None;
        bot.restarts += 1;
        self.run(process, seat);
    }

    /// Adds a reused process for the next seat.
    pub(crate) fn add_reused(&mut self, bot: ReusedBot) {
        let waiting = self.wait_for(&bot, self.status.len());
        self.status.push(BotStatus {
            stderr: bot.stderr.clone(),
            isolation: Some(bot.process.isolation),
            reused: Some((bot, waiting)),
            ..BotStatus::default()
        });
    }

    /// Returns a seat's bot if its process is reused.
    pub(crate) fn reused(&self, seat: usize) -> Option<&ReusedBot> {
        self.status[seat].reused.as_ref().map(|(bot, _)| bot)
    }

    /// Replaces the reused process of a bot that died.
    pub(crate) fn restart_reused(&mut self, process: WatchedProcess, seat: usize) {
        if let Some((mut bot, _)) = self.status[seat].reused.take() {
            let used = bot.take_used();
            bot.process = process;
            let waiting = self.wait_for(&bot, seat);
            let ended = &mut self.status[seat];
            ended.used.push(used);
            ended.reused = Some((bot, waiting));
            ended.end = None;
            ended.restarts += 1;
        }
    }

    fn run(&mut self, process: BotProcess, seat: usize) {
        let ended = end_of_process(process, self.kill.clone());
        self.running.spawn(async move { (seat, ended.await) });
    }

    fn wait_for(&mut self, bot: &ReusedBot, seat: usize) -> AbortHandle {
        let ended = bot.ended();
        self.running.spawn(async move { (seat, ended.await) })
    }

    /// Removes and returns the reused processes, with their seats, after the match.
    pub(crate) fn take_reused(&mut self) -> Vec<(usize, ReusedBot)> {
        let seats = self.status.iter_mut().enumerate();
        let reused = seats.filter_map(|(seat, ended)| {
            let (mut bot, _) = ended.reused.take()?;
            ended.used.push(bot.take_used());
            // The process may have ended at the same moment as the match.
            let gone = bot.end().filter(|_| ended.end.is_none());
            if let Some(ProcessEnd { end, tail }) = gone {
                (ended.end, ended.tail) = (Some(end), tail);
            }
            ended.end = ended.end.take().or(Some(BotEnd::Reused));
            Some((seat, bot))
        });
        reused.collect()
    }

    /// Adds a bot for the next seat. The bot attends the queue by itself.
    pub(crate) fn add_attending(&mut self) {
        self.status.push(BotStatus { end: Some(BotEnd::Attended), ..BotStatus::default() });
    }

    /// Waits for the next process to end, and returns its seat. Returns `None` once all processes
    /// have ended. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<usize> {
        loop {
            // The task fails only if it is aborted.
            if let Ok((seat, left)) = self.running.join_next().await? {
                let ended = &mut self.status[seat];
                // If the restarted process exited with code 0, the output of the crashed process is
                // more useful.
                if ended.restarts == 0 || !left.end.is_regular() {
                    ended.tail = left.tail;
                }
                ended.end = Some(left.end);
                return Some(seat);
            }
        }
    }

    /// Waits [`SHUTDOWN_TIMEOUT`] for the processes to exit, then kills the rest. Reused processes
    /// keep running.
    pub(crate) async fn shut_down(&mut self) {
        for (_, waiting) in self.status.iter().filter_map(|ended| ended.reused.as_ref()) {
            waiting.abort();
        }
        let until = Instant::now() + SHUTDOWN_TIMEOUT;
        while let Ok(Some(_)) = timeout_at(until, self.next()).await {}
        self.kill.cancel();
        while self.next().await.is_some() {}
    }
}
