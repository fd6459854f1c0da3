//! Checks the files that `bridgemaster contest` writes, as programs that read such files would.
//! Each function panics on a file that would be refused.

use std::collections::HashSet;

use boon::{Compiler, Schemas};
use quick_xml::{Reader, events::Event};
use serde_json::Value;

/// An element of JUnit XML: its name, required attributes, optional attributes, and allowed child
/// elements. They follow the schema of the Jenkins plugin for such files (`junit-10.xsd` of
/// xunit-plugin), the strictest schema in use.
type Element =
    (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

const JUNIT: [Element; 8] = [
    ("testsuites", &[], &["name", "time", "tests", "failures", "errors"], &["testsuite"]),
    (
        "testsuite",
        &["name", "tests", "failures", "errors"],
        &["time", "skipped", "timestamp", "hostname", "id", "package"],
        &["properties", "testcase", "system-out", "system-err"],
    ),
    (
        "testcase",
        &["name"],
        &["time", "classname", "group"],
        &["skipped", "error", "failure", "system-out", "system-err"],
    ),
    ("failure", &[], &["type", "message"], &[]),
    ("error", &[], &["type", "message"], &[]),
    ("skipped", &[], &["type", "message"], &[]),
    ("system-out", &[], &[], &[]),
    ("system-err", &[], &[], &[]),
];

/// Checks the report against its JSON schema.
pub(crate) fn json(text: &str) -> Value {
    const NAME: &str = "report.json";
    let schema = include_str!("../../../../docs/contest-report.schema.json");
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    let schema = serde_json::from_str(schema).unwrap();
    compiler.add_resource(NAME, schema).unwrap();
    let compiled = compiler.compile(NAME, &mut schemas).unwrap();
    let report: Value = serde_json::from_str(text).unwrap();
    if let Err(error) = schemas.validate(&report, compiled) {
        panic!("{error:#}\n{text}");
    }
    report
}

/// Checks the test suites against the schema, and checks their counts.
pub(crate) fn junit(text: &str) -> quick_junit::Report {
    elements(text, |element, within, attributes| {
        let found = JUNIT.iter().find(|(name, ..)| *name == element);
        let Some((_, required, optional, _)) = found else {
            panic!("there is no element {element}:\n{text}");
        };
        for name in *required {
            assert!(attributes.contains(*name), "{element} has no {name}:\n{text}");
        }
        for name in attributes {
            let is_known = required.contains(&name.as_str()) || optional.contains(&name.as_str());
            assert!(is_known, "{element} has {name}:\n{text}");
        }
        let may_be = JUNIT.iter().find(|(name, ..)| Some(*name) == within);
        let is_root = within.is_none() && element == "testsuites";
        let may_be = may_be.is_some_and(|(.., inner)| inner.contains(&element));
        assert!(is_root || may_be, "{element} in {within:?}:\n{text}");
    });
    let report = quick_junit::Report::deserialize_from_str(text).unwrap();
    let cases = report.test_suites.iter().map(|suite| suite.test_cases.len());
    assert_eq!(cases.sum::<usize>(), report.tests, "{text}");
    report
}

/// Checks an SVG, which must be well-formed and without active content.
pub(crate) fn svg(text: &str) {
    elements(text, |element, within, attributes| {
        assert_eq!(within.is_none(), element == "svg", "{text}");
        assert_ne!(element, "script", "{text}");
        let acts = attributes.iter().find(|name| name.starts_with("on"));
        assert_eq!(acts, None, "{element}:\n{text}");
    });
    assert!(text.contains("xmlns=\"http://www.w3.org/2000/svg\""), "{text}");
}

/// Returns the number of rows. The columns must be listed in docs/reference/contest.md, and each
/// row must have a value for each column.
pub(crate) fn csv(text: &str) -> usize {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns = reader.headers().unwrap().clone();
    let docs = include_str!("../../../../docs/reference/contest.md");
    for column in &columns {
        assert!(docs.contains(&format!("`{column}`")), "{column}");
    }
    reader.into_records().map(Result::unwrap).count()
}

/// Checks the summary. All rows of a table must have the same number of cells.
pub(crate) fn markdown(text: &str) {
    assert!(text.starts_with("## Contest: "), "{text}");
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| line.starts_with('|'))) {
        assert_eq!(cells(pair[0]), cells(pair[1]), "{pair:?}:\n{text}");
    }
}

/// Reads XML, and calls `look` for each element, with the element's parent and attributes.
fn elements(text: &str, look: impl Fn(&str, Option<&str>, &HashSet<String>)) {
    let mut reader = Reader::from_str(text);
    let mut around: Vec<String> = Vec::new();
    loop {
        let event = reader.read_event().unwrap();
        let element = match &event {
            Event::Start(element) | Event::Empty(element) => element,
            Event::End(_) => {
                around.pop();
                continue;
            }
            Event::Eof => break,
            _ => continue,
        };
        let utf8 = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let name = utf8(element.name().as_ref());
        let attributes = element.attributes().map(|attribute| {
            let attribute = attribute.unwrap();
            utf8(attribute.key.as_ref())
        });
        look(&name, around.last().map(String::as_str), &attributes.collect());
        if matches!(event, Event::Start(_)) {
            around.push(name);
        }
    }
    assert!(around.is_empty(), "{around:?} is not closed:\n{text}");
}
