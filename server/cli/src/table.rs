//! Formats the tables and lines that commands print, to fit the terminal.

use std::{borrow::Cow, collections::BTreeSet};

use bridgemaster_proto::{
    escape::Escaped,
    v1::{FaultReason, MatchResult, SeatResult},
};
use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, presets::UTF8_FULL_CONDENSED,
};

use crate::{output, quantities::time_us};

/// Formats the standings and the scores by category, with the seats ordered by place.
pub(super) fn result(result: &MatchResult) -> String {
    let (standings, lag) = (standings(result), referee_lag(result));
    format!("{standings}{lag}\n{}", breakdown(result))
}

/// Creates a table without rows.
fn with_header(header: impl IntoIterator<Item: Into<Cell>>) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_header(header);
    table
}

/// Formats rows under a header, to fit the terminal.
pub(super) fn plain<const N: usize>(
    header: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let mut table = with_header(header);
    table.add_rows(rows.map(|row| row.map(|cell| Escaped(cell).to_string())));
    fitted(table, terminal_width())
}

/// Formats rows under a header. Columns are hidden in the order of `optional`, until the table fits
/// `width`. A line below the table names the hidden columns, followed by `hint`.
pub(super) fn narrowed(
    header: &[&str],
    rows: Vec<Vec<String>>,
    optional: &[&str],
    hint: &str,
    width: Option<u16>,
) -> String {
    let mut table = with_header(header.iter().copied());
    table.add_rows(rows.iter().map(|row| row.iter().map(|cell| Escaped(cell).to_string())));
    let mut hidden = Vec::new();
    for name in optional {
        if !width.is_some_and(|width| is_wider(&table.to_string(), width)) {
            break;
        }
        let column = header.iter().position(|column| column == name);
        if let Some(column) = column.and_then(|column| table.column_mut(column)) {
            column.set_constraint(ColumnConstraint::Hidden);
            hidden.push(*name);
        }
    }
    let mut text = fitted(table, width);
    if !hidden.is_empty() {
        let columns = hidden.join(", ");
        text.push_str(&format!("columns hidden to fit the terminal: {columns} ({hint})\n"));
    }
    text
}

/// Describes the lag of the referee itself; empty if there was none.
fn referee_lag(result: &MatchResult) -> String {
    if result.referee_lag_us == 0 {
        return String::new();
    }
    let spoiled = if result.spoiled_by_referee {
        "; SPOILED BY THE REFEREE: lag above the limit of the match"
    } else {
        ""
    };
    format!(
        "referee lag, not charged to any seat: {} in all, at most {} in one request{spoiled}\n",
        time_us(result.referee_lag_us),
        time_us(result.longest_referee_lag_us),
    )
}

/// Formats places, scores, faults and clock use.
pub(super) fn standings(result: &MatchResult) -> String {
    let mut table = with_header([
        "place", "bot", "seat", "score", "faults", "answered", "mean", "longest", "forced", "house",
    ]);
    for seat in by_place(result) {
        let clock = seat.clock_use.unwrap_or_default();
        let mean_us = clock.thinking_us().checked_div(clock.answered.into()).unwrap_or(0);
        table.add_row([
            number(seat.place),
            Cell::new(bot(seat)),
            number(seat.seat),
            number(seat.score),
            Cell::new(faults(seat)),
            number(clock.answered),
            number(time_us(mean_us)),
            number(time_us(clock.longest_us)),
            number(seat.forced_decisions),
            number(seat.house_decisions),
        ]);
    }
    fitted(table, terminal_width())
}

/// Formats the scores by category, with a column for each seat.
fn breakdown(result: &MatchResult) -> String {
    let seats = by_place(result);
    let head = seats.iter().map(|seat| format!("seat {}\n{}", seat.seat, bot(seat)));
    let mut table = with_header(std::iter::once("score".to_owned()).chain(head));
    let lines = seats.first().map(|seat| seat.breakdown.as_slice()).unwrap_or_default();
    for (line, first) in lines.iter().enumerate() {
        let points = seats.iter().map(|seat| match seat.breakdown.get(line) {
            Some(line) => number(line.points),
            None => Cell::new(""),
        });
        table.add_row(std::iter::once(Cell::new(Escaped(&first.category))).chain(points));
    }
    let total = seats.iter().map(|seat| number(seat.score));
    table.add_row(std::iter::once(Cell::new("total")).chain(total));
    fitted(table, terminal_width())
}

/// Returns the width of standard output, if it is a terminal.
pub(super) fn terminal_width() -> Option<u16> {
    output::terminal_size().map(|(_, width)| width)
}

/// Formats the table to fit `width`. If a table is too wide, its cells first lose their padding and
/// then wrap.
fn fitted(mut table: Table, width: Option<u16>) -> String {
    let text = format!("{table}\n");
    let Some(width) = width.filter(|width| is_wider(&text, *width)) else {
        return text;
    };
    for column in table.column_iter_mut() {
        column.set_padding((0, 0));
    }
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    format!("{table}\n")
}

fn is_wider(text: &str, width: u16) -> bool {
    text.lines().any(|line| line.chars().count() > usize::from(width))
}

/// Returns the seats ordered by place.
pub(super) fn by_place(result: &MatchResult) -> Vec<&SeatResult> {
    let mut seats: Vec<_> = result.seats.iter().collect();
    seats.sort_by_key(|seat| (seat.place, seat.place_by_score));
    seats
}

fn bot(seat: &SeatResult) -> String {
    match (seat.bot_name.as_str(), seat.bot_version.as_str()) {
        ("", _) => "(no bot)".to_owned(),
        (name, "") => Escaped(name).to_string(),
        (name, version) => format!("{} {}", Escaped(name), Escaped(version)),
    }
}

/// Describes a seat's number of faults, with the reason for its forfeit or, without a forfeit, the
/// reasons for its faults.
fn faults(seat: &SeatResult) -> String {
    match (seat.fault_count, seat.forfeit()) {
        (0, _) => "0".to_owned(),
        (count, FaultReason::Unspecified) => {
            let reasons: BTreeSet<&str> =
                seat.faults.iter().map(|fault| reason_name(fault.reason())).collect();
            format!("{count}: {}", reasons.into_iter().collect::<Vec<_>>().join(", "))
        }
        (count, forfeit) => format!("{count}, forfeited for\n{}", reason_name(forfeit)),
    }
}

fn reason_name(reason: FaultReason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix("FAULT_REASON_").unwrap_or(name)
}

fn number(value: impl ToString) -> Cell {
    Cell::new(value).set_alignment(CellAlignment::Right)
}

/// Indent of continuation lines, in columns.
const INDENT: &str = "  ";

/// Wraps each line of a text to `width`. Without a width, the text is unchanged.
pub(super) fn fitted_lines(text: &str, width: Option<u16>) -> String {
    let Some(width) = width else {
        return text.to_owned();
    };
    let lines = text.lines().flat_map(|line| wrapped(line, width.into()));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Wraps a line to `width`, at spaces where possible. An empty line has no lines.
pub(super) fn wrapped(line: &str, width: usize) -> Vec<String> {
    if line.trim().is_empty() {
        return Vec::new();
    }
    // A narrow terminal has no columns to spare for an indent.
    let indent = if width > 4 * INDENT.len() { INDENT } else { "" };
    // Lines do not break at hyphens, since a broken flag or name cannot be copied.
    let options = textwrap::Options::new(width)
        .subsequent_indent(indent)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(line, options).into_iter();
    lines.map(Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::{Fault, ScoreLine};

    use super::*;

    fn seat(seat: u32, place: u32, score: i32) -> SeatResult {
        SeatResult {
            seat,
            place,
            place_by_score: place,
            score,
            bot_name: format!("bot{seat}"),
            breakdown: vec![ScoreLine { category: "money".to_owned(), points: score }],
            ..SeatResult::default()
        }
    }

    #[test]
    fn columns_are_hidden_until_the_table_fits() {
        let within = |width| {
            let header = ["name", "rest", "more"];
            let rows = vec![["a", "b", "c"].map(|cell| cell.repeat(20)).to_vec()];
            narrowed(&header, rows, &["more", "rest"], "see there", width)
        };
        let whole = within(None);
        assert!(whole.contains("ccc") && !whole.contains("hidden"), "{whole}");
        assert_eq!(within(Some(200)), whole);
        let narrow = within(Some(60));
        assert!(narrow.contains("bbb") && !narrow.contains("ccc"), "{narrow}");
        assert!(narrow.ends_with("columns hidden to fit the terminal: more (see there)\n"));
        assert!(!is_wider(&narrow, 60), "{narrow}");
        let narrowest = within(Some(30));
        assert!(narrowest.contains("more, rest (see there)"), "{narrowest}");
    }

    #[test]
    fn seats_are_in_the_order_of_their_places() {
        let both =
            MatchResult { seats: vec![seat(0, 2, 3), seat(1, 1, 31)], ..MatchResult::default() };
        let text = result(&both);
        assert!(text.find("bot1") < text.find("bot0"), "{text}");
        assert!(text.contains("31") && text.contains("money"), "{text}");
    }

    #[test]
    fn a_table_fits_the_terminal() {
        for width in [60, 80] {
            let mut table = Table::new();
            table.load_style(UTF8_FULL_CONDENSED).set_header(["a column of a table"; 5]);
            let text = fitted(table, Some(width));
            assert!(!is_wider(&text, width), "{text}");
        }
    }

    #[test]
    fn lag_of_the_referee_is_shown_and_whether_it_spoiled_the_match() {
        let mut lagged = MatchResult { seats: vec![seat(0, 1, 3)], ..MatchResult::default() };
        assert!(!result(&lagged).contains("lag"));
        lagged.referee_lag_us = 30_000;
        lagged.longest_referee_lag_us = 20_000;
        let text = result(&lagged);
        assert!(text.contains("30.0 ms in all, at most 20.0 ms in one"), "{text}");
        assert!(!text.contains("SPOILED"), "{text}");
        lagged.spoiled_by_referee = true;
        assert!(result(&lagged).contains("SPOILED BY THE REFEREE"));
    }

    #[test]
    fn a_forfeit_is_shown_with_its_reason_and_a_missing_bot_as_such() {
        let mut forfeited = seat(0, 1, 0);
        forfeited.bot_name.clear();
        forfeited.fault_count = 1;
        forfeited.set_forfeit(FaultReason::NeverConnected);
        forfeited.faults =
            vec![Fault { reason: FaultReason::NeverConnected.into(), ..Fault::default() }];
        let text = standings(&MatchResult { seats: vec![forfeited], ..MatchResult::default() });
        assert!(text.contains("(no bot)"), "{text}");
        assert!(text.contains("1, forfeited for") && text.contains("NEVER_CONNECTED"), "{text}");
    }

    #[test]
    fn a_line_is_broken_at_spaces_and_a_long_word_anywhere() {
        assert_eq!(wrapped("one two three", 9), ["one two", "  three"]);
        assert_eq!(wrapped("0123456789", 4), ["0123", "4567", "89"]);
        assert_eq!(wrapped("", 4), [""; 0]);
    }

    #[test]
    fn a_line_is_not_broken_at_hyphens() {
        assert_eq!(wrapped("zero one-two three", 10), ["zero", "  one-two", "  three"]);
        assert_eq!(wrapped("with --seeds per-match", 18), ["with --seeds", "  per-match"]);
    }
}
