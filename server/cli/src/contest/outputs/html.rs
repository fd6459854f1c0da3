//! Formats a contest as HTML: standings and matches.

use bridgemaster_games::with_game;
use bridgemaster_runner::{BotReport, ExitReason, MatchRow, Report, SeatRow};

use super::super::{
    ending::below,
    figures::{ending, or_dash, ranks, share, signed, time_us},
};
use crate::xml_text::escaped;

/// Maximum number of listed matches, latest first. Longer lists slow down browsers.
const MAX_MATCHES: usize = 1_000;

/// Returns the page's title, escaped.
pub(crate) fn title(report: &Report) -> String {
    escaped(&format!("Contest of {}", game_name(report)))
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
    let lines = below(report);
    let lines = lines.lines().map(|line| escaped(line) + "\n");
    let sentence = report
        .exit
        .sentence
        .lines()
        .map(|line| escaped(line) + "<br>\n");
    format!(
        "<main class=\"list\">\n<h1>{} <span class=\"{state}\">{}</span></h1>\n<p>{}</p>\n\
         <section><h2>Bots</h2>\n{}<pre class=\"panel\">{}</pre></section>\n\
         <section><h2>Matches</h2>\n{}</section>\n</main>",
        title(report),
        ending(report.exit.reason),
        sentence.collect::<String>(),
        bots(report),
        lines.collect::<String>(),
        matches(report, rows),
    )
}

fn game_name(report: &Report) -> &str {
    let id = report.spec.rules.game.as_str();
    with_game!(id, G => G::NAME).unwrap_or(id)
}

/// CSS class for a table that narrow screens show as one line per cell, with the column name before
/// the cell.
const LABELLED: &str = "standings labelled";

/// Formats a table. Each column has a name, and a flag that is `true` if the column contains
/// numbers. Cells contain HTML.
fn table(class: &str, columns: &[(&str, bool)], rows: impl Iterator<Item = Vec<String>>) -> String {
    let kind = |is_figure: bool| if is_figure { " class=\"figure\"" } else { "" };
    let heads = columns
        .iter()
        .map(|(name, is_figure)| format!("<th{}>{name}</th>", kind(*is_figure)));
    let rows = rows.map(|cells| {
        let cells = cells.iter().zip(columns);
        let cells = cells.map(|(cell, (name, is_figure))| {
            // A table that is shown as a list hides its header, so each cell needs a label.
            let label = if class == LABELLED {
                format!(" data-label=\"{name}\"")
            } else {
                String::new()
            };
            format!("<td{}{label}>{cell}</td>", kind(*is_figure))
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    });
    format!(
        "<table class=\"{class}\"><thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table>\n",
        heads.collect::<String>(),
        rows.collect::<String>()
    )
}

fn bots(report: &Report) -> String {
    let columns = [
        ("Rank", true),
        ("Bot", false),
        ("Elo", true),
        ("Score", true),
        ("Won", true),
        ("Seats", true),
        ("Faults", true),
        ("Longest think", true),
    ];
    let row = |bot: &BotReport| {
        vec![
            or_dash(ranks(bot)),
            format!("<b><bdi>{}</bdi></b>", escaped(&bot.name)),
            or_dash(bot.rating.map(|rating| signed(rating.elo))),
            or_dash(bot.score.map(share)),
            or_dash(bot.win_rate.map(share)),
            bot.played.to_string(),
            bot.faults.to_string(),
            time_us(bot.longest_us),
        ]
    };
    table(LABELLED, &columns, report.bots.iter().map(row))
}

fn matches(report: &Report, rows: &[MatchRow]) -> String {
    if rows.is_empty() {
        return "<p class=\"panel quiet\">No match has ended.</p>\n".to_owned();
    }
    let columns = [
        ("Match", false),
        ("Seats, by place", false),
        ("Decisions", true),
        ("Time", true),
    ];
    let row = |row: &MatchRow| {
        let mut seats: Vec<(usize, &SeatRow)> = row.seats.iter().enumerate().collect();
        seats.sort_by_key(|(_, seat)| seat.place);
        let seats = seats
            .into_iter()
            .map(|(number, seat)| seat_line(report, number, seat));
        let annulled = row.annulled.as_ref().map(|annulment| {
            format!(
                " <span class=\"tag warn\" title=\"{}\">annulled</span>",
                escaped(&annulment.detail)
            )
        });
        let of = match &row.replay {
            Some(_) => format!("<a href=\"{}\">{}</a>", path(row), row.of),
            None => row.of.to_string(),
        };
        vec![
            of + &annulled.unwrap_or_default(),
            format!("<ol class=\"bots\">{}</ol>", seats.collect::<String>()),
            row.decisions.to_string(),
            time_us(row.duration_ms.saturating_mul(1_000)),
        ]
    };
    let listed = table(
        "matches",
        &columns,
        rows.iter().rev().take(MAX_MATCHES).map(row),
    );
    match rows.len() {
        0..=MAX_MATCHES => listed,
        all => format!(
            "{listed}<p class=\"quiet\">The latest {MAX_MATCHES} of {all}; <code>contest show --csv</code> \
             has all.</p>\n"
        ),
    }
}

fn seat_line(report: &Report, number: usize, seat: &SeatRow) -> String {
    let bot = report.spec.bots.get(seat.bot);
    let name = escaped(bot.map_or("?", |bot| bot.name.as_str()));
    let forfeit = seat.forfeit.as_ref().map(|fault| {
        format!(
            "<span class=\"tag warn\">forfeited: {}</span>",
            escaped(fault)
        )
    });
    let first = if seat.place == 1 {
        " class=\"first\""
    } else {
        ""
    };
    format!(
        "<li{first}><span class=\"quiet\">{number}</span> <bdi>{name}</bdi>{}\
         <span class=\"score\">{}</span></li>",
        forfeit.unwrap_or_default(),
        seat.score
    )
}

#[cfg(test)]
mod tests {
    use super::{
        super::examples::{empty_report, hostile_report, hostile_rows, report, rows},
        *,
    };

    #[test]
    fn the_page_has_the_standings_and_links_matches_with_replays() {
        let (report, rows) = (report(), rows());
        let html = content(&report, &rows);
        for expected in ["<b><bdi>mine</bdi></b>", "mine: accepted by betting"] {
            assert!(html.contains(expected), "{expected} is missing in:\n{html}");
        }
        let with_replay = rows.iter().filter(|row| row.replay.is_some());
        assert_eq!(
            html.matches("<a href=\"/match/").count(),
            with_replay.count()
        );
        assert!(content(&empty_report(), &[]).contains("No match has ended."));
    }

    #[test]
    fn untrusted_text_has_no_markup() {
        let (report, rows) = (hostile_report(), hostile_rows());
        let ours = |text: &str| {
            [
                "main", "h1", "h2", "span", "p", "br", "section", "table", "thead", "tbody", "tr",
                "th", "td", "b", "bdi", "pre", "ol", "li", "a", "code",
            ]
            .contains(&text.trim_start_matches('/'))
        };
        let html = content(&report, &rows);
        for tag in html.split('<').skip(1) {
            let name = tag
                .split(|end: char| end == '>' || end.is_whitespace())
                .next();
            assert!(name.is_some_and(ours), "{tag}");
        }
        assert!(!title(&report).contains('<'));
    }
}
