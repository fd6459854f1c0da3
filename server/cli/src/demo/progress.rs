//! The progress bar of a demo. It draws on standard error, and only when that is a terminal.

use bridgemaster_proto::v1::{MatchState, SeatState, WatchMatchResponse};
use indicatif::{ProgressBar, ProgressStyle};

use super::processes::Left;
use crate::{count::count, output, view::View};

/// Shows how far a match has come. Clones show the same.
#[derive(Clone)]
pub(super) struct ProgressView {
    bar: ProgressBar,
}

impl ProgressView {
    /// A bar, or nothing when `quiet`.
    pub(super) fn new(quiet: bool) -> Self {
        if quiet {
            return Self {
                bar: ProgressBar::hidden(),
            };
        }
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}");
        let bar = ProgressBar::new(0).with_message("starting");
        Self {
            // The template is fixed; should it ever be wrong, the standard style does.
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
        }
    }

    pub(super) fn show(&self, news: &WatchMatchResponse) -> anyhow::Result<()> {
        if self.bar.is_hidden() {
            return Ok(());
        }
        let Some(info) = &news.r#match else {
            return Ok(());
        };
        let Some(view) = View::of(news)?.filter(|_| info.state() != MatchState::Waiting) else {
            let there = info
                .seats
                .iter()
                .filter(|seat| seat.state() == SeatState::Connected);
            self.bar.set_length(info.seats.len() as u64);
            self.bar.set_position(there.count() as u64);
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

    /// Tells of a bot that failed apart from the progress: above the bar, or on standard error.
    pub(super) fn tell_of(&self, left: &Left) {
        if !left.is_well() {
            self.bar.suspend(|| output::complain(&left.to_string()));
        }
    }

    /// Leaves the bar as it is at the end of the match: a short match would take it away before
    /// anybody has seen it.
    pub(super) fn finish(&self) {
        self.bar.finish();
    }

    /// Takes the bar of a match away that does not end.
    pub(super) fn give_up(&self) {
        self.bar.finish_and_clear();
    }
}
