//! A demo's bot processes, their standard error, and the progress of its match.

use std::{env, fmt, path::PathBuf, sync::Arc, time::Duration};

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

impl fmt::Display for BotExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            None => write!(f, "{} exited", self.name),
            Some(problem) => write!(f, "{} failed: {problem}", self.name),
        }
    }
}

/// A function that prints a line of output. Its arguments are the bot's name and the line.
pub(super) type PrintLine = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// Standard error of a match's bots.
pub(super) struct BotOutput {
    match_id: String,
    print: Option<PrintLine>,
}

impl BotOutput {
    /// Creates a match's output. `print`, if given, is called with each line.
    pub(super) fn new(match_id: &str, print: Option<PrintLine>) -> Self {
        Self { match_id: match_id.to_owned(), print }
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
        match &self.print {
            None => file,
            Some(print) => {
                let (print, name) = (Arc::clone(print), format!("seat {seat}, {bot}"));
                file.with_line_callback(Box::new(move |line| print(&name, line)))
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

/// Shows a match's progress. Clones share the bar.
#[derive(Clone)]
pub(super) struct ProgressView {
    bar: ProgressBar,
}

impl ProgressView {
    /// Creates a bar, which `quiet` hides.
    pub(super) fn new(quiet: bool) -> Self {
        let bar = if quiet {
            ProgressBar::hidden()
        } else {
            output::progress_bar(0, "{bar:30} {pos}/{len} {msg}").with_message("starting")
        };
        Self { bar }
    }

    pub(super) fn show(&self, update: &WatchMatchResponse) -> anyhow::Result<()> {
        if self.bar.is_hidden() {
            return Ok(());
        }
        let Some(info) = &update.r#match else {
            return Ok(());
        };
        let Some(view) = View::from_update(update)?.filter(|_| info.state() != MatchState::Waiting)
        else {
            let connected = info.seats.iter().filter(|seat| seat.state() == SeatState::Connected);
            self.bar.set_length(info.seats.len() as u64);
            self.bar.set_position(connected.count() as u64);
            self.bar.set_message("bots connected");
            return Ok(());
        };
        match view.progress()? {
            Some(progress) => {
                self.bar.set_length(progress.total.into());
                self.bar.set_position(progress.done.into());
                self.bar.set_message(format!(
                    "{}, {}",
                    progress.unit,
                    count(info.decisions, "decision", "decisions")
                ));
            }
            None => {
                self.bar.set_position(info.decisions.into());
                self.bar.set_message("decisions");
            }
        }
        Ok(())
    }

    /// Reports a bot that failed, above the bar.
    pub(super) fn report_exit(&self, exit: &BotExit) {
        if exit.problem.is_some() {
            self.bar.suspend(|| output::eprint(&exit.to_string()));
        }
    }

    /// Returns a function that prints bots' lines above the bar.
    pub(super) fn output(&self) -> PrintLine {
        let bar = self.bar.clone();
        Arc::new(move |bot: &str, line: &str| bar.suspend(|| output::bot_line(bot, line)))
    }

    /// Finishes the bar but keeps it visible, since it appears only briefly in a short match.
    pub(super) fn finish(&self) {
        self.bar.finish();
    }

    /// Removes the bar for a match that failed.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
