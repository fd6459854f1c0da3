//! Progress bar of a demo, which is visible only if standard error is a terminal.

use std::sync::Arc;

use bridgemaster_proto::v1::{MatchState, SeatState, WatchMatchResponse};
use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    demo::processes::{BotExit, PrintLine},
    output,
    quantities::count,
    view::View,
};

/// Shows a match's progress. Clones share the bar.
#[derive(Clone)]
pub(super) struct ProgressView {
    bar: ProgressBar,
}

impl ProgressView {
    /// Creates a bar, which `quiet` hides.
    pub(super) fn new(quiet: bool) -> Self {
        if quiet {
            return Self {
                bar: ProgressBar::hidden(),
            };
        }
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}");
        let bar = ProgressBar::new(0).with_message("starting");
        Self {
            // The template is constant and valid; the fallback is unreachable.
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
        }
    }

    pub(super) fn show(&self, update: &WatchMatchResponse) -> anyhow::Result<()> {
        if self.bar.is_hidden() {
            return Ok(());
        }
        let Some(info) = &update.r#match else {
            return Ok(());
        };
        let Some(view) = View::of(update)?.filter(|_| info.state() != MatchState::Waiting) else {
            let connected = info
                .seats
                .iter()
                .filter(|seat| seat.state() == SeatState::Connected);
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
        if !exit.is_success() {
            self.bar.suspend(|| output::eprint(&exit.to_string()));
        }
    }

    /// Returns a function that prints bots' lines above the bar.
    pub(super) fn output(&self) -> PrintLine {
        let bar = self.bar.clone();
        Arc::new(move |bot: &str, line: &str| bar.suspend(|| output::bot_line(bot, line)))
    }

    /// Finishes the bar but keeps it visible, since a short match shows it only for a moment.
    pub(super) fn finish(&self) {
        self.bar.finish();
    }

    /// Removes the bar for a match that failed.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
