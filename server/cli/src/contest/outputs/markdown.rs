//! The report as Markdown, for the summary of a job.

mod escaping;
mod played;

use bridgemaster_runner::{BotReport, GroupPoint, MatchRow, Report, SeatRow, TestReport, WhyWorst};

use self::{
    escaping::{escaped, preformatted},
    played::played,
};
use super::super::figures::{self, or_dash};
use crate::count::count;

/// Columns and lines of the chart.
const CHART_COLUMNS: usize = 60;
const CHART_LINES: usize = 9;

/// Bots whose last words are shown, of those that ended badly.
const MOST_LAST_WORDS: usize = 3;

/// Worst matches that are listed.
const MOST_WORST: usize = 5;

/// Headings, tables and a chart of text, which any reader of Markdown shows.
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
    parts.extend(last_words(rows));
    parts.push(played(report));
    parts.join("\n\n") + "\n"
}

/// How it ended; behind the first line may be what a bot wrote.
fn sentence(sentence: &str) -> String {
    match sentence.split_once('\n') {
        None => escaped(sentence),
        Some((first, words)) => format!("{}\n\n{}", escaped(first), preformatted(words)),
    }
}

fn bots(report: &Report) -> String {
    let mut lines = vec![
        "| rank | bot | Elo | score | won | margin | forfeits | faults | longest answer | \
         CPU a match | memory |"
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
            "Chance that it is better at all: {:.1} %.",
            superiority * 100.0
        ));
    }
    if let Some(test) = &verdict.test {
        lines.push(format!(
            "Log-likelihood ratio: {:.2}; it rejects at {:.2} and accepts at {:.2}.",
            test.llr, test.llr_lower, test.llr_upper
        ));
    }
    if verdict.rests_on_few_groups {
        lines.push("These figures are based on fewer than 30 groups.".to_owned());
    }
    // Two spaces would do to break a line, and nobody sees them.
    Some(lines.join("\\\n"))
}

/// The log-likelihood ratio over the groups or, where there is no test, the mean score.
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
            lines_of_chart(&llrs, [llr_lower, llr_upper]),
        ),
        _ => {
            let means = |point: &GroupPoint| point.mean_score;
            let means: Vec<f64> = report.series.iter().map(means).collect();
            (
                "Mean score over the groups:",
                lines_of_chart(&means, [0.0, 1.0]),
            )
        }
    };
    Some(format!("{title}\n\n```text\n{drawn}\n```"))
}

/// A chart of lines of text, from the upper of the two values down to the lower.
fn lines_of_chart(values: &[f64], [lower, upper]: [f64; 2]) -> String {
    let values = figures::thinned(values, CHART_COLUMNS);
    let steps = (CHART_LINES - 1) as f64;
    let line_of = |value: f64| {
        ((upper - value) / (upper - lower) * steps)
            .round()
            .clamp(0.0, steps)
    };
    let mut lines = Vec::new();
    for line in 0..CHART_LINES {
        let at = upper - (upper - lower) * line as f64 / steps;
        // The value between both, 0 where they are each other's opposite, has its line too.
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
        "| requirement | met | found | end of the interval |".to_owned(),
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

/// The worst matches of the candidate or, in a contest without one, of the bots that forfeited.
fn worst(report: &Report) -> Option<String> {
    let candidate = figures::candidate(report).map(|bot| bot.bot);
    let bots = report.bots.iter().filter(|bot| match candidate {
        Some(candidate) => bot.bot == candidate || bot.forfeits > 0,
        None => bot.forfeits > 0,
    });
    let listed = bots.flat_map(|bot| {
        bot.worst.iter().map(|worst| {
            let why = match &worst.why {
                WhyWorst::Forfeited { reason } => format!("forfeited: {}", escaped(reason)),
                WhyWorst::Lost => format!("place {}, margin {:+}", worst.place, worst.margin),
            };
            let note = match worst.ran_out_of_memory {
                true => ", OUT_OF_MEMORY",
                false => "",
            };
            let replay = worst.replay.as_deref().map(escaped);
            let (name, seed) = (escaped(&bot.name), escaped(&worst.seed));
            format!(
                "| {} | {name} | {why}{note} | {seed} | {} |",
                worst.of,
                or_dash(replay)
            )
        })
    });
    let listed: Vec<String> = listed.take(MOST_WORST).collect();
    if listed.is_empty() {
        return None;
    }
    let header = "| match | bot | what happened | seed | replay |\n|---|---|---|---|---|";
    Some(format!("Worst matches:\n\n{header}\n{}", listed.join("\n")))
}

/// What bots wrote at last that ended badly, or that had to be started again.
fn last_words(rows: &[MatchRow]) -> Option<String> {
    let seats = rows
        .iter()
        .flat_map(|row| row.seats.iter().map(move |seat| (row, seat)));
    let ended_badly = |seat: &SeatRow| !seat.end.is_well() || seat.restarts > 0;
    let said = seats.filter(|(_, seat)| ended_badly(seat) && !seat.stderr_tail.is_empty());
    let said = said.take(MOST_LAST_WORDS).map(|(row, seat)| {
        let words = preformatted(&seat.stderr_tail);
        format!("Standard error of match {}:\n\n{words}", row.of)
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use bridgemaster_runner::{BotEnd, FaultCounting};

    use super::{
        super::examples::{empty_report, hostile_report, hostile_rows, report, rows},
        *,
    };

    #[test]
    fn the_summary_tells_verdict_bots_requirements_and_what_was_played() {
        let text = text(&report(), &rows());
        for told in [
            "## Contest: accepted",
            "mine is better than greedy",
            "| 1 to 2 | mine | +100.0 [+70.0, +130.0] |",
            "**mine**: accepted by betting after 12 groups (24 matches).",
            "Elo against its opponents: +101.5 [+41.5, +161.5] (95 %).",
            "based on fewer than 30 groups",
            "| elo&#62;&#61;0&#64;95&#37; | yes | 101.5000 | 41.5000 |",
            "| 3.1 | mine | place 2, margin -20 |",
            "Traceback\n  out of ideas\n</pre>",
            "1 annulled for the referee's lag",
            "carcassonne (rules 1) at 2 seats",
        ] {
            assert!(text.contains(told), "{told} is missing in:\n{text}");
        }
    }

    #[test]
    fn the_last_words_of_a_bot_that_was_started_again_are_told_though_it_ended_well() {
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
        let told = "a bot that dies in a match is started again up to 1 time";
        assert!(text.contains(told), "{text}");
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
    fn text_from_outside_is_text_alone() {
        let text = text(&hostile_report(), &hostile_rows());
        // Ours are the emphasis of the verdict and of an unmet requirement, and `pre`.
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
        // A line break in a text breaks no line of ours; that of standard error stays within `pre`.
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
