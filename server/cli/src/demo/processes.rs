//! The bot processes of a demo.

use std::{process::ExitStatus, time::Duration};

use anyhow::Context as _;
use bridgemaster_bot_process::BotProcess;
use bridgemaster_games::Seed;
use bridgemaster_proto::{outside::Outside, v1::SeatTicket};
use tokio::{task::JoinSet, time::timeout};

use super::progress::ProgressView;
use crate::entrant::Entrant;

/// Time that bots have to end by themselves once the match is over.
const LEAVE_TIME: Duration = Duration::from_secs(3);

/// The bot processes of a match. Dropping them kills those that still run.
pub(super) struct Processes {
    waiting: JoinSet<()>,
}

impl Processes {
    /// Starts one process for each ticket. A bot that fails is told of through `progress`.
    pub(super) fn start(
        entrants: &[Entrant],
        server_url: &str,
        tickets: &[SeatTicket],
        seed: Option<&Seed>,
        progress: &ProgressView,
    ) -> anyhow::Result<Self> {
        let mut waiting = JoinSet::new();
        for (entrant, ticket) in entrants.iter().zip(tickets) {
            let name = format!("the bot of seat {}, {}", ticket.seat, entrant.name());
            let process = entrant
                .command(ticket.seat, seed)?
                .start(server_url, &ticket.ticket)
                .with_context(|| format!("{name}, cannot be started"))?;
            waiting.spawn(wait(process, name, progress.clone()));
        }
        Ok(Self { waiting })
    }

    /// Lets the bots end by themselves, and kills those that do not.
    pub(super) async fn finish(&mut self) {
        let all_left = async { while self.waiting.join_next().await.is_some() {} };
        if timeout(LEAVE_TIME, all_left).await.is_err() {
            self.waiting.shutdown().await;
        }
    }
}

/// Waits for the end of a bot, and tells if it failed.
async fn wait(mut process: BotProcess, name: String, progress: ProgressView) {
    match process.ended().await {
        Ok(status) if status.success() => {}
        Ok(status) => progress.tell(&failure_text(&name, status, &process.last_words().await)),
        Err(error) => progress.tell(&format!("{name}, cannot be waited for: {error}")),
    }
}

fn failure_text(name: &str, status: ExitStatus, tail: &str) -> String {
    if tail.is_empty() {
        return format!("{name}, failed ({status}) and said nothing on its standard error");
    }
    let lines: Vec<String> = tail
        .lines()
        .map(|line| format!("  | {}", Outside(line)))
        .collect();
    format!(
        "{name}, failed ({status}); the end of its standard error:\n{}",
        lines.join("\n")
    )
}
