//! Formats the raw results as CSV, with one row for each seat in each finished match.

use ::csv::Writer;
use anyhow::Context as _;
use bridgemaster_proto::escape::Escaped;
use bridgemaster_runner::{BotEnd, MatchRow, Report, SeatRow};

/// The file's columns. `docs/ci.md` documents them.
const COLUMNS: [&str; 27] = [
    "group",
    "match",
    "attempt",
    "match_id",
    "seed",
    "annulled",
    "decisions",
    "duration_ms",
    "longest_referee_lag_us",
    "replay",
    "seat",
    "bot",
    "place",
    "place_by_score",
    "score",
    "forfeit",
    "faults",
    "answered",
    "charged_us",
    "longest_us",
    "bank_left_ms",
    "house_decisions",
    "end",
    "restarts",
    "peak_memory_bytes",
    "cpu_time_ms",
    "stderr",
];

/// Returns the header and all rows, including those of annulled matches.
pub(super) fn text(report: &Report, rows: &[MatchRow]) -> anyhow::Result<String> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for row in rows {
        for (number, seat) in row.seats.iter().enumerate() {
            writer.write_record(cells(report, row, number, seat))?;
        }
    }
    let bytes = writer.into_inner().context("cannot write the rows")?;
    Ok(String::from_utf8(bytes)?)
}

fn cells(
    report: &Report,
    row: &MatchRow,
    number: usize,
    seat: &SeatRow,
) -> [String; COLUMNS.len()] {
    let name = report.spec.bots.get(seat.bot).map(|bot| bot.name.as_str());
    let annulled = row.annulled.as_ref().map(|annulled| annulled.because);
    let annulled = annulled.and_then(|because| {
        let value = serde_json::to_value(because).ok()?;
        value.as_str().map(str::to_owned)
    });
    let optional = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    [
        row.of.group.to_string(),
        row.of.number.to_string(),
        row.attempt.to_string(),
        cell(&row.match_id),
        cell(&row.seed),
        cell(annulled.as_deref().unwrap_or_default()),
        row.decisions.to_string(),
        row.duration_ms.to_string(),
        row.longest_referee_lag_us.to_string(),
        cell(row.replay.as_deref().unwrap_or_default()),
        number.to_string(),
        cell(name.unwrap_or_default()),
        seat.place.to_string(),
        seat.place_by_score.to_string(),
        seat.score.to_string(),
        cell(seat.forfeit.as_deref().unwrap_or_default()),
        seat.fault_count.to_string(),
        seat.answered.to_string(),
        seat.charged_us.to_string(),
        seat.longest_us.to_string(),
        seat.bank_left_ms.to_string(),
        seat.house_decisions.to_string(),
        end(&seat.end),
        seat.restarts.to_string(),
        optional(seat.peak_memory_bytes),
        optional(seat.cpu_time_ms),
        cell(seat.stderr.as_deref().unwrap_or_default()),
    ]
}

fn end(end: &BotEnd) -> String {
    match end {
        BotEnd::Done => "done".to_owned(),
        BotEnd::Exited { code } => format!("exited {code}"),
        BotEnd::Signalled { signal } => format!("signal {signal}"),
        BotEnd::OutOfMemory => "out_of_memory".to_owned(),
        BotEnd::Stopped => "stopped".to_owned(),
        BotEnd::Attended => "attended".to_owned(),
        BotEnd::Reused => "reused".to_owned(),
        BotEnd::Failed => "failed".to_owned(),
        BotEnd::Unknown => "unknown".to_owned(),
    }
}

/// Escapes text to one line. Text that looks like a formula gets a leading apostrophe, which
/// prevents spreadsheets from evaluating it.
fn cell(text: &str) -> String {
    let text = Escaped(text).to_string();
    if text.trim_start().starts_with([
        '=', '+', '-', '@', '|', '%', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ]) {
        format!("'{text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use ::csv::Reader;

    use super::{
        super::examples::{hostile_report, hostile_rows, report, rows},
        *,
    };

    #[test]
    fn every_seat_of_every_match_has_a_row() {
        let (rows, text) = (rows(), text(&report(), &rows()).unwrap());
        let read: Vec<_> = Reader::from_reader(text.as_bytes())
            .into_records()
            .collect::<Result<_, _>>()
            .unwrap();
        let seats: usize = rows.iter().map(|row| row.seats.len()).sum();
        assert_eq!(read.len(), seats);
        let header = Reader::from_reader(text.as_bytes())
            .headers()
            .unwrap()
            .clone();
        let column = |name: &str| header.iter().position(|column| column == name).unwrap();
        assert_eq!(&read[0][column("bot")], "mine");
        assert_eq!(&read[1][column("seat")], "1");
        assert_eq!(&read[1][column("score")], "-3");
        assert_eq!(&read[1][column("end")], "exited 3");
        assert_eq!(&read[2][column("annulled")], "referee_lag");
    }

    #[test]
    fn no_text_looks_like_a_formula() {
        let text = text(&hostile_report(), &hostile_rows()).unwrap();
        for record in Reader::from_reader(text.as_bytes()).into_records() {
            for cell in &record.unwrap() {
                let is_number = cell.parse::<f64>().is_ok();
                let first = cell.trim_start().chars().next().unwrap_or('0');
                assert!(is_number || !"=+-@|%＝＋－＠".contains(first), "{cell}");
            }
        }
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "%0A=1", "\t=1"] {
            let cell = cell(formula);
            assert!(cell.starts_with(['\'', '\\']), "{cell}");
        }
    }
}
