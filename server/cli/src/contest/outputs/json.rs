//! The report as JSON, in the form of `docs/contest-report.schema.json`.

use bridgemaster_proto::outside::escape_json;
use bridgemaster_runner::Report;

/// One JSON object.
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

    /// What is wrong with a report by the schema.
    fn problem(value: &Value) -> Option<String> {
        const NAME: &str = "report.json";
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource(NAME, schema()).unwrap();
        let compiled = compiler.compile(NAME, &mut schemas).unwrap();
        let checked = schemas.validate(value, compiled);
        checked.err().map(|error| format!("{error:#}"))
    }

    fn written(report: &Report) -> Value {
        serde_json::from_str(&text(report).unwrap()).unwrap()
    }

    #[test]
    fn what_is_written_is_what_the_schema_describes() {
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
            assert_eq!(problem(&written(report)), None);
        }
    }

    #[test]
    fn a_field_too_many_or_too_few_is_noticed_wherever_it_is() {
        /// All places of objects in a value.
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
        let whole = written(&report);
        let mut places = Vec::new();
        objects(&whole, String::new(), &mut places);
        assert!(places.len() > 15, "{places:?}");
        for place in places {
            let mut more = whole.clone();
            let fields = more.pointer_mut(&place).unwrap().as_object_mut().unwrap();
            fields.insert("unheard_of".to_owned(), json!(1));
            assert!(problem(&more).is_some(), "{place}");
            // What a spec leaves out is a default.
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
        fn look(schema: &Value, at: &str) {
            for (name, value) in schema.as_object().into_iter().flatten() {
                if name == "properties" {
                    for (field, of) in value.as_object().unwrap() {
                        let described =
                            of["description"].as_str().is_some_and(|d| d.ends_with('.'));
                        assert!(described, "{at}/{field}");
                    }
                }
                look(value, &format!("{at}/{name}"));
            }
            for (number, value) in schema.as_array().into_iter().flatten().enumerate() {
                look(value, &format!("{at}/{number}"));
            }
        }
        look(&schema(), "");
    }

    #[test]
    fn text_from_outside_comes_back_as_it_was() {
        let value = written(&hostile_report());
        assert_eq!(value["bots"][0]["name"], HOSTILE);
        assert_eq!(value["exit"]["sentence"], HOSTILE);
    }
}
