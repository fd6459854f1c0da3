//! Outputs for programs: the report as JSON, and the raw results as CSV.

use ::csv::Writer;
use anyhow::Context as _;
use bridgemaster_proto::escape::{Escaped, escape_json};
use bridgemaster_runner::{BotEnd, MatchRow, Report, SeatRow};

/// Returns the report as a JSON object, with a final line break.
pub(super) fn json(report: &Report) -> anyhow::Result<String> {
    Ok(escape_json(&serde_json::to_string_pretty(report)?).into_owned() + "\n")
}

/// A line of the CSV file: a seat of a match.
struct Line<'a> {
    report: &'a Report,
    row: &'a MatchRow,
    number: usize,
    seat: &'a SeatRow,
}

/// Returns the value of a column in a line.
type Value = fn(&Line<'_>) -> String;

/// The file's columns, with the value of each. `docs/reference/contest.md` documents them.
const COLUMNS: [(&str, Value); 27] = [
    ("group", |of| of.row.of.group.to_string()),
    ("match", |of| of.row.of.number.to_string()),
    ("attempt", |of| of.row.attempt.to_string()),
    ("match_id", |of| cell(&of.row.match_id)),
    ("seed", |of| cell(&of.row.seed)),
    ("annulled", annulled),
    ("decisions", |of| of.row.decisions.to_string()),
    ("duration_ms", |of| of.row.duration_ms.to_string()),
    ("longest_referee_lag_us", |of| of.row.longest_referee_lag_us.to_string()),
    ("replay", |of| optional_cell(of.row.replay.as_deref())),
    ("seat", |of| of.number.to_string()),
    ("bot", bot_name),
    ("place", |of| of.seat.place.to_string()),
    ("place_by_score", |of| of.seat.place_by_score.to_string()),
    ("score", |of| of.seat.score.to_string()),
    ("forfeit", |of| optional_cell(of.seat.forfeit.as_deref())),
    ("faults", |of| of.seat.fault_count.to_string()),
    ("answered", |of| of.seat.answered.to_string()),
    ("charged_us", |of| of.seat.charged_us.to_string()),
    ("longest_us", |of| of.seat.longest_us.to_string()),
    ("bank_left_ms", |of| of.seat.bank_left_ms.to_string()),
    ("house_decisions", |of| of.seat.house_decisions.to_string()),
    ("end", |of| end(&of.seat.end)),
    ("restarts", |of| of.seat.restarts.to_string()),
    ("peak_memory_bytes", |of| optional(of.seat.peak_memory_bytes)),
    ("cpu_time_ms", |of| optional(of.seat.cpu_time_ms)),
    ("stderr", |of| optional_cell(of.seat.stderr.as_deref())),
];

/// Returns the header and all rows, including those of annulled matches.
pub(super) fn csv(report: &Report, rows: &[MatchRow]) -> anyhow::Result<String> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS.map(|(name, _)| name))?;
    for row in rows {
        for (number, seat) in row.seats.iter().enumerate() {
            let line = Line { report, row, number, seat };
            writer.write_record(COLUMNS.map(|(_, value)| value(&line)))?;
        }
    }
    let bytes = writer.into_inner().context("cannot write the rows")?;
    Ok(String::from_utf8(bytes)?)
}

fn annulled(of: &Line<'_>) -> String {
    let annulled = of.row.annulled.as_ref();
    let value = annulled.and_then(|annulled| serde_json::to_value(annulled.because).ok());
    optional_cell(value.as_ref().and_then(|value| value.as_str()))
}

fn bot_name(of: &Line<'_>) -> String {
    let bot = of.report.spec.bots.get(of.seat.bot);
    optional_cell(bot.map(|bot| bot.name.as_str()))
}

fn optional(value: Option<u64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn optional_cell(text: Option<&str>) -> String {
    cell(text.unwrap_or_default())
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

/// Escapes text to one line. Text that looks like a formula gets a leading apostrophe, so that
/// spreadsheets do not evaluate it.
fn cell(text: &str) -> String {
    let text = Escaped(text).to_string();
    if text
        .trim_start()
        .starts_with(['=', '+', '-', '@', '|', '%', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'])
    {
        format!("'{text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use ::csv::Reader;
    use boon::{Compiler, Schemas};
    use serde_json::{Value, json};

    use super::*;
    use crate::contest::outputs::examples_for_tests::{
        HOSTILE, empty_report, hostile_report, hostile_rows, report, rows,
    };

    fn schema() -> Value {
        let text = include_str!("../../../../../docs/contest-report.schema.json");
        serde_json::from_str(text).unwrap()
    }

    /// Returns the reason why the schema rejects a report, if it does.
    fn problem(value: &Value) -> Option<String> {
        const NAME: &str = "report.json";
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource(NAME, schema()).unwrap();
        let compiled = compiler.compile(NAME, &mut schemas).unwrap();
        let checked = schemas.validate(value, compiled);
        checked.err().map(|error| format!("{error:#}"))
    }

    fn to_value(report: &Report) -> Value {
        serde_json::from_str(&json(report).unwrap()).unwrap()
    }

    #[test]
    fn reports_are_valid_by_the_schema() {
        let mut fixed = report();
        fixed.spec.test =
            Some(serde_json::from_value(json!({"kind": "fixed", "groups": 9})).unwrap());
        fixed.spec.seeds = Some(serde_json::from_value(json!({"listed": ["1", "2"]})).unwrap());
        fixed.spec.rules = serde_json::from_value(json!({
            "game": "alhambra",
            "rules_version": 1,
            "seats": 3,
            "options": { "variant": "x" },
            "clock": { "time_control": "1+2/3", "startup_ms": 4,
                "reconnect_ms": 5, "round_trip_credit_ms": 6, "referee_lag_limit_ms": 7 },
            "fault_costs": { "illegal": "refuse", "late": "strike", "disconnected": "substitute",
                "never_connected": "forfeit", "flood": "forfeit", "garbage": "forfeit",
                "strikes_to_forfeit": 3 },
            "house": "first",
            "ask_forced": true,
        }))
        .unwrap();
        let formats = ["round_robin", "gauntlet", "swiss"].map(|kind| {
            let mut other = empty_report();
            let candidate = (kind == "gauntlet").then_some("mine");
            let mut format = json!({ "kind": kind, "rounds": 2, "candidate": candidate });
            if candidate.is_none() {
                format.as_object_mut().unwrap().remove("candidate");
            }
            other.spec.format = serde_json::from_value(format).unwrap();
            other.spec.test = None;
            other
        });
        let reports = [report(), empty_report(), hostile_report(), fixed];
        for report in reports.iter().chain(&formats) {
            assert_eq!(problem(&to_value(report)), None);
        }
    }

    #[test]
    fn a_missing_or_additional_field_is_invalid_anywhere() {
        /// Collects the JSON pointers of all objects in a value.
        fn objects(value: &Value, at: String, found: &mut Vec<String>) {
            match value {
                Value::Object(fields) => {
                    found.push(at.clone());
                    for (name, value) in fields {
                        objects(value, format!("{at}/{name}"), found);
                    }
                }
                Value::Array(items) => {
                    for (number, item) in items.iter().enumerate() {
                        objects(item, format!("{at}/{number}"), found);
                    }
                }
                _ => {}
            }
        }
        let mut report = report();
        report.series.truncate(1);
        report.bots.truncate(1);
        let whole = to_value(&report);
        let mut places = Vec::new();
        objects(&whole, String::new(), &mut places);
        assert!(places.len() > 15, "{places:?}");
        for place in places {
            let mut more = whole.clone();
            let fields = more.pointer_mut(&place).unwrap().as_object_mut().unwrap();
            fields.insert("additional".to_owned(), json!(1));
            assert!(problem(&more).is_some(), "{place}");
            // Fields of a spec may be omitted, since they have defaults.
            if place.starts_with("/spec") {
                continue;
            }
            let names = whole.pointer(&place).unwrap().as_object().unwrap().keys();
            for name in names {
                let mut less = whole.clone();
                let fields = less.pointer_mut(&place).unwrap().as_object_mut().unwrap();
                fields.remove(name);
                assert!(problem(&less).is_some(), "{place}/{name}");
            }
        }
    }

    #[test]
    fn every_field_of_the_schema_is_described() {
        fn check(schema: &Value, at: &str) {
            for (name, value) in schema.as_object().into_iter().flatten() {
                if name == "properties" {
                    for (field, of) in value.as_object().unwrap() {
                        let described =
                            of["description"].as_str().is_some_and(|d| d.ends_with('.'));
                        assert!(described, "{at}/{field}");
                    }
                }
                check(value, &format!("{at}/{name}"));
            }
            for (number, value) in schema.as_array().into_iter().flatten().enumerate() {
                check(value, &format!("{at}/{number}"));
            }
        }
        check(&schema(), "");
    }

    #[test]
    fn untrusted_text_round_trips() {
        let value = to_value(&hostile_report());
        assert_eq!(value["bots"][0]["name"], HOSTILE);
        assert_eq!(value["exit"]["sentence"], HOSTILE);
    }

    #[test]
    fn every_seat_of_every_match_has_a_row() {
        let (rows, text) = (rows(), csv(&report(), &rows()).unwrap());
        let read: Vec<_> =
            Reader::from_reader(text.as_bytes()).into_records().collect::<Result<_, _>>().unwrap();
        let seats: usize = rows.iter().map(|row| row.seats.len()).sum();
        assert_eq!(read.len(), seats);
        let header = Reader::from_reader(text.as_bytes()).headers().unwrap().clone();
        let column = |name: &str| header.iter().position(|column| column == name).unwrap();
        assert_eq!(&read[0][column("bot")], "mine");
        assert_eq!(&read[1][column("seat")], "1");
        assert_eq!(&read[1][column("score")], "-3");
        assert_eq!(&read[1][column("end")], "exited 3");
        assert_eq!(&read[2][column("annulled")], "referee_lag");
    }

    #[test]
    fn no_text_looks_like_a_formula() {
        let text = csv(&hostile_report(), &hostile_rows()).unwrap();
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
