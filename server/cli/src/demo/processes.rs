//! The bot processes of a demo.

use std::{fmt, process::ExitStatus, time::Duration};

use anyhow::Context as _;
use bridgemaster_bot_process::BotProcess;
use bridgemaster_games::Seed;
use bridgemaster_proto::{outside::Outside, v1::SeatTicket};
use tokio::{task::JoinSet, time::timeout};

use crate::entrant::Entrant;

/// Time that bots have to end by themselves once the match is over.
const LEAVE_TIME: Duration = Duration::from_secs(3);

/// The bot processes of a match. Dropping them kills those that still run.
pub(super) struct Processes {
    running: JoinSet<Left>,
}

/// A bot whose process has ended.
pub(super) struct Left {
    pub(super) seat: u32,
    /// The bot in words, with its seat.
    name: String,
    how: How,
}

enum How {
    /// With the exit code 0.
    Done,
    Failed {
        status: ExitStatus,
        /// The end of its standard error.
        last_words: String,
    },
    /// The system cannot tell.
    Unknown(std::io::Error),
}

impl Processes {
    /// Starts one process for each ticket.
    pub(super) fn start(
        entrants: &[Entrant],
        server_url: &str,
        tickets: &[SeatTicket],
        seed: Option<&Seed>,
    ) -> anyhow::Result<Self> {
        let mut running = JoinSet::new();
        for (entrant, ticket) in entrants.iter().zip(tickets) {
            let name = format!("the bot of seat {}, {}", ticket.seat, entrant.name());
            let process = entrant
                .command(ticket.seat, seed)?
                .start(server_url, &ticket.ticket)
                .with_context(|| format!("{name}, cannot be started"))?;
            running.spawn(leave(process, ticket.seat, name));
        }
        Ok(Self { running })
    }

    /// The next bot to leave; `None` when all have left. Nothing is lost when it is dropped.
    pub(super) async fn next_to_leave(&mut self) -> Option<Left> {
        // A task ends otherwise only when it is aborted.
        self.running.join_next().await?.ok()
    }

    /// Lets the bots end by themselves, kills those that do not, and gives `tell` each one.
    pub(super) async fn finish(&mut self, mut tell: impl FnMut(&Left)) {
        let all_left = async {
            while let Some(left) = self.next_to_leave().await {
                tell(&left);
            }
        };
        if timeout(LEAVE_TIME, all_left).await.is_err() {
            self.running.shutdown().await;
        }
    }
}

/// Waits for the end of a bot.
async fn leave(mut process: BotProcess, seat: u32, name: String) -> Left {
    let how = match process.ended().await {
        Ok(status) if status.success() => How::Done,
        Ok(status) => How::Failed {
            status,
            last_words: process.last_words().await,
        },
        Err(error) => How::Unknown(error),
    };
    Left { seat, name, how }
}

impl Left {
    /// Whether it ended as a bot does that has played to the end.
    pub(super) fn is_well(&self) -> bool {
        matches!(self.how, How::Done)
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.how {
            How::Done => write!(f, "{name}, has ended"),
            How::Unknown(error) => write!(f, "{name}, cannot be waited for: {error}"),
            How::Failed { status, last_words } if last_words.is_empty() => {
                write!(
                    f,
                    "{name}, failed ({status}) and said nothing on its standard error"
                )
            }
            How::Failed { status, last_words } => {
                write!(
                    f,
                    "{name}, failed ({status}); the end of its standard error:"
                )?;
                for line in last_words.lines() {
                    write!(f, "\n  | {}", Outside(line))?;
                }
                Ok(())
            }
        }
    }
}
