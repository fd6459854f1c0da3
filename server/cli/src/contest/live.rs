//! Live output of a contest: a progress bar and a table on a terminal, lines elsewhere.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bridgemaster_proto::escape::Escaped;
use bridgemaster_runner::{
    BotEnd, ContestEvent, ContestState, MatchRow, OutputListener, SeatRow, exit,
};
use indicatif::ProgressBar;

use crate::{
    contest::{
        figures,
        outputs::{sections::standings_table, text::table},
    },
    output,
    quantities::{count, duration_of},
    table::fitted_lines,
};

/// Interval between tables on a terminal. It limits the CPU time, since each table requires all
/// statistics again.
const TABLE_INTERVAL: Duration = Duration::from_secs(1);
/// Interval between progress lines if standard error is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Maximum number of bytes that are printed from the bots' standard error. It keeps CI logs short.
const MAX_OUTPUT_BYTES: u64 = 8 * 1024 * 1024;

/// Maximum number of lines that are printed from the end of a failed bot's standard error.
const TAIL_LINES: usize = 5;

/// Shows a contest on standard error.
pub(super) struct Live {
    bar: ProgressBar,
    has_lines: bool,
    started: Instant,
    finished_before: u64,
    last_shown: Option<Instant>,
}

impl Live {
    /// Creates a contest's output, which `quiet` hides.
    pub(super) fn new(state: &ContestState, quiet: bool) -> Self {
        let bar = if quiet {
            ProgressBar::hidden()
        } else {
            output::progress_bar(state.planned_groups(), "{bar:30} {pos}/{len} {msg}")
        };
        Self {
            has_lines: !quiet && bar.is_hidden(),
            bar,
            started: Instant::now(),
            finished_before: state.finished_matches(),
            last_shown: None,
        }
    }

    pub(super) fn show(&mut self, state: &ContestState, event: &ContestEvent<'_>) {
        match event {
            ContestEvent::Started { concurrency } => self.start(state, *concurrency),
            ContestEvent::MatchFinished(row) => {
                self.report_match(state, row);
                self.show_state(state);
            }
        }
    }

    fn start(&mut self, state: &ContestState, concurrency: usize) {
        self.started = Instant::now();
        self.bar.set_position(state.groups());
        self.bar.set_message("groups");
        if self.has_lines {
            let matches = count(concurrency, "match", "matches");
            let before = match self.finished_before {
                0 => String::new(),
                before => format!("{} played before; ", count(before, "match", "matches")),
            };
            output::eprint(&format!(
                "{before}playing up to {}, {matches} at once",
                count(state.planned_groups(), "group", "groups")
            ));
        }
    }

    /// Reports a match's annulment, refused calls, restarts and failures.
    fn report_match(&self, state: &ContestState, row: &MatchRow) {
        if !self.has_lines && self.bar.is_hidden() {
            return;
        }
        if let Some(annulled) = &row.annulled {
            let consequence = if annulled.because.is_played_again() {
                "it is repeated"
            } else {
                "its group does not count"
            };
            self.eprint(&format!(
                "match {} is annulled: {}; {consequence}",
                row.of,
                Escaped(&annulled.detail)
            ));
        }
        self.report_refused_calls(state, row);
        for seat in &row.seats {
            let name = state.spec().bots.get(seat.bot);
            let name = name.map_or("a bot", |bot| bot.name.as_str());
            if seat.restarts > 0 {
                self.eprint(&format!("match {}: {name} died and was restarted", row.of));
            }
            self.report_exit(row, name, seat);
            if let Some(reason) = &seat.forfeit {
                let note = match seat.end {
                    BotEnd::OutOfMemory => ", OUT_OF_MEMORY",
                    _ => "",
                };
                self.eprint(&format!("match {}: {name} forfeited: {reason}{note}", row.of));
            }
        }
    }

    /// Reports that a bot called methods that are reserved for the contest, and that the calls were
    /// refused. Such a bot has a bug, or tries to cheat.
    fn report_refused_calls(&self, state: &ContestState, row: &MatchRow) {
        for calls in &row.refused_calls {
            let bot = row.bot_of(calls, state.spec());
            let attempt = figures::refused_calls(state.spec(), bot, &calls.method, calls.count);
            self.eprint(&format!("match {}: {attempt}", row.of));
        }
    }

    /// Reports a bot process that failed, with the last lines of its standard error.
    fn report_exit(&self, row: &MatchRow, name: &str, seat: &SeatRow) {
        let how = match seat.end {
            BotEnd::Exited { code } => format!("exited with code {code}"),
            BotEnd::Signalled { signal } => format!("was killed by signal {signal}"),
            _ => return,
        };
        let lines: Vec<&str> = seat.stderr_tail.lines().collect();
        let stderr =
            output::last_words(lines[lines.len().saturating_sub(TAIL_LINES)..].iter().copied());
        self.eprint(&format!("match {}: {name} {how}; {stderr}", row.of));
    }

    /// Returns a listener that prints at most [`MAX_OUTPUT_BYTES`] of the bots' standard error.
    pub(super) fn output(&self) -> OutputListener {
        let bar = self.bar.clone();
        let printed = AtomicU64::new(0);
        Arc::new(move |bot: &str, line: &str| {
            let bytes = (bot.len() + line.len()) as u64;
            let before = printed.fetch_add(bytes, Ordering::Relaxed);
            if before <= MAX_OUTPUT_BYTES {
                bar.suspend(|| output::bot_line(bot, line));
                if before + bytes > MAX_OUTPUT_BYTES {
                    let mib = MAX_OUTPUT_BYTES >> 20;
                    let note = format!(
                        "only {mib} MiB of the bots' standard error is printed; the files in the \
                         folder have more"
                    );
                    bar.suspend(|| output::eprint(&note));
                }
            }
        })
    }

    fn eprint(&self, line: &str) {
        self.bar.suspend(|| output::eprint(line));
    }

    fn show_state(&mut self, state: &ContestState) {
        self.bar.set_position(state.groups());
        let interval = match (self.has_lines, self.bar.is_hidden()) {
            (true, _) => LINE_INTERVAL,
            (false, true) => return,
            (false, false) => TABLE_INTERVAL,
        };
        if self.last_shown.is_some_and(|shown| shown.elapsed() < interval) {
            return;
        }
        self.last_shown = Some(Instant::now());
        let report = state.report(exit(state));
        let pace = self.pace(state);
        if self.has_lines {
            output::eprint(&format!(
                "{} of {}, {pace}; {}",
                state.groups(),
                count(state.planned_groups(), "group", "groups"),
                figures::verdict_so_far(&report)
            ));
            return;
        }
        let width = output::error_width();
        let table = match state.groups() {
            0 => String::new(),
            _ => table(&standings_table(&report), width),
        };
        let below = format!("{pace}\n{}\n{table}", figures::verdict_so_far(&report));
        self.bar.set_message(format!("groups\n{}", fitted_lines(&below, width).trim_end()));
    }

    /// Describes how many matches are played per time. Once a match has finished, also describes
    /// the maximum remaining time at this rate.
    fn pace(&self, state: &ContestState) -> String {
        let played = state.finished_matches() - self.finished_before;
        if played == 0 {
            return "no match of this run has finished yet".to_owned();
        }
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = played as f64 / seconds.max(1e-3);
        let groups = state.planned_groups().saturating_sub(state.groups());
        let left = groups as f64 * f64::from(state.spec().matches_per_group());
        let left = duration_of(left / rate.max(1e-9));
        format!("{rate:.2} matches/s, at most {left} left")
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
