//! `bridgemaster contest show`: shows a contest from its folder.

use std::path::PathBuf;

use bridgemaster_runner::{BotReport, Report, exit, read_contest};
use clap::Args;

use super::{
    ending,
    figures::{memory, share, time_us, why},
    outputs::OutputArgs,
    playing::to_error,
};
use crate::{failure::misuse, output, table::plain};

#[derive(Args)]
#[command(
    after_help = "Also shows a contest that is still running. Exit codes: 0 for every verdict; 6 \
    the folder cannot be read."
)]
pub(super) struct ShowArgs {
    /// Folder of the contest
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Show details of this bot only (repeatable) [default: all bots]
    #[arg(long = "bot", value_name = "NAME")]
    bots: Vec<String>,
    #[command(flatten)]
    outputs: OutputArgs,
}

impl ShowArgs {
    pub(super) fn run(self) -> anyhow::Result<u8> {
        let outputs = self.outputs.open()?;
        let (state, rows) = read_contest(&self.folder).map_err(|error| to_error(error.into()))?;
        for name in &self.bots {
            if state.spec().bot_number(name).is_none() {
                return Err(misuse(format!("--bot {name}: the contest has no such bot")));
            }
        }
        let report = state.report(exit(&state));
        outputs.write(&report, &rows)?;
        if outputs.use_stdout() {
            return Ok(0);
        }
        let mut text = ending::text(&report);
        for bot in &report.bots {
            if self.bots.is_empty() || self.bots.contains(&bot.name) {
                text.push_str(&bot_details(&report, bot));
            }
        }
        output::print(&text)?;
        Ok(0)
    }
}

/// Formats a bot's time use, faults and worst matches.
fn bot_details(report: &Report, bot: &BotReport) -> String {
    let mut text = format!(
        "\n{} ({})\n  {} decisions, {} on average, {} at most",
        bot.name,
        bot.command,
        bot.answered,
        time_us(bot.mean_us),
        time_us(bot.longest_us)
    );
    if let Some(left) = bot.least_bank_left_ms {
        text.push_str(&format!(
            "; lowest time bank at the end of any match: {:.1} s",
            f64::from(left) / 1e3
        ));
    }
    text.push('\n');
    for (name, figure) in [("score", bot.score), ("matches won", bot.win_rate)] {
        if let Some(figure) = figure {
            text.push_str(&format!("  {name}: {}\n", share(figure)));
        }
    }
    for (name, figure) in [("mean place", bot.place), ("mean margin", bot.margin)] {
        if let Some(figure) = figure {
            text.push_str(&format!(
                "  {name}: {:.2} ({:.2} to {:.2})\n",
                figure.estimate, figure.low, figure.high
            ));
        }
    }
    if bot.forfeits > 0 {
        text.push_str(&format!("  forfeited: {}\n", bot.forfeits));
    }
    text.push_str(&processes(report, bot));
    match bot.faults_by_reason.as_slice() {
        [] => text.push_str("  no faults\n"),
        reasons => {
            let reasons = reasons
                .iter()
                .map(|(reason, count)| format!("{reason} {count}"));
            let reasons = reasons.collect::<Vec<_>>().join(", ");
            text.push_str(&format!("  faults: {reasons}\n"));
        }
    }
    text.push_str(&worst_matches(report, bot));
    text
}

/// Formats the restarts, memory and CPU time of a bot's processes.
fn processes(report: &Report, bot: &BotReport) -> String {
    let mut text = String::new();
    if bot.restarts > 0 {
        text.push_str(&format!(
            "  died in a match and was restarted: {}\n",
            bot.restarts
        ));
    }
    if let Some(bytes) = bot.peak_memory_bytes {
        text.push_str(&format!("  peak memory: {}\n", memory(bytes)));
    }
    if let Some(cpu_ms) = bot.mean_cpu_time_ms {
        text.push_str(&format!("  CPU time: {cpu_ms} ms per match\n"));
    }
    if bot.out_of_memory > 0 {
        text.push_str(&format!("  OUT_OF_MEMORY: {}", bot.out_of_memory));
        let limit = report.spec.bot_memory_bytes.map(memory);
        text.push_str(&limit.map_or_else(String::new, |limit| format!(", of {limit}")));
        text.push('\n');
    }
    text
}

fn worst_matches(report: &Report, bot: &BotReport) -> String {
    if bot.worst.is_empty() {
        return "  won every match\n".to_owned();
    }
    let header = ["match", "seat", "why", "place", "score", "margin"];
    let rows = bot.worst.iter().map(|worst| {
        [
            worst.of.to_string(),
            worst.seat.to_string(),
            why(worst),
            worst.place.to_string(),
            worst.score.to_string(),
            format!("{:+}", worst.margin),
        ]
    });
    let mut text = format!("  worst matches:\n{}", plain(header, rows));
    // Values are on separate lines, because a path that wraps in a table cannot be copied.
    for worst in &bot.worst {
        let files = [("replay", &worst.replay), ("stderr", &worst.stderr)];
        for (kind, name) in files {
            if let Some(name) = name {
                let path = report.folder.join(name);
                text.push_str(&format!("  {} {kind}: {}\n", worst.of, path.display()));
            }
        }
    }
    text
}
