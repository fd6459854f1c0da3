//! A contest while it is played: a bar and a table on a terminal, lines elsewhere.

use std::time::{Duration, Instant};

use bridgemaster_proto::outside::Outside;
use bridgemaster_runner::{BotEnd, MatchRow, News, Standing, exit};
use indicatif::{ProgressBar, ProgressStyle};

use super::ending;
use crate::{count::count, output, wrapped::fitted};

/// Time between two tables on a terminal, which take a fit of all ratings each.
const TABLE_INTERVAL: Duration = Duration::from_secs(1);
/// Time between two lines where there is no terminal: enough to see that it goes on, and few
/// enough for a log.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Shows a contest on standard error.
pub(super) struct Live {
    bar: ProgressBar,
    has_lines: bool,
    begun: Instant,
    finished_before: u64,
    shown: Option<Instant>,
}

impl Live {
    /// Shows this contest, or nothing when `quiet`.
    pub(super) fn new(standing: &Standing, quiet: bool) -> Self {
        let bar = match quiet {
            true => ProgressBar::hidden(),
            false => ProgressBar::new(standing.planned_groups()),
        };
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}");
        Self {
            has_lines: !quiet && bar.is_hidden(),
            // The template is fixed; should it ever be wrong, the standard style does.
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
            begun: Instant::now(),
            finished_before: standing.finished_matches(),
            shown: None,
        }
    }

    pub(super) fn show(&mut self, standing: &Standing, news: &News<'_>) {
        match news {
            News::Begun { concurrency } => self.begin(standing, *concurrency),
            News::Match(row) => {
                self.tell_of(standing, row);
                self.show_standing(standing);
            }
        }
    }

    fn begin(&mut self, standing: &Standing, concurrency: usize) {
        self.begun = Instant::now();
        self.bar.set_position(standing.groups());
        self.bar.set_message("groups");
        if self.has_lines {
            let matches = count(concurrency, "match", "matches");
            let before = match self.finished_before {
                0 => String::new(),
                before => format!("{} were played before; ", count(before, "match", "matches")),
            };
            output::complain(&format!(
                "{before}playing up to {}, {matches} at once",
                count(standing.planned_groups(), "group", "groups")
            ));
        }
    }

    /// Tells of a match that does not count: it costs time, and has a cause.
    fn tell_of(&self, standing: &Standing, row: &MatchRow) {
        if !self.has_lines && self.bar.is_hidden() {
            return;
        }
        if let Some(annulled) = &row.annulled {
            let again = match annulled.because.is_played_again() {
                true => "it is played again",
                false => "its group does not count",
            };
            self.complain(&format!(
                "match {} is annulled: {}; {again}",
                row.of,
                Outside(&annulled.detail)
            ));
        }
        for seat in &row.seats {
            let name = standing.spec().bots.get(seat.bot);
            let name = name.map_or("a bot", |bot| bot.name.as_str());
            if seat.restarts > 0 {
                self.complain(&format!(
                    "match {}: {name} died and was started again",
                    row.of
                ));
            }
            if let Some(reason) = &seat.forfeit {
                let note = match seat.end {
                    BotEnd::OutOfMemory => ", OUT_OF_MEMORY",
                    _ => "",
                };
                self.complain(&format!(
                    "match {}: {name} forfeited: {reason}{note}",
                    row.of
                ));
            }
        }
    }

    fn complain(&self, line: &str) {
        self.bar.suspend(|| output::complain(line));
    }

    fn show_standing(&mut self, standing: &Standing) {
        self.bar.set_position(standing.groups());
        let interval = match (self.has_lines, self.bar.is_hidden()) {
            (true, _) => LINE_INTERVAL,
            (false, true) => return,
            (false, false) => TABLE_INTERVAL,
        };
        if self.shown.is_some_and(|shown| shown.elapsed() < interval) {
            return;
        }
        self.shown = Some(Instant::now());
        let report = standing.report(exit(standing));
        let pace = self.pace(standing);
        if self.has_lines {
            output::complain(&format!(
                "{} of {}, {pace}; {}",
                standing.groups(),
                count(standing.planned_groups(), "group", "groups"),
                ending::verdict_so_far(&report)
            ));
            return;
        }
        let width = output::error_width();
        let table = match standing.groups() {
            0 => String::new(),
            _ => ending::table(&report, width),
        };
        let below = format!("{pace}\n{}\n{table}", ending::verdict_so_far(&report));
        self.bar
            .set_message(format!("groups\n{}", fitted(&below, width).trim_end()));
    }

    /// Matches a second, and the time that the rest takes at that rate at most.
    fn pace(&self, standing: &Standing) -> String {
        let played = standing.finished_matches() - self.finished_before;
        let seconds = self.begun.elapsed().as_secs_f64();
        let rate = played as f64 / seconds.max(1e-3);
        let groups = standing.planned_groups().saturating_sub(standing.groups());
        let left = groups as f64 * f64::from(standing.spec().matches_per_group());
        let left = ending::duration_of(left / rate.max(1e-9));
        format!("{rate:.1} matches/s, at most {left} left")
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
