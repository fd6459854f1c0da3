//! The sections of a contest's report on its bots: time use, processes, faults and worst matches.

use bridgemaster_runner::{BotReport, IntervalReport, MatchRow, Report, SeatRow, WorstMatchReason};

use crate::{
    contest::figures::{self, or_dash, rounded, share},
    contest::outputs::model::{Block, Cell, Column, Section, Table},
    quantities::{count, memory, time_us},
};

/// Maximum number of bot processes whose standard error is quoted.
const MAX_QUOTES: usize = 3;
/// Maximum number of the worst matches of all bots together.
const MAX_WORST: usize = 5;

/// Returns the candidate's worst matches, and those of other bots that forfeited.
pub(super) fn worst(report: &Report) -> Option<Section> {
    let candidate = figures::candidate(report).map(|bot| bot.bot);
    let bots = report.bots.iter().filter(|bot| candidate == Some(bot.bot) || bot.forfeits > 0);
    let rows = bots.flat_map(|bot| {
        bot.worst.iter().map(|worst| {
            let place = match worst.why {
                WorstMatchReason::Lost => figures::with_memory(
                    format!("place {}, margin {:+}", worst.place, worst.margin),
                    worst,
                ),
                WorstMatchReason::Forfeited { .. } => figures::why(worst),
            };
            [
                worst.of.to_string(),
                bot.name.clone(),
                place,
                worst.seed.clone(),
                or_dash(worst.replay.clone()),
            ]
            .map(Cell::from)
            .into()
        })
    });
    let rows: Vec<Vec<Cell>> = rows.take(MAX_WORST).collect();
    let columns = ["match", "bot", "reason", "seed", "replay"].map(Column::text);
    let table = Table { columns: columns.into(), rows };
    (!table.rows.is_empty()).then(|| Section::new("Worst matches", vec![Block::Table(table)]))
}

/// Returns the last lines that failed or restarted bots wrote to standard error.
pub(super) fn stderr_tails(rows: &[MatchRow]) -> Vec<Section> {
    let seats = rows.iter().flat_map(|row| row.seats.iter().map(move |seat| (row, seat)));
    let has_failed = |seat: &SeatRow| !seat.end.is_regular() || seat.restarts > 0;
    let tails = seats.filter(|(_, seat)| has_failed(seat) && !seat.stderr_tail.is_empty());
    let tails = tails.take(MAX_QUOTES).map(|(row, seat)| {
        let title = format!("Standard error of match {}", row.of);
        Section::new(title, vec![Block::Quote(seat.stderr_tail.clone())])
    });
    tails.collect()
}

/// Returns a section on a bot's time use, processes, faults and worst matches.
pub(crate) fn details(report: &Report, bot: &BotReport) -> Section {
    let mut lines = bot_lines(report, bot);
    let mut blocks = Vec::new();
    if bot.worst.is_empty() {
        lines.push(format!("  {}", without_defeat(bot)));
        blocks.push(Block::Lines(lines));
    } else {
        lines.push("  worst matches:".to_owned());
        blocks.push(Block::Lines(lines));
        blocks.push(Block::Table(worst_of(bot)));
        blocks.push(Block::Paths(worst_files(report, bot)));
    }
    Section::new(format!("{} ({})", bot.name, bot.command), blocks)
}

/// Describes the results of a bot that was never behind another bot.
fn without_defeat(bot: &BotReport) -> String {
    match bot.shared_wins {
        _ if bot.played == 0 => "has played no match that counts".to_owned(),
        0 => "won every match".to_owned(),
        ties => {
            format!("lost no match; tied for first place in {}", count(ties, "match", "matches"))
        }
    }
}

/// Describes a bot's results, time use, processes and faults.
pub(super) fn bot_lines(report: &Report, bot: &BotReport) -> Vec<String> {
    let mut lines = vec![played(bot), time_use(bot)];
    for (name, figure) in [("score", bot.score), ("matches won", bot.win_rate)] {
        lines.extend(figure.map(|figure| format!("{name}: {}", share(figure))));
    }
    for (name, figure) in [("mean place", bot.place), ("mean margin", bot.margin)] {
        let text = |IntervalReport { estimate, low, high }| {
            let [estimate, low, high] = [estimate, low, high].map(|part| rounded(part, 2));
            format!("{name}: {estimate:.2} ({low:.2} to {high:.2})")
        };
        lines.extend(figure.map(text));
    }
    if bot.forfeits > 0 {
        lines.push(format!("forfeited: {}", bot.forfeits));
    }
    lines.extend(processes(report, bot));
    // Reasons are stored only for the first faults of a seat, so they may add up to fewer faults.
    lines.push(match (bot.faults, reasons(bot).as_str()) {
        (0, _) => "no faults".to_owned(),
        (faults, "") => format!("faults: {faults}"),
        (faults, reasons) => format!("faults: {faults} ({reasons})"),
    });
    lines.iter().map(|line| format!("  {line}")).collect()
}

fn played(bot: &BotReport) -> String {
    let mut line = format!("{} played, {} won", count(bot.played, "seat", "seats"), bot.wins);
    if bot.shared_wins > 0 {
        line.push_str(&format!(", {} tied for first place", bot.shared_wins));
    }
    line
}

fn time_use(bot: &BotReport) -> String {
    let mut line = format!(
        "{}, {} on average, {} at most",
        count(bot.answered, "decision", "decisions"),
        time_us(bot.mean_us),
        time_us(bot.longest_us)
    );
    if let Some(left) = bot.least_bank_left_ms {
        line.push_str(&format!(
            "; lowest time bank at the end of any match: {:.1} s",
            f64::from(left) / 1e3
        ));
    }
    line
}

/// Describes the restarts, memory and CPU time of a bot's processes.
fn processes(report: &Report, bot: &BotReport) -> Vec<String> {
    let mut lines = Vec::new();
    if bot.restarts > 0 {
        lines.push(format!("died in a match and was restarted: {}", bot.restarts));
    }
    let peak = bot.peak_memory_bytes;
    lines.extend(peak.map(|bytes| format!("peak memory: {}", memory(bytes))));
    let cpu = bot.mean_cpu_time_ms;
    lines.extend(cpu.map(|ms| format!("CPU time: {ms} ms per match")));
    if bot.out_of_memory > 0 {
        let limit = report.spec.bot_memory_bytes.map(memory);
        let limit = limit.map_or_else(String::new, |limit| format!(", of {limit}"));
        lines.push(format!("OUT_OF_MEMORY: {}{limit}", bot.out_of_memory));
    }
    lines
}

fn worst_of(bot: &BotReport) -> Table {
    let rows = bot.worst.iter().map(|worst| {
        [
            worst.of.to_string(),
            worst.seat.to_string(),
            figures::why(worst),
            worst.place.to_string(),
            worst.score.to_string(),
            format!("{:+}", worst.margin),
        ]
        .map(Cell::from)
        .into()
    });
    Table {
        columns: ["match", "seat", "why", "place", "score", "margin"].map(Column::text).into(),
        rows: rows.collect(),
    }
}

/// Lists the files of a bot's worst matches. They are not in the table, because a path that wraps
/// there cannot be copied.
fn worst_files(report: &Report, bot: &BotReport) -> Vec<String> {
    let files = bot.worst.iter().flat_map(|worst| {
        let files = [("replay", &worst.replay), ("stderr", &worst.stderr)];
        files.into_iter().filter_map(|(kind, name)| {
            let path = report.folder.join(name.as_ref()?);
            Some(format!("  {} {kind}: {}", worst.of, path.display()))
        })
    });
    files.collect()
}

pub(super) fn reasons(bot: &BotReport) -> String {
    let reasons = bot.faults_by_reason.iter();
    let reasons: Vec<String> = reasons.map(|(reason, count)| format!("{reason} {count}")).collect();
    reasons.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_is_not_a_won_match() {
        let bot = |played, shared_wins| BotReport { played, shared_wins, ..BotReport::default() };
        assert_eq!(without_defeat(&bot(4, 0)), "won every match");
        let tied = without_defeat(&bot(4, 1));
        assert_eq!(tied, "lost no match; tied for first place in 1 match");
        assert!(without_defeat(&bot(0, 0)).contains("no match"));
    }
}
