//! A contest as text: table, verdict, and what to do next.

use bridgemaster_proto::outside::Outside;
use bridgemaster_runner::{
    BotReport, FaultCounting, IntervalReport, RatingErrors, Report, VerdictReport,
};

use super::figures::{self, memory, ranks, signed, time_us};
use crate::{
    count::count,
    output,
    table::{narrowed, terminal_width},
    wrapped::fitted,
};

/// All of it.
pub(super) fn text(report: &Report) -> String {
    let mut text = String::new();
    if !report.bots.iter().all(|bot| bot.played == 0) {
        text.push_str(&table(report, terminal_width()));
        text.push('\n');
    }
    text.push_str(&fitted(&below(report), terminal_width()));
    let program = output::program();
    let folder = report.folder.display();
    text.push_str(&format!(
        "\n{}\n\nfolder: {folder}\n  {program} contest show {folder}\n",
        Lines(&report.exit.sentence)
    ));
    text
}

/// What stands below the table: the verdict, and how much was played.
pub(super) fn below(report: &Report) -> String {
    let mut below = String::new();
    if report.rating_errors == Some(RatingErrors::Model) {
        below.push_str(
            "ranks and Elo of the table rest on few groups, or on bots that win or lose all: their \
             intervals are those of the model, and may be too narrow\n",
        );
    }
    if let Some(verdict) = report.verdict.as_ref().filter(|verdict| verdict.groups > 0) {
        below.push_str(&difference(report, verdict));
    }
    below.push_str(&counts(report));
    for required in &report.requirements {
        let holds = match required.is_met {
            true => "holds",
            false => "DOES NOT HOLD",
        };
        let figure = required.interval_end.or(required.estimate);
        let figure = figure.map_or_else(|| "no figure".to_owned(), |figure| format!("{figure:.3}"));
        below.push_str(&format!("required {}: {holds} ({figure})\n", required.text));
    }
    below
}

/// Text of which each line may be from outside.
struct Lines<'a>(&'a str);

impl std::fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, line) in self.0.lines().enumerate() {
            if number > 0 {
                f.write_str("\n  | ")?;
            }
            write!(f, "{}", Outside(line))?;
        }
        Ok(())
    }
}

/// The bots, best first, at most so wide.
pub(super) fn table(report: &Report, width: Option<u16>) -> String {
    let header = [
        "rank", "bot", "Elo", "score", "won", "seats", "faults", "longest", "CPU", "memory",
    ];
    let spare = [
        "memory", "CPU", "longest", "won", "seats", "score", "faults",
    ];
    let found = "--json has all";
    narrowed(header, report.bots.iter().map(row), &spare, found, width)
}

fn row(bot: &BotReport) -> [String; 10] {
    let none = || "-".to_owned();
    let percent = |share: IntervalReport| format!("{:.1} %", share.estimate * 100.0);
    [
        ranks(bot).unwrap_or_else(none),
        bot.name.clone(),
        bot.rating.map_or_else(none, |rating| signed(rating.elo)),
        bot.score.map_or_else(none, percent),
        bot.win_rate.map_or_else(none, percent),
        bot.played.to_string(),
        bot.faults.to_string(),
        time_us(bot.longest_us),
        bot.mean_cpu_time_ms
            .map_or_else(none, |ms| time_us(ms.saturating_mul(1000))),
        bot.peak_memory_bytes.map_or_else(none, memory),
    ]
}

/// Elo this far from 0 are no bound: scores nearer to 0 or 1 than 0.001 count as that.
const FAR_ELO: f64 = 1_199.0;

/// The verdict so far, on a line.
pub(super) fn verdict_so_far(report: &Report) -> String {
    let Some(verdict) = &report.verdict else {
        return leader(report);
    };
    let name = name(report, verdict);
    let (low, high) = (verdict.confidence.elo_low, verdict.confidence.elo_high);
    let found = match (low <= -FAR_ELO, high >= FAR_ELO) {
        (true, true) => format!("how much better {name} is cannot be told yet"),
        (false, true) => format!("{name} is at least {low:+.0} Elo better"),
        (true, false) => format!("{name} is at most {high:+.0} Elo better"),
        (false, false) => format!("{name} is {low:+.0} to {high:+.0} Elo better"),
    };
    let sure = format!(
        "{found} (at {:.0} % however often you look)",
        verdict.confidence.level * 100.0
    );
    match verdict.test {
        None => sure,
        Some(test) => format!(
            "LLR {:.2} of [{:.2}, {:.2}]; {sure}",
            test.llr, test.llr_lower, test.llr_upper
        ),
    }
}

fn leader(report: &Report) -> String {
    match report.bots.first() {
        Some(bot) if bot.played > 0 => format!("{} leads", bot.name),
        _ => "no group is complete".to_owned(),
    }
}

fn name<'a>(report: &'a Report, verdict: &VerdictReport) -> &'a str {
    let bot = report.spec.bots.get(verdict.candidate);
    bot.map_or("the candidate", |bot| bot.name.as_str())
}

/// How much better the candidate is.
fn difference(report: &Report, verdict: &VerdictReport) -> String {
    let name = name(report, verdict);
    let word = figures::verdict(verdict);
    let groups = count(verdict.groups, "group", "groups");
    let mut text = format!(
        "{name}: {word}, {groups} of {} matches\n",
        report.spec.matches_per_group()
    );
    let level = report.spec.level * 100.0;
    if let Some(elo) = verdict.elo {
        text.push_str(&format!("  Elo against its opponents {}", signed(elo)));
        if let Some(superiority) = verdict.superiority {
            text.push_str(&format!(
                ", better at all with {:.1} %",
                superiority * 100.0
            ));
        }
        text.push_str(&format!("; intervals of {level:.0} %"));
        if verdict.rests_on_few_groups {
            text.push_str(", fewer than 30 groups: wide, and rough");
        }
        text.push('\n');
    }
    if verdict.test.is_some() {
        text.push_str(&format!("  {}\n", verdict_so_far(report)));
    }
    text
}

fn counts(report: &Report) -> String {
    let counts = &report.counts;
    let mut text = format!(
        "{} in {}, {}\n",
        count(counts.matches, "match", "matches"),
        count(counts.groups, "group", "groups"),
        duration_of(report.elapsed_ms as f64 / 1e3)
    );
    for (number, what) in [
        (
            counts.annulled_for_referee_lag,
            "annulled for the referee's own lag and played again",
        ),
        (
            counts.annulled_for_server_crash,
            "annulled after a crash of the server and played again",
        ),
        (
            counts.annulled_for_bot_fault,
            "not counted for a bot's fault, with their groups",
        ),
        (
            counts.annulled_for_decline,
            "declined by a bot that attends and played again",
        ),
        (
            counts.surplus_matches,
            "finished and not counted: behind the verdict, or of groups that are not complete",
        ),
        (counts.forfeited_matches, "forfeited by a bot"),
    ] {
        if number > 0 {
            text.push_str(&format!("  {} {what}\n", count(number, "match", "matches")));
        }
    }
    text.push_str(&of_bots(report));
    if counts.repeated_groups > 0 {
        text.push_str(&format!(
            "  {} left out, since the seed was listed before\n",
            count(counts.repeated_groups, "group", "groups")
        ));
    }
    text
}

/// What is to be known of the bots beside their results.
fn of_bots(report: &Report) -> String {
    let mut text = String::new();
    if report.spec.faults == FaultCounting::Fail {
        let restarts = figures::restarts(&report.spec);
        text.push_str(&format!(
            "  a fault of a bot ends the contest; one that dies in a match {restarts}\n"
        ));
    }
    for bot in report.bots.iter().filter(|bot| bot.restarts > 0) {
        let times = count(bot.restarts, "time", "times");
        text.push_str(&format!(
            "  {} died within a match and was started again {times}\n",
            bot.name
        ));
    }
    if report.spec.has_attending_bots() && !report.spec.trust_remote {
        text.push_str(
            "  bots that attend may remember: each of their matches had a seed of its own\n",
        );
    }
    for bot in report.spec.bots.iter().filter(|bot| !bot.clock.is_even()) {
        text.push_str(&format!("  time odds: {} has {}\n", bot.name, bot.clock));
    }
    text
}

/// Seconds for people.
pub(super) fn duration_of(seconds: f64) -> String {
    let whole = seconds.round().min(1e9) as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..120 => format!("{whole} s"),
        120..7_200 => format!("{} min", whole / 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}
