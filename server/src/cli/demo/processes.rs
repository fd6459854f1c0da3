//! The bot processes of a demo.

use std::{
    process::{ExitStatus, Stdio},
    time::Duration,
};

use anyhow::Context as _;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::SeatTicket;
use bridgemaster_sdk::{SERVER_VARIABLE, TICKET_VARIABLE};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::Child,
    task::JoinSet,
    time::timeout,
};

use super::{entrant::Entrant, progress::ProgressView};

/// Time that bots have to end by themselves once the match is over.
const LEAVE_TIME: Duration = Duration::from_secs(3);
/// How much of the end of a failed bot's standard error is shown, in bytes: about a screen.
const STDERR_TAIL_BYTES: usize = 2048;

/// The bot processes of a match. Dropping them kills those that still run.
pub(super) struct Processes {
    waiting: JoinSet<()>,
}

impl Processes {
    /// Starts one process for each ticket. A bot that fails is told of through `progress`.
    ///
    /// Tickets travel by the environment: the arguments of a process can be read by every user
    /// of a machine.
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
            let child = entrant
                .command(ticket.seat, seed)?
                .env(SERVER_VARIABLE, server_url)
                .env(TICKET_VARIABLE, &ticket.ticket)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .kill_on_drop(true)
                .spawn()
                .with_context(|| format!("{name}, cannot be started"))?;
            waiting.spawn(wait(child, name, progress.clone()));
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
async fn wait(mut child: Child, name: String, progress: ProgressView) {
    let tail = match child.stderr.take() {
        Some(stderr) => last_lines(stderr).await,
        None => String::new(),
    };
    match child.wait().await {
        Ok(status) if status.success() => {}
        Ok(status) => progress.tell(&failure_text(&name, status, &tail)),
        Err(error) => progress.tell(&format!("{name}, cannot be waited for: {error}")),
    }
}

fn failure_text(name: &str, status: ExitStatus, tail: &str) -> String {
    if tail.is_empty() {
        return format!("{name}, failed ({status}) and said nothing on its standard error");
    }
    let lines: Vec<String> = tail.lines().map(|line| format!("  | {line}")).collect();
    format!(
        "{name}, failed ({status}); the end of its standard error:\n{}",
        lines.join("\n")
    )
}

/// Reads to the end and keeps the last whole lines, however much there is.
async fn last_lines(mut source: impl AsyncRead + Unpin) -> String {
    let mut tail = Vec::new();
    let mut buffer = [0; STDERR_TAIL_BYTES];
    let mut is_cut = false;
    // An error ends the reading like the end does: what was read is shown.
    while let Ok(count @ 1..) = source.read(&mut buffer).await {
        tail.extend_from_slice(&buffer[..count]);
        if tail.len() > STDERR_TAIL_BYTES {
            tail.drain(..tail.len() - STDERR_TAIL_BYTES);
            is_cut = true;
        }
    }
    let text = String::from_utf8_lossy(&tail);
    let whole = text
        .split_once('\n')
        .filter(|_| is_cut)
        .map_or(&*text, |(_, rest)| rest);
    whole.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn of_a_long_text_the_last_whole_lines_are_kept() {
        let text: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let kept = last_lines(text.as_bytes()).await;
        assert!(kept.ends_with("line 9999"), "{kept}");
        assert!(kept.starts_with("line "), "{kept}");
        assert!(kept.len() <= STDERR_TAIL_BYTES);
    }

    #[tokio::test]
    async fn a_short_text_is_kept_whole() {
        assert_eq!(last_lines(&b"first\nlast\n"[..]).await, "first\nlast");
    }
}
