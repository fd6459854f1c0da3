//! A demo's bot processes, their standard error, and the progress of its match.

use std::{env, fmt, path::PathBuf, time::Duration};

use anyhow::Context as _;
use bridgemaster_bot_process::{Isolation, StderrFile};
use bridgemaster_games::Seed;
use bridgemaster_proto::{
    escape::Escaped,
    v1::{MatchResult, MatchState, SeatState, SeatTicket, WatchMatchResponse},
};
use bridgemaster_sdk::TICKET_VARIABLE;
use indicatif::ProgressBar;
use tokio::{task::JoinSet, time::timeout};

use crate::{
    bot_choice::{BotChoice, BotEnv, failure_of},
    output,
    quantities::count,
    view::View,
};

/// Time for bots to exit after the match.
const EXIT_TIMEOUT: Duration = Duration::from_secs(3);

/// A match's bot processes. Dropping this value kills the processes that still run.
pub(super) struct Processes {
    running: JoinSet<BotExit>,
    /// The weakest isolation among the processes; `None` without processes.
    pub(super) isolation: Option<Isolation>,
}

/// A bot process that exited.
pub(super) struct BotExit {
    pub(super) seat: u32,
    /// Description of the bot, with its seat.
    name: String,
    /// The reason for its failure; `None` if it exited with code 0.
    problem: Option<String>,
}

impl Processes {
    /// Starts one process for each ticket.
    pub(super) async fn start(
        (bots, bot_env): (&[BotChoice], &BotEnv),
        (server_url, tickets): (&str, &[SeatTicket]),
        seed: Option<&Seed>,
        output: &BotOutput,
    ) -> anyhow::Result<Self> {
        let mut running = JoinSet::new();
        let mut isolation = None;
        for (bot_choice, ticket) in bots.iter().zip(tickets) {
            let name = format!("bot {} of seat {}", bot_choice.name(), ticket.seat);
            let process = bot_env
                .pass_to(bot_choice.command(ticket.seat, seed)?)
                .start_with(
                    server_url,
                    &[(TICKET_VARIABLE, &ticket.ticket)],
                    Some(output.file(ticket.seat, &bot_choice.name())),
                )
                .await
                .with_context(|| format!("cannot start {name}"))?;
            isolation = isolation.into_iter().chain([process.isolation()]).min();
            let seat = ticket.seat;
            running
                .spawn(async move { BotExit { seat, name, problem: failure_of(process).await } });
        }
        Ok(Self { running, isolation })
    }

    /// Waits for the next process to exit. Returns `None` after the last process. Cancel safe.
    pub(super) async fn next_exit(&mut self) -> Option<BotExit> {
        // A task fails only if it is aborted.
        self.running.join_next().await?.ok()
    }

    /// Waits for the bots to exit, calls `report` for each, and kills bots that do not exit in
    /// time.
    pub(super) async fn finish(&mut self, mut report: impl FnMut(&BotExit)) {
        let all_exited = async {
            while let Some(exit) = self.next_exit().await {
                report(&exit);
            }
        };
        if timeout(EXIT_TIMEOUT, all_exited).await.is_err() {
            self.running.shutdown().await;
        }
    }
}

impl BotExit {
    /// Reports a bot that failed, above the bar.
    pub(super) fn report(&self, bar: &ProgressBar) {
        if self.problem.is_some() {
            bar.suspend(|| output::eprint(&self.to_string()));
        }
    }
}

impl fmt::Display for BotExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            None => write!(f, "{} exited", self.name),
            Some(problem) => write!(f, "{} failed: {problem}", self.name),
        }
    }
}

/// Standard error of a match's bots.
pub(super) struct BotOutput {
    match_id: String,
    /// The bar above which lines are printed, if they are.
    bar: Option<ProgressBar>,
}

impl BotOutput {
    pub(super) fn new(match_id: &str, bar: Option<ProgressBar>) -> Self {
        Self { match_id: match_id.to_owned(), bar }
    }

    /// Returns the path of a seat's file, in the temporary folder. The file is created when the bot
    /// writes its first line.
    fn path(&self, seat: u32) -> PathBuf {
        let name = format!("bridgemaster-{}-seat{seat}.stderr.txt", self.match_id);
        env::temp_dir().join(name)
    }

    /// Returns the file for a seat's bot.
    pub(super) fn file(&self, seat: u32, bot: &str) -> StderrFile {
        let file = StderrFile::create(&self.path(seat));
        match self.bar.clone() {
            None => file,
            Some(bar) => {
                let name = format!("seat {seat}, {bot}");
                let print = move |line: &str| bar.suspend(|| output::bot_line(&name, line));
                file.with_line_callback(Box::new(print))
            }
        }
    }

    /// Lists the files of bots that wrote output, one path per line.
    pub(super) fn files(&self, result: &MatchResult) -> String {
        let seats = result.seats.iter();
        let files = seats.map(|seat| (seat, self.path(seat.seat)));
        let lines = files.filter(|(_, path)| path.exists()).map(|(seat, path)| {
            format!(
                "output of seat {} ({}): {}\n",
                seat.seat,
                Escaped(&seat.bot_name),
                path.display()
            )
        });
        lines.collect()
    }
}

/// Shows a match's progress.
pub(super) fn show(bar: &ProgressBar, update: &WatchMatchResponse) -> anyhow::Result<()> {
    let Some(info) = update.r#match.as_ref().filter(|_| !bar.is_hidden()) else {
        return Ok(());
    };
    let decisions = count(info.decisions, "decision", "decisions");
    let view = View::from_update(update)?.filter(|_| info.state() != MatchState::Waiting);
    let (length, position, message) = match view.map(|view| view.progress()).transpose()? {
        None => {
            let connected = info.seats.iter().filter(|seat| seat.state() == SeatState::Connected);
            (info.seats.len() as u64, connected.count() as u64, "bots connected".to_owned())
        }
        Some(Some(progress)) => {
            let message = format!("{}, {decisions}", progress.unit);
            (progress.total.into(), progress.done.into(), message)
        }
        Some(None) => (bar.length().unwrap_or(0), info.decisions.into(), "decisions".to_owned()),
    };
    bar.set_length(length);
    bar.set_position(position);
    bar.set_message(message);
    Ok(())
}
