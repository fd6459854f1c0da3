//! Formats a contest's report for the terminal.

use bridgemaster_proto::escape::Escaped;
use bridgemaster_runner::{Report, STDERR_FOLDER};

use crate::{
    contest::outputs::{
        model::{Block, Cell, Column, Section, Table},
        sections::overview,
    },
    output,
    table::{fitted_lines, narrowed, terminal_width},
};

/// Formats the whole report, with the contest's outcome and the folder.
pub(crate) fn text(report: &Report) -> String {
    let program = output::program();
    let folder = report.folder.display();
    let mut text = String::new();
    for section in overview(report) {
        text.push_str(&blocks(&section, terminal_width()));
        // An empty line separates tables from the lines below them.
        if matches!(section.blocks.first(), Some(Block::Table(_))) {
            text.push('\n');
        }
    }
    format!(
        "{text}\n{}\n\nfolder: {folder}\n  {program} contest show {folder}\noutput of bots: {}\n",
        quoted(&report.exit.sentence),
        report.folder.join(STDERR_FOLDER).display()
    )
}

/// Formats a section with its title, after an empty line.
pub(crate) fn titled(section: &Section) -> String {
    let blocks = blocks(section, terminal_width());
    format!("\n{}\n{blocks}", Escaped(&section.title))
}

/// Formats the content of a section, to fit `width` columns.
fn blocks(section: &Section, width: Option<u16>) -> String {
    let escaped = |lines: &[String]| {
        let lines = lines.iter().map(|line| format!("{}\n", Escaped(line)));
        lines.collect::<String>()
    };
    let text = section.blocks.iter().map(|block| match block {
        Block::Lines(lines) => fitted_lines(&escaped(lines), width),
        Block::Paths(lines) => escaped(lines),
        Block::Table(table) => self::table(table, width),
        Block::Quote(text) => format!("  | {}\n", quoted(text)),
    });
    text.collect()
}

/// Formats a table to fit `width` columns, without details.
pub(crate) fn table(table: &Table, width: Option<u16>) -> String {
    let mut optional: Vec<&Column> = table.columns.iter().collect();
    optional.retain(|column| column.hidden > 0);
    optional.sort_by_key(|column| std::cmp::Reverse(column.hidden));
    let header: Vec<&str> = table.columns.iter().map(|column| column.name.as_ref()).collect();
    let optional: Vec<&str> = optional.iter().map(|column| column.name.as_ref()).collect();
    let cell = |Cell(items): &Cell| {
        let items = items.iter().map(|item| item.text.as_str());
        items.collect::<Vec<_>>().join(", ")
    };
    let rows = table.rows.iter().map(|row| row.iter().map(cell).collect());
    narrowed(&header, rows.collect(), &optional, "--json has all", width)
}

/// Formats lines with escapes, and with a mark before each line except the first.
fn quoted(text: &str) -> String {
    let lines = text.lines().map(|line| Escaped(line).to_string());
    lines.collect::<Vec<_>>().join("\n  | ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::outputs::{bot_sections::details, examples_for_tests::report};

    #[test]
    fn paths_are_not_wrapped() {
        let report = report();
        let text = blocks(&details(&report, &report.bots[0]), Some(30));
        let replay = report.folder.join("replays/lost/3.1.bmreplay");
        let line = format!("  3.1 replay: {}\n", replay.display());
        assert!(line.trim_end().len() > 30 && text.contains(&line), "{text}");
        let mut lines = text.lines();
        let wrapped = lines.find(|line| line.contains("700 decisions")).unwrap();
        assert!(wrapped.len() <= 30, "{text}");
    }
}
