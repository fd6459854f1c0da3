//! Formats the report as Markdown, for CI job summaries.

use bridgemaster_proto::escape::{Escaped, escape_lines};
use bridgemaster_runner::{MatchRow, Report};

use super::{
    super::figures,
    bot_sections, charts,
    model::{Block, Cell, Chart, Section, Table},
    sections,
};

/// The chart's width, in columns.
const CHART_COLUMNS: usize = 60;
/// The chart's height, in lines.
const CHART_LINES: usize = 9;

/// Formats the report with headings, tables and a text chart.
pub(super) fn text(report: &Report, rows: &[MatchRow]) -> String {
    let mut parts = vec![
        format!("## Contest: {}", figures::ending(report.exit.reason)),
        sentence(&report.exit.sentence),
    ];
    parts.extend(sections::overview(report).iter().map(section));
    // A chart needs at least two points.
    if report.series.len() > 1 {
        parts.extend(charts::charts(report).first().map(chart));
    }
    parts.extend(bot_sections::worst(report).iter().map(section));
    parts.extend(bot_sections::stderr_tails(rows).iter().map(section));
    parts.join("\n\n") + "\n"
}

/// Formats the outcome. In its text, lines after the first can be a bot's standard error.
fn sentence(sentence: &str) -> String {
    match sentence.split_once('\n') {
        None => escaped(sentence),
        Some((first, stderr)) => format!("{}\n\n{}", escaped(first), preformatted(stderr)),
    }
}

fn section(section: &Section) -> String {
    let mut parts = vec![format!("### {}", escaped(&section.title))];
    parts.extend(section.blocks.iter().map(|block| match block {
        // A backslash at the end of a line is a line break.
        Block::Lines(lines) | Block::Paths(lines) => {
            let lines = lines.iter().map(|line| escaped(line.trim_start()));
            lines.collect::<Vec<_>>().join("\\\n")
        }
        Block::Table(table) => self::table(table),
        Block::Quote(text) => preformatted(text),
    }));
    parts.join("\n\n")
}

fn table(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let columns = table.columns.iter();
    let names = columns.clone().map(|column| escaped(column.name)).collect();
    let rules = columns.map(|column| if column.is_figure { "---:" } else { "---" });
    let mut lines = vec![line(names), line(rules.map(str::to_owned).collect())];
    let cell = |Cell(items): &Cell| {
        let items = items.iter().map(|item| escaped(&format!("{}{}", item.text, item.detail)));
        items.collect::<Vec<_>>().join(", ")
    };
    lines.extend(table.rows.iter().map(|row| line(row.iter().map(cell).collect())));
    lines.join("\n")
}

/// Draws a text chart between the outer marks, with the upper mark at the top.
fn chart(Chart { title, marks, line, .. }: &Chart) -> String {
    let (lower, upper) = (marks[0], marks[marks.len() - 1]);
    let values = figures::downsampled(line, CHART_COLUMNS);
    let steps = (CHART_LINES - 1) as f64;
    let row_of = |value: f64| ((upper - value) / (upper - lower) * steps).round().clamp(0.0, steps);
    let mut lines = Vec::new();
    for line in 0..CHART_LINES {
        let at = upper - (upper - lower) * line as f64 / steps;
        // The rows of the upper bound, the lower bound and their mean are labelled.
        let is_marked = line % ((CHART_LINES - 1) / 2) == 0;
        let label = if is_marked { format!("{at:6.2}") } else { " ".repeat(6) };
        let mut drawn = String::new();
        for value in &values {
            let is_here = row_of(*value) == line as f64;
            drawn.push(match (is_here, is_marked) {
                (true, _) => '●',
                (false, true) => '┈',
                (false, false) => ' ',
            });
        }
        lines.push(format!("{label} ┤{drawn}").trim_end().to_owned());
    }
    format!("{title}:\n\n```text\n{}\n```", lines.join("\n"))
}

/// Formats untrusted lines as preformatted text.
fn preformatted(lines: &str) -> String {
    // Markdown is disabled within `pre`, and three characters are escaped to prevent HTML.
    let lines = escape_lines(lines).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<pre>\n{lines}\n</pre>")
}

/// Escapes text to one line. Characters that could be markup become character references. Letters,
/// digits, spaces and the punctuation of figures are kept, so that the file is readable as plain
/// text.
fn escaped(text: &str) -> String {
    let text: Vec<char> = Escaped(text).to_string().chars().collect();
    let is_digit = |at: Option<usize>| {
        let found = at.and_then(|at| text.get(at));
        found.is_some_and(char::is_ascii_digit)
    };
    let mut escaped = String::new();
    for (at, character) in text.iter().copied().enumerate() {
        let is_plain = match character {
            ' ' | ',' | '%' | '(' | ')' => true,
            '.' => is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)),
            '+' | '-' => is_digit(Some(at + 1)),
            character => character.is_alphanumeric(),
        };
        if is_plain {
            escaped.push(character);
        } else {
            escaped.push_str(&format!("&#{};", u32::from(character)));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use bridgemaster_runner::{BotEnd, FaultCounting};

    use super::{
        super::examples_for_tests::{empty_report, hostile_report, hostile_rows, report, rows},
        *,
    };

    /// Returns the text as it is displayed, with its character references resolved.
    fn shown(markdown: &str) -> String {
        let mut parts = markdown.split("&#");
        let mut shown = parts.next().unwrap().to_owned();
        for part in parts {
            let (number, rest) = part.split_once(';').unwrap();
            shown.push(char::from_u32(number.parse().unwrap()).unwrap());
            shown.push_str(rest);
        }
        shown
    }

    #[test]
    fn the_summary_has_verdict_bots_requirements_and_counts() {
        let text = shown(&text(&report(), &rows()));
        for expected in [
            "## Contest: accepted",
            "mine is better than greedy",
            "| 1 to 2 | mine | +100.0 [+70.0, +130.0] |",
            "mine: accepted by betting, 12 groups of 2 matches",
            "Elo against its opponents +101.5 [+41.5, +161.5]",
            "from fewer than 30 groups",
            "requirement elo>=0@95%: met (value 101.5000, interval ends at 41.5000)",
            "| 3.1 | mine | place 2, margin -20 |",
            "Traceback\n  out of ideas\n</pre>",
            "1 match annulled because of referee lag",
            "carcassonne (rules 1) at 2 seats",
        ] {
            assert!(text.contains(expected), "{expected} is missing in:\n{text}");
        }
    }

    #[test]
    fn a_requirement_without_an_interval_has_its_value_only() {
        let mut report = report();
        report.requirements[0].interval_end = None;
        let with_value = shown(&text(&report, &[]));
        assert!(with_value.contains("met (value 101.5000)"), "{with_value}");
        report.requirements[0].estimate = None;
        let without = shown(&text(&report, &[]));
        assert!(without.contains("met (no value)"), "{without}");
    }

    #[test]
    fn a_worst_match_that_ran_out_of_memory_is_marked_once() {
        let mut report = report();
        for bot in &mut report.bots {
            bot.worst[0].ran_out_of_memory = true;
        }
        let text = shown(&text(&report, &[]));
        for expected in
            ["| place 2, margin -20, OUT_OF_MEMORY |", "| forfeited: DISCONNECTED, OUT_OF_MEMORY |"]
        {
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
        let text = shown(&text(&report, &rows));
        assert!(text.contains("<pre>\nkilled\n</pre>"), "{text}");
        let expected = "a bot that dies in a match is restarted up to 1 time";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn the_chart_has_a_point_in_each_column_and_both_bounds() {
        let text = text(&report(), &[]);
        let chart = text.split("```").nth(1).unwrap();
        assert_eq!(chart.matches('●').count(), 12, "{chart}");
        assert!(chart.contains("  3.66 ┤") && chart.contains(" -3.66 ┤"), "{chart}");
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
        // The report itself uses `pre`, which is removed first.
        let own = text.replace("<pre>", "").replace("</pre>", "");
        for mark in ["<", "[x]", "`|", "**b", "@everyone", "javascript:y)@"] {
            let is_in_pre = |line: &str| line.starts_with("=cmd") || line.starts_with("&lt;/pre");
            let found = own.lines().find(|line| line.contains(mark) && !is_in_pre(line));
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
        let cells = rows.map(|row| row.matches('|').count());
        assert_eq!(cells.collect::<Vec<_>>(), [13, 13]);
    }
}
