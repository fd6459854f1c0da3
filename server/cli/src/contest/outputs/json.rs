//! Formats the report as JSON, as defined by `docs/contest-report.schema.json`.

use bridgemaster_proto::escape::escape_json;
use bridgemaster_runner::Report;

/// Returns the report as a JSON object, with a final line break.
pub(super) fn text(report: &Report) -> anyhow::Result<String> {
    Ok(escape_json(&serde_json::to_string_pretty(report)?).into_owned() + "\n")
}

#[cfg(test)]
mod tests {
    use boon::{Compiler, Schemas};
    use serde_json::{Value, json};

    use super::{
        super::examples::{HOSTILE, empty_report, hostile_report, report},
        *,
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
        serde_json::from_str(&text(report).unwrap()).unwrap()
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
            "clock": { "bank_ms": 1, "increment_ms": 2, "cap_ms": 3, "startup_ms": 4,
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
}
