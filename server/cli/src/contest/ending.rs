//! Formats a contest as text: standings, verdict and next steps.

use bridgemaster_proto::escape::Escaped;
use bridgemaster_runner::{
    BotReport, FaultCounting, IntervalReport, RatingErrors, Report, STDERR_FOLDER, VerdictReport,
};

use super::figures::{self, memory, ranks, signed, time_us};
use crate::{
    count::count,
    output,
    table::{narrowed, terminal_width},
    wrapped::fitted,
};

/// Formats the whole report as text.
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
        "\n{}\n\nfolder: {folder}\n  {program} contest show {folder}\noutput of bots: {}\n",
        Lines(&report.exit.sentence),
        report.folder.join(STDERR_FOLDER).display()
    ));
    text
}

/// Formats the part below the table: verdict, counts and requirements.
pub(super) fn below(report: &Report) -> String {
    let mut below = String::new();
    if report.rating_errors == Some(RatingErrors::Model) {
        below.push_str(
            "the intervals of ranks and Elo are model estimates and might be too narrow: there are \
             few groups, or bots that win or lose every match\n",
        );
    }
    if let Some(verdict) = report.verdict.as_ref().filter(|verdict| verdict.groups > 0) {
        below.push_str(&difference(report, verdict));
    }
    below.push_str(&counts(report));
    if let Some(isolation) = report.isolation {
        below.push_str(&format!("bots ran in {isolation}\n"));
    }
    for required in &report.requirements {
        let is_met = if required.is_met { "met" } else { "NOT MET" };
        let figure = required.interval_end.or(required.estimate);
        let figure = figure.map_or_else(|| "no value".to_owned(), |figure| format!("{figure:.3}"));
        below.push_str(&format!(
            "requirement {}: {is_met} ({figure})\n",
            required.text
        ));
    }
    below
}

/// Untrusted text. It is displayed with escapes, and with a mark before each line except the first.
struct Lines<'a>(&'a str);

impl std::fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, line) in self.0.lines().enumerate() {
            if number > 0 {
                f.write_str("\n  | ")?;
            }
            write!(f, "{}", Escaped(line))?;
        }
        Ok(())
    }
}

/// Formats the standings to fit `width` columns.
pub(super) fn table(report: &Report, width: Option<u16>) -> String {
    let header = [
        "rank", "bot", "Elo", "score", "won", "seats", "faults", "longest", "CPU", "memory",
    ];
    let optional = [
        "memory", "CPU", "longest", "won", "seats", "score", "faults",
    ];
    let hint = "--json has all";
    narrowed(header, report.bots.iter().map(row), &optional, hint, width)
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

/// Absolute Elo from which a bound counts as infinite. Scores are limited to 0.001..=0.999, so Elo
/// is limited to -1199.8..=1199.8.
const UNBOUNDED_ELO: f64 = 1_199.0;

/// Formats the current verdict on one line.
pub(super) fn verdict_so_far(report: &Report) -> String {
    let Some(verdict) = &report.verdict else {
        return leader(report);
    };
    let name = name(report, verdict);
    let (low, high) = (verdict.confidence.elo_low, verdict.confidence.elo_high);
    let bounds = match (low <= -UNBOUNDED_ELO, high >= UNBOUNDED_ELO) {
        (true, true) => format!("no Elo estimate for {name} yet"),
        (false, true) => format!("{name} is at least {low:+.0} Elo better"),
        (true, false) => format!("{name} is at most {high:+.0} Elo better"),
        (false, false) => format!("{name} is {low:+.0} to {high:+.0} Elo better"),
    };
    let confidence = format!(
        "{bounds} (anytime-valid confidence {:.0} %)",
        verdict.confidence.level * 100.0
    );
    match verdict.test {
        None => confidence,
        Some(test) => format!(
            "LLR {:.2} of [{:.2}, {:.2}]; {confidence}",
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

/// Describes the verdict and the Elo difference between the candidate and its opponents.
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
                ", probability of being better {:.1} %",
                superiority * 100.0
            ));
        }
        text.push_str(&format!("; intervals of {level:.0} %"));
        if verdict.rests_on_few_groups {
            text.push_str("; rough estimates, from fewer than 30 groups");
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
            "annulled because of referee lag, and repeated",
        ),
        (
            counts.annulled_for_server_crash,
            "annulled after a server crash, and repeated",
        ),
        (
            counts.annulled_for_bot_fault,
            "excluded, with their groups, because a bot had a fault",
        ),
        (
            counts.annulled_for_decline,
            "declined by an attending bot, and repeated",
        ),
        (
            counts.surplus_matches,
            "finished but not counted: after the verdict, or in incomplete groups",
        ),
        (counts.forfeited_matches, "forfeited by a bot"),
    ] {
        if number > 0 {
            text.push_str(&format!("  {} {what}\n", count(number, "match", "matches")));
        }
    }
    text.push_str(&notes_on_bots(report));
    if counts.repeated_groups > 0 {
        text.push_str(&format!(
            "  {} skipped because of a repeated seed\n",
            count(counts.repeated_groups, "group", "groups")
        ));
    }
    text
}

/// Describes the seeds, and the bots' restarts, refused calls, file changes and clocks.
fn notes_on_bots(report: &Report) -> String {
    let mut text = String::new();
    if report.spec.faults == FaultCounting::Fail {
        let restarts = figures::restarts(&report.spec);
        text.push_str(&format!(
            "  a fault of a bot stops the contest; a bot that dies in a match {restarts}\n"
        ));
    }
    for bot in report.bots.iter().filter(|bot| bot.restarts > 0) {
        let times = count(bot.restarts, "time", "times");
        text.push_str(&format!(
            "  {} died in a match and was restarted {times}\n",
            bot.name
        ));
    }
    for calls in &report.refused_calls {
        let attempt = figures::refused_calls(&report.spec, calls.bot, &calls.method, calls.count);
        text.push_str(&format!("  {attempt}\n"));
    }
    if report.spec.has_bots_with_own_seeds() {
        let which = figures::bots_with_memory(&report.spec);
        text.push_str(&format!(
            "  {which} might remember earlier matches, so each match had its own seed\n"
        ));
    }
    if let Some(chance) = figures::chance(&report.spec) {
        text.push_str(&format!("  {chance}\n"));
    }
    for change in figures::changes(report) {
        text.push_str(&format!("  {}\n", Escaped(&change)));
    }
    for bot in report.spec.bots.iter().filter(|bot| !bot.clock.is_even()) {
        text.push_str(&format!("  time odds: {} has {}\n", bot.name, bot.clock));
    }
    text
}

/// Formats a duration with a suitable unit.
pub(super) fn duration_of(seconds: f64) -> String {
    let whole = seconds.round().min(1e9) as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..120 => format!("{whole} s"),
        120..7_200 => format!("{} min", whole / 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}
