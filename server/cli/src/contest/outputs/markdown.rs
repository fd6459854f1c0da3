//! Formats the report as Markdown, for CI job summaries.

use bridgemaster_proto::escape::{Escaped, escape_lines};
use bridgemaster_runner::{IntervalReport, MatchRow, Report, StoppedBy};

use super::{
    super::figures,
    bot_sections, charts,
    model::{Block, Cell, GroupPlot, Plot, Section, Table},
    sections,
    svg::truncated,
};

/// The chart's width, in columns.
const CHART_COLUMNS: usize = 60;
/// The width of the names in a chart of bots, in columns.
const CHART_NAME_COLUMNS: usize = 20;
/// The chart's height, in lines.
const CHART_LINES: usize = 9;

/// Formats the report with headings, tables and a text chart.
pub(super) fn text(report: &Report, rows: &[MatchRow]) -> String {
    let mut parts = vec![
        format!("## Contest: {}", figures::ending(report.exit.reason)),
        sentence(&report.exit.sentence),
    ];
    parts.extend(sections::overview(report).iter().map(section));
    // The betting wealth is the second chart. Without the betting test, the first one decides.
    let decided_by = report.verdict.as_ref().and_then(|verdict| verdict.decided_by);
    let number = usize::from(decided_by == Some(StoppedBy::Betting));
    parts.extend(charts::charts(report).get(number).and_then(|chart| match &chart.plot {
        // A line needs at least two points.
        Plot::Groups(plot) => (report.series.len() > 1).then(|| line_chart(chart.title, plot)),
        Plot::Rows { at, rows } => Some(row_chart(chart.title, *at, rows)),
    }));
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
    let names = columns.clone().map(|column| escaped(&column.name)).collect();
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
fn line_chart(title: &str, GroupPlot { marks, lines, .. }: &GroupPlot) -> String {
    let (lower, upper) = (marks[0], marks[marks.len() - 1]);
    let values: Vec<_> =
        lines.iter().map(|line| figures::downsampled(line, CHART_COLUMNS)).collect();
    let steps = (CHART_LINES - 1) as f64;
    let row_of = |value: f64| ((upper - value) / (upper - lower) * steps).round().clamp(0.0, steps);
    let mut drawn_lines = Vec::new();
    for line in 0..CHART_LINES {
        let at = upper - (upper - lower) * line as f64 / steps;
        // The rows of the upper bound, the lower bound and their mean are labelled.
        let is_marked = line % ((CHART_LINES - 1) / 2) == 0;
        let label = if is_marked { format!("{at:6.2}") } else { " ".repeat(6) };
        let mut drawn = String::new();
        for column in 0..values[0].len() {
            let here = values.iter().position(|values| row_of(values[column]) == line as f64);
            drawn.push(match (here, is_marked) {
                (Some(0), _) => '●',
                (Some(_), _) => '-',
                (None, true) => '┈',
                (None, false) => ' ',
            });
        }
        drawn_lines.push(format!("{label} ┤{drawn}").trim_end().to_owned());
    }
    format!("{title}:\n\n```text\n{}\n```", drawn_lines.join("\n"))
}

/// Draws shares with their intervals as text, one per line, and a mark at `at`.
fn row_chart(title: &str, at: f64, rows: &[(String, IntervalReport)]) -> String {
    let column = |share: f64| (share.clamp(0.0, 1.0) * (CHART_COLUMNS - 1) as f64).round() as usize;
    let row = |(name, share): &(String, IntervalReport)| {
        let [low, estimate, high, mark] = [share.low, share.estimate, share.high, at].map(column);
        let drawn = (0..CHART_COLUMNS).map(|column| match column {
            column if column == estimate => '●',
            column if (low..=high).contains(&column) => '─',
            column if column == mark => '┊',
            _ => ' ',
        });
        let name = truncated(&Escaped(name).to_string(), CHART_NAME_COLUMNS);
        let drawn: String = drawn.collect();
        format!("{name:CHART_NAME_COLUMNS$} ┤{drawn}").trim_end().to_owned()
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    format!("{title}:\n\n{}", preformatted(&rows.join("\n")))
}

/// Formats untrusted lines as preformatted text.
fn preformatted(lines: &str) -> String {
    // Markdown is disabled within `pre`, and three characters are escaped to prevent HTML.
    let lines = escape_lines(lines).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<pre>\n{lines}\n</pre>")
}

/// Escapes text to one line. Words of letters and figures stay as they are, so that the file is
/// readable as plain text. All other words become code, in which no markup, link or mention is
/// recognized.
fn escaped(text: &str) -> String {
    let text = Escaped(text).to_string();
    let words = text.split(' ').map(|word| {
        if is_plain(word) {
            return word.to_owned();
        }
        // A table ends its cells at each `|` without a backslash, even within code.
        format!("`{}`", word.replace('`', "'").replace('|', "\\|"))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns whether a word has no meaning in Markdown: letters and digits, or a number, with
/// punctuation around it. Brackets are plain only around numbers, as in `[-1.5, +2.0]`, because
/// words in brackets can be links.
fn is_plain(word: &str) -> bool {
    if let Some(first) = word.strip_prefix(['[', '<']) {
        return is_number(first.strip_suffix(',').unwrap_or(first));
    }
    let core = word.strip_suffix([',', ';', ':', '.']).unwrap_or(word);
    if let Some(last) = core.strip_suffix([']', '>']) {
        return is_number(last) && !word.ends_with(':');
    }
    let core = core.strip_prefix('(').unwrap_or(core);
    let core = core.strip_suffix(')').unwrap_or(core);
    let is_word = |part: &str| !part.is_empty() && part.chars().all(char::is_alphanumeric);
    matches!(core, "" | "%" | "–") || is_number(core) || core.split(['-', '\'']).all(is_word)
}

/// Returns whether a text is a number, or numbers with hyphens between them.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    digits.split(['.', '-']).all(is_part)
}

#[cfg(test)]
mod tests {
    use bridgemaster_runner::{BotEnd, FaultCounting};

    use super::{
        super::examples_for_tests::{empty_report, hostile_report, hostile_rows, report, rows},
        *,
    };

    /// Returns the text without the marks of code.
    fn shown(markdown: &str) -> String {
        markdown.replace('`', "").replace("\\|", "|")
    }

    #[test]
    fn figures_and_words_are_readable_as_plain_text() {
        for plain in [
            "+101.5 [+41.5, +161.5] (95 %), at least -3.0",
            "LLR: 2.95 (-2.94, 2.94) <0.00, 50.00>",
            "won 12-1-3; t-value: bot's 1.",
        ] {
            assert_eq!(escaped(plain), plain);
        }
        for (text, expected) in [
            ("bot_1 at a/b.txt", "`bot_1` at `a/b.txt`"),
            ("[1](x) [1]: www.x.y", "`[1](x)` `[1]:` `www.x.y`"),
            ("# - @all x@y.z ![x] [1] (x)", "`#` `-` `@all` `x@y.z` `![x]` `[1]` (x)"),
            ("a`b|c <b> &lt;", "`a'b\\|c` `<b>` `&lt;`"),
        ] {
            assert_eq!(escaped(text), expected);
        }
    }

    #[test]
    fn the_summary_has_verdict_bots_requirements_and_counts() {
        let text = shown(&text(&report(), &rows()));
        for expected in [
            "## Contest: accepted",
            "mine is better than greedy",
            "| 1 to 2 | mine | +101.5 [+41.5, +161.5] |",
            "mine: accepted by betting, 12 groups of 2 matches",
            "Elo: +101.5 [+41.5, +161.5] (95 %), nElo: +90.3, LOS: 99.2 %",
            "LLR: 2.50 (-3.66, 3.66) <0.00, 50.00>, betting wealth: 41.00 of 40 to accept",
            "Total: 24 W: 20 L: 3 D: 1",
            "Ptnml(0-2): 0, 1, 2, 3, 6",
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
        assert!(without.contains("met (no value or bound yet)"), "{without}");
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
        let mut report = report();
        report.verdict.as_mut().unwrap().decided_by = Some(StoppedBy::TValue);
        let text = text(&report, &[]);
        let chart = text.split("```").nth(1).unwrap();
        assert_eq!(chart.matches('●').count(), 12, "{chart}");
        assert!(chart.contains("  3.66 ┤") && chart.contains(" -3.66 ┤"), "{chart}");
        assert!(chart.contains("  0.00 ┤"), "{chart}");
    }

    #[test]
    fn the_chart_is_the_one_that_decided_or_the_standings() {
        let mut report = report();
        let by_betting = text(&report, &[]);
        assert!(by_betting.contains("Betting wealth (log10)"), "{by_betting}");
        assert!(by_betting.contains(" -1.00 ┤------------"), "{by_betting}");
        (report.verdict, report.series) = (None, Vec::new());
        let standings = text(&report, &[]);
        let rows = standings.lines().filter(|line| line.matches('●').count() == 1);
        assert_eq!(rows.filter(|row| row.starts_with("mine ")).count(), 1, "{standings}");
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
        // Nothing has a meaning within preformatted text and code, so only other text is examined.
        let mut parts = text.split("<pre>");
        let first = parts.next().unwrap().to_owned();
        let own = parts.fold(first, |own, part| own + part.split_once("</pre>").unwrap().1);
        let outside = own.split('`').step_by(2).collect::<Vec<_>>().join("");
        for mark in ["<img", "</", "[x]", "**b", "@everyone", "javascript:y)@"] {
            let found = outside.lines().find(|line| line.contains(mark));
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
        let cells = rows.map(|row| row.replace("\\|", "").matches('|').count());
        assert_eq!(cells.collect::<Vec<_>>(), [13, 13]);
    }
}
