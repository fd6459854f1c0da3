//! The processes of the bots of one match.

use std::{process::ExitStatus, time::Duration};

use bridgemaster_bot_process::{BotProcess, Usage, UsageSoFar};
use tokio::{
    task::JoinSet,
    time::{Instant, timeout_at},
};

use crate::BotEnd;

/// Time that bots have to end by themselves once the match is over.
const LEAVE_TIME: Duration = Duration::from_secs(3);

/// The processes of the bots of a match. Dropped, it kills those that still run.
pub(crate) struct Bots {
    running: JoinSet<Left>,
    /// By seat.
    pub(crate) ends: Vec<Ended>,
}

/// How a bot ended.
#[derive(Default)]
pub(crate) struct Ended {
    /// `None` while it runs.
    pub(crate) end: Option<BotEnd>,
    pub(crate) tail: String,
    /// The name of the file with its standard error.
    pub(crate) stderr: String,
    /// How often it was started again.
    pub(crate) restarts: u32,
    /// Of each process that was started for the seat.
    used: Vec<UsageSoFar>,
}

/// A process that has ended.
struct Left {
    seat: usize,
    end: BotEnd,
    tail: String,
}

impl Ended {
    /// What its processes have used.
    pub(crate) fn used(&self) -> Usage {
        let used = self.used.iter().map(UsageSoFar::get);
        used.reduce(|one, other| Usage {
            peak_memory_bytes: one.peak_memory_bytes.max(other.peak_memory_bytes),
            cpu_time: match (one.cpu_time, other.cpu_time) {
                (Some(one), Some(other)) => Some(one + other),
                (one, other) => one.or(other),
            },
        })
        .unwrap_or_default()
    }

    /// Whether its process failed or was killed. One that says that it is done, or that ran out of
    /// memory, would end again.
    pub(crate) fn has_died(&self) -> bool {
        matches!(
            self.end,
            Some(BotEnd::Exited { .. } | BotEnd::Signalled { .. })
        )
    }

    /// Whether its process has ended.
    pub(crate) fn has_left(&self) -> bool {
        self.end
            .as_ref()
            .is_some_and(|end| *end != BotEnd::Attended)
    }
}

impl Bots {
    pub(crate) fn none() -> Self {
        Self {
            running: JoinSet::new(),
            ends: Vec::new(),
        }
    }

    /// Adds the bot of the next seat; `stderr` is the name of the file with its standard error.
    pub(crate) fn add(&mut self, process: BotProcess, stderr: String) {
        let used = process.usage();
        self.running.spawn(ended(process, self.ends.len()));
        self.ends.push(Ended {
            stderr,
            used: vec![used],
            ..Ended::default()
        });
    }

    /// Adds another process of a bot that has died.
    pub(crate) fn add_again(&mut self, process: BotProcess, seat: usize) {
        let bot = &mut self.ends[seat];
        bot.used.push(process.usage());
        bot.end = None;
        bot.restarts += 1;
        self.running.spawn(ended(process, seat));
    }

    /// Adds the bot of the next seat, which attends by itself.
    pub(crate) fn add_attending(&mut self) {
        self.ends.push(Ended {
            end: Some(BotEnd::Attended),
            ..Ended::default()
        });
    }

    /// Whether a process runs.
    pub(crate) fn are_running(&self) -> bool {
        !self.running.is_empty()
    }

    /// Waits for the next bot to end, and gives its seat. `None` when all have. Nothing is lost
    /// when it is dropped.
    pub(crate) async fn next(&mut self) -> Option<usize> {
        loop {
            // A task ends otherwise only when it is aborted.
            if let Ok(left) = self.running.join_next().await? {
                let ended = &mut self.ends[left.seat];
                // Why it had to be started again says more than how it ended well at last.
                if ended.restarts == 0 || !left.end.is_well() {
                    ended.tail = left.tail;
                }
                ended.end = Some(left.end);
                return Some(left.seat);
            }
        }
    }

    /// Lets the bots end by themselves, and kills those that do not.
    pub(crate) async fn leave(&mut self) {
        let until = Instant::now() + LEAVE_TIME;
        while let Ok(Some(_)) = timeout_at(until, self.next()).await {}
        self.running.shutdown().await;
    }
}

async fn ended(mut process: BotProcess, seat: usize) -> Left {
    let ended = process.ended().await;
    let tail = process.last_words().await;
    let end = match ended {
        Ok(status) if process.ran_out_of_memory(status, &tail) => BotEnd::OutOfMemory,
        Ok(status) => end_of(status),
        Err(_) => BotEnd::Unknown,
    };
    Left { seat, end, tail }
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
