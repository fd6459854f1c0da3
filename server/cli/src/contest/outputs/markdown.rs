//! Formats the report as Markdown, for CI job summaries.

mod escaping;
mod played;

use bridgemaster_runner::{
    BotReport, GroupPoint, MatchRow, Report, SeatRow, TestReport, WorstMatchReason,
};

use self::{
    escaping::{escaped, preformatted},
    played::played,
};
use super::super::figures::{self, or_dash};
use crate::count::count;

/// The chart's width, in columns.
const CHART_COLUMNS: usize = 60;
/// The chart's height, in lines.
const CHART_LINES: usize = 9;

/// Maximum number of processes whose standard error is included.
const MAX_TAILS: usize = 3;

/// Maximum number of listed worst matches.
const MAX_WORST: usize = 5;

/// Formats the report with headings, tables and a text chart.
pub(super) fn text(report: &Report, rows: &[MatchRow]) -> String {
    let mut parts = vec![
        format!("## Contest: {}", figures::ending(report.exit.reason)),
        sentence(&report.exit.sentence),
        bots(report),
    ];
    parts.extend(verdict(report));
    parts.extend(chart(report));
    parts.extend(requirements(report));
    parts.extend(worst(report));
    parts.extend(stderr_tails(rows));
    parts.push(played(report));
    parts.join("\n\n") + "\n"
}

/// Formats the outcome. In its text, lines after the first can be a bot's standard error.
fn sentence(sentence: &str) -> String {
    match sentence.split_once('\n') {
        None => escaped(sentence),
        Some((first, stderr)) => format!("{}\n\n{}", escaped(first), preformatted(stderr)),
    }
}

fn bots(report: &Report) -> String {
    let mut lines = vec![
        "| rank | bot | Elo | score | won | margin | forfeits | faults | longest decision | \
         CPU per match | memory |"
            .to_owned(),
        "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|".to_owned(),
    ];
    lines.extend(report.bots.iter().map(|bot| {
        let cells = [
            or_dash(figures::ranks(bot)),
            escaped(&bot.name),
            or_dash(bot.rating.map(|rating| figures::signed(rating.elo))),
            or_dash(bot.score.map(figures::share)),
            or_dash(bot.win_rate.map(figures::share)),
            or_dash(bot.margin.map(figures::signed)),
            bot.forfeits.to_string(),
            faults(bot),
            figures::time_us(bot.longest_us),
            or_dash(
                bot.mean_cpu_time_ms
                    .map(|ms| figures::time_us(ms.saturating_mul(1000))),
            ),
            or_dash(bot.peak_memory_bytes.map(figures::memory)),
        ];
        format!("| {} |", cells.join(" | "))
    }));
    lines.join("\n")
}

fn faults(bot: &BotReport) -> String {
    let reasons = bot.faults_by_reason.iter();
    let reasons: Vec<String> = reasons
        .map(|(reason, count)| format!("{count} {}", escaped(reason)))
        .collect();
    match (bot.faults, reasons.is_empty()) {
        (0, _) => "0".to_owned(),
        (count, true) => count.to_string(),
        (count, false) => format!("{count}: {}", reasons.join(", ")),
    }
}

fn verdict(report: &Report) -> Option<String> {
    let verdict = report.verdict.as_ref()?;
    if verdict.groups == 0 {
        return None;
    }
    let candidate = figures::candidate(report).map(|bot| escaped(&bot.name));
    let mut lines = vec![format!(
        "**{}**: {} after {} ({}).",
        or_dash(candidate),
        figures::verdict(verdict),
        count(verdict.groups, "group", "groups"),
        count(verdict.matches, "match", "matches")
    )];
    if let Some(elo) = verdict.elo {
        let level = report.spec.level * 100.0;
        lines.push(format!(
            "Elo against its opponents: {} ({level} %).",
            figures::signed(elo)
        ));
    }
    if let Some(superiority) = verdict.superiority {
        lines.push(format!(
            "Probability of being better: {:.1} %.",
            superiority * 100.0
        ));
    }
    if let Some(test) = &verdict.test {
        lines.push(format!(
            "Log-likelihood ratio: {:.2}; the test rejects at {:.2} and accepts at {:.2}.",
            test.llr, test.llr_lower, test.llr_upper
        ));
    }
    if verdict.rests_on_few_groups {
        lines.push("These figures are based on fewer than 30 groups.".to_owned());
    }
    // In Markdown, a backslash at the end of a line is a line break.
    Some(lines.join("\\\n"))
}

/// Formats a chart of the log-likelihood ratio or, without a test, of the mean score.
fn chart(report: &Report) -> Option<String> {
    if report.series.len() < 2 {
        return None;
    }
    let test = report.verdict.as_ref().and_then(|verdict| verdict.test);
    let llrs: Vec<f64> = report.series.iter().filter_map(|point| point.llr).collect();
    let (title, drawn) = match test {
        Some(TestReport {
            llr_lower,
            llr_upper,
            ..
        }) if llrs.len() == report.series.len() => (
            "Log-likelihood ratio over the groups, between rejecting and accepting:",
            text_chart(&llrs, [llr_lower, llr_upper]),
        ),
        _ => {
            let means = |point: &GroupPoint| point.mean_score;
            let means: Vec<f64> = report.series.iter().map(means).collect();
            (
                "Mean score over the groups:",
                text_chart(&means, [0.0, 1.0]),
            )
        }
    };
    Some(format!("{title}\n\n```text\n{drawn}\n```"))
}

/// Draws a text chart between two bounds, with the upper bound at the top.
fn text_chart(values: &[f64], [lower, upper]: [f64; 2]) -> String {
    let values = figures::downsampled(values, CHART_COLUMNS);
    let steps = (CHART_LINES - 1) as f64;
    let line_of = |value: f64| {
        ((upper - value) / (upper - lower) * steps)
            .round()
            .clamp(0.0, steps)
    };
    let mut lines = Vec::new();
    for line in 0..CHART_LINES {
        let at = upper - (upper - lower) * line as f64 / steps;
        // The rows of the upper bound, the lower bound and their mean have labels.
        let is_marked = line % ((CHART_LINES - 1) / 2) == 0;
        let label = if is_marked {
            format!("{at:6.2}")
        } else {
            " ".repeat(6)
        };
        let mut drawn = String::new();
        for value in &values {
            let is_here = line_of(*value) == line as f64;
            drawn.push(match (is_here, is_marked) {
                (true, _) => '●',
                (false, true) => '┈',
                (false, false) => ' ',
            });
        }
        lines.push(format!("{label} ┤{drawn}").trim_end().to_owned());
    }
    lines.join("\n")
}

fn requirements(report: &Report) -> Option<String> {
    if report.requirements.is_empty() {
        return None;
    }
    let mut lines = vec![
        "| requirement | met | value | end of the interval |".to_owned(),
        "|---|---|---:|---:|".to_owned(),
    ];
    lines.extend(report.requirements.iter().map(|requirement| {
        let figure = |figure: Option<f64>| or_dash(figure.map(|figure| format!("{figure:.4}")));
        format!(
            "| {} | {} | {} | {} |",
            escaped(&requirement.text),
            if requirement.is_met { "yes" } else { "**no**" },
            figure(requirement.estimate),
            figure(requirement.interval_end)
        )
    }));
    Some(lines.join("\n"))
}

/// Lists the candidate's worst matches, and those of other bots that forfeited.
fn worst(report: &Report) -> Option<String> {
    let candidate = figures::candidate(report).map(|bot| bot.bot);
    let bots = report.bots.iter().filter(|bot| match candidate {
        Some(candidate) => bot.bot == candidate || bot.forfeits > 0,
        None => bot.forfeits > 0,
    });
    let listed = bots.flat_map(|bot| {
        bot.worst.iter().map(|worst| {
            let reason = match &worst.why {
                WorstMatchReason::Forfeited { reason } => format!("forfeited: {}", escaped(reason)),
                WorstMatchReason::Lost => {
                    format!("place {}, margin {:+}", worst.place, worst.margin)
                }
            };
            let note = if worst.ran_out_of_memory {
                ", OUT_OF_MEMORY"
            } else {
                ""
            };
            let replay = worst.replay.as_deref().map(escaped);
            let (name, seed) = (escaped(&bot.name), escaped(&worst.seed));
            format!(
                "| {} | {name} | {reason}{note} | {seed} | {} |",
                worst.of,
                or_dash(replay)
            )
        })
    });
    let listed: Vec<String> = listed.take(MAX_WORST).collect();
    if listed.is_empty() {
        return None;
    }
    let header = "| match | bot | reason | seed | replay |\n|---|---|---|---|---|";
    Some(format!("Worst matches:\n\n{header}\n{}", listed.join("\n")))
}

/// Formats the last lines that failed or restarted bots wrote to standard error.
fn stderr_tails(rows: &[MatchRow]) -> Option<String> {
    let seats = rows
        .iter()
        .flat_map(|row| row.seats.iter().map(move |seat| (row, seat)));
    let has_failed = |seat: &SeatRow| !seat.end.is_regular() || seat.restarts > 0;
    let tails = seats.filter(|(_, seat)| has_failed(seat) && !seat.stderr_tail.is_empty());
    let tails = tails.take(MAX_TAILS).map(|(row, seat)| {
        let tail = preformatted(&seat.stderr_tail);
        format!("Standard error of match {}:\n\n{tail}", row.of)
    });
    let tails: Vec<String> = tails.collect();
    (!tails.is_empty()).then(|| tails.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use bridgemaster_runner::{BotEnd, FaultCounting};

    use super::{
        super::examples::{empty_report, hostile_report, hostile_rows, report, rows},
        *,
    };

    #[test]
    fn the_summary_has_verdict_bots_requirements_and_counts() {
        let text = text(&report(), &rows());
        for expected in [
            "## Contest: accepted",
            "mine is better than greedy",
            "| 1 to 2 | mine | +100.0 [+70.0, +130.0] |",
            "**mine**: accepted by betting after 12 groups (24 matches).",
            "Elo against its opponents: +101.5 [+41.5, +161.5] (95 %).",
            "based on fewer than 30 groups",
            "| elo&#62;&#61;0&#64;95&#37; | yes | 101.5000 | 41.5000 |",
            "| 3.1 | mine | place 2, margin -20 |",
            "Traceback\n  out of ideas\n</pre>",
            "1 annulled because of referee lag",
            "carcassonne (rules 1) at 2 seats",
        ] {
            assert!(text.contains(expected), "{expected} is missing in:\n{text}");
        }
    }

    #[test]
    fn standard_error_of_a_restarted_bot_is_included() {
        let mut report = report();
        report.spec.faults = FaultCounting::Fail;
        let mut rows = rows();
        rows.truncate(1);
        for seat in &mut rows[0].seats {
            seat.end = BotEnd::Done;
            seat.stderr_tail.clear();
        }
        let seat = &mut rows[0].seats[0];
        (seat.restarts, seat.stderr_tail) = (1, "killed".to_owned());
        let text = text(&report, &rows);
        assert!(text.contains("<pre>\nkilled\n</pre>"), "{text}");
        let expected = "a bot that dies in a match is restarted up to 1 time";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn the_chart_has_a_point_in_each_column_and_both_bounds() {
        let text = text(&report(), &[]);
        let chart = text.split("```").nth(1).unwrap();
        assert_eq!(chart.matches('●').count(), 12, "{chart}");
        assert!(
            chart.contains("  3.66 ┤") && chart.contains(" -3.66 ┤"),
            "{chart}"
        );
        assert!(chart.contains("  0.00 ┤"), "{chart}");
    }

    #[test]
    fn a_contest_without_a_match_has_a_summary_too() {
        let text = text(&empty_report(), &[]);
        assert!(text.contains("mine cannot be started"), "{text}");
        assert!(!text.contains('┤'), "{text}");
    }

    #[test]
    fn untrusted_text_has_no_markup() {
        let text = text(&hostile_report(), &hostile_rows());
        // The report itself uses bold text and `pre`.
        let own = text
            .replace("**no**", "")
            .replace("<pre>", "")
            .replace("</pre>", "");
        for mark in ["<", "[x]", "`|", "**b", "@everyone", "javascript:y)@"] {
            let is_in_pre = |line: &str| line.starts_with("=cmd") || line.starts_with("&lt;/pre");
            let found = own
                .lines()
                .find(|line| line.contains(mark) && !is_in_pre(line));
            assert!(found.is_none(), "{mark}: {found:?}");
        }
        // Line breaks in untrusted text must be escaped, except within `pre`.
        let mut is_within = false;
        for line in text.lines() {
            match line {
                "<pre>" => is_within = true,
                "</pre>" => is_within = false,
                line => assert!(is_within || !line.starts_with("# FORGED"), "{text}"),
            }
        }
        assert!(!is_within);
        let rows = text.lines().filter(|line| line.starts_with("| 1 to 2 |"));
        for row in rows {
            assert_eq!(row.matches('|').count(), 12, "{row}");
        }
    }
}
