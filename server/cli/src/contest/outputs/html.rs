//! Formats a contest as HTML: standings and matches.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bridgemaster_games::with_game;
use bridgemaster_runner::{ExitReason, MatchRow, Report};

use crate::{
    contest::{
        figures::ending,
        outputs::{
            model::{Block, Cell, Item, Section, Table},
            sections, svg,
        },
    },
    formats::escaped,
};

/// Maximum number of listed matches, latest first. Longer lists slow down browsers.
const MAX_MATCHES: usize = 1_000;

/// Returns the page's title, escaped.
pub(crate) fn title(report: &Report) -> String {
    let id = report.spec.rules.game.as_str();
    let name = with_game!(id, G => G::NAME).unwrap_or(id);
    escaped(&format!("Contest of {name}"))
}

/// Returns the path of a match's page.
pub(crate) fn path(row: &MatchRow) -> String {
    match row.attempt {
        0 => format!("/match/{}", row.of),
        attempt => format!("/match/{}.{attempt}", row.of),
    }
}

/// Returns the page's content.
pub(crate) fn content(report: &Report, rows: &[MatchRow]) -> String {
    let state = match report.exit.reason {
        ExitReason::Running => "tag live",
        _ => "tag",
    };
    let sentence = report.exit.sentence.lines();
    let sentence = sentence.map(|line| escaped(line) + "<br>\n");
    let overview = sections::overview(report);
    let overview = overview.iter().map(section);
    // The policy of the page allows styles only in an image.
    let charts = BASE64_STANDARD.encode(svg::text(report));
    let matches = sections::matches(report, rows, MAX_MATCHES, path);
    format!(
        "<main class=\"list\">\n<h1>{} <span class=\"{state}\">{}</span></h1>\n<p>{}</p>\n\
         {}<section><h2>Charts</h2>\n<img alt=\"charts of the contest\" \
         src=\"data:image/svg+xml;base64,{charts}\"></section>\n{}</main>",
        title(report),
        ending(report.exit.reason),
        sentence.collect::<String>(),
        overview.collect::<String>(),
        section(&matches),
    )
}

fn section(section: &Section) -> String {
    let blocks = section.blocks.iter().map(|block| match block {
        Block::Lines(lines) | Block::Paths(lines) => {
            let lines = lines.iter().map(|line| escaped(line) + "\n");
            format!("<pre class=\"panel\">{}</pre>\n", lines.collect::<String>())
        }
        Block::Table(table) => self::table(table),
        Block::Quote(text) => format!("<pre class=\"panel\">{}</pre>\n", escaped(text)),
    });
    format!(
        "<section><h2>{}</h2>\n{}</section>\n",
        escaped(&section.title),
        blocks.collect::<String>()
    )
}

/// Formats a table. Narrow screens show it as a list and hide its header, so each cell has a label.
fn table(table: &Table) -> String {
    let kind = |is_figure: bool| if is_figure { " class=\"figure\"" } else { "" };
    let heads = table.columns.iter().map(|column| {
        let kind = kind(column.is_figure);
        format!("<th{kind}>{}</th>", column.name)
    });
    let rows = table.rows.iter().map(|cells| {
        let cells = cells.iter().zip(&table.columns).map(|(cell, column)| {
            let (kind, label) = (kind(column.is_figure), &column.name);
            format!("<td{kind} data-label=\"{label}\">{}</td>", self::cell(cell))
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    });
    format!(
        "<table class=\"standings labelled\"><thead><tr>{}</tr></thead>\n\
         <tbody>\n{}</tbody></table>\n",
        heads.collect::<String>(),
        rows.collect::<String>()
    )
}

fn cell(Cell(items): &Cell) -> String {
    match items.as_slice() {
        [one] => item(one),
        several => {
            let items = several.iter().map(|one| format!("<li>{}</li>", item(one)));
            format!("<ol class=\"bots\">{}</ol>", items.collect::<String>())
        }
    }
}

fn item(item: &Item) -> String {
    let mut html = format!("<bdi>{}</bdi>", escaped(&item.text));
    if let Some(link) = &item.link {
        html = format!("<a href=\"{}\">{html}</a>", escaped(link));
    }
    if !item.detail.is_empty() {
        html.push_str(&format!("<span class=\"quiet\">{}</span>", escaped(&item.detail)));
    }
    if let Some((warning, why)) = &item.warning {
        let why = escaped(why);
        html.push_str(&format!(" <span class=\"tag warn\">{warning}: {why}</span>"));
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::outputs::examples_for_tests::{
        empty_report, hostile_report, hostile_rows, report, rows,
    };

    #[test]
    fn the_page_has_the_standings_and_links_matches_with_replays() {
        let (report, rows) = (report(), rows());
        let html = content(&report, &rows);
        for expected in ["<bdi>mine</bdi>", "mine: accepted by betting"] {
            assert!(html.contains(expected), "{expected} is missing in:\n{html}");
        }
        let with_replay = rows.iter().filter(|row| row.replay.is_some());
        assert_eq!(html.matches("<a href=\"/match/").count(), with_replay.count());
        assert!(content(&empty_report(), &[]).contains("No match has ended."));
    }

    #[test]
    fn untrusted_text_has_no_markup() {
        let (report, rows) = (hostile_report(), hostile_rows());
        let ours = |text: &str| {
            [
                "main", "h1", "h2", "span", "p", "br", "section", "table", "thead", "tbody", "tr",
                "th", "td", "b", "img", "bdi", "pre", "ol", "li", "a", "code",
            ]
            .contains(&text.trim_start_matches('/'))
        };
        let html = content(&report, &rows);
        for tag in html.split('<').skip(1) {
            let name = tag.split(|end: char| end == '>' || end.is_whitespace()).next();
            assert!(name.is_some_and(ours), "{tag}");
        }
        assert!(!title(&report).contains('<'));
    }
}
