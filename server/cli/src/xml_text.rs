//! Text from outside in XML.

use bridgemaster_proto::outside::Outside;

/// The text without the two characters that are printable by our rules and not part of XML 1.0.
pub(super) fn allowed(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

/// The text on one line, as content of an element or value of an attribute.
pub(super) fn escaped(text: &str) -> String {
    let text = allowed(&Outside(text).to_string());
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// JUnit XML as the schema of Jenkins' plugin for it has it, which knows of skipped cases in a suite
/// and not in all of them.
pub(super) fn junit(report: &quick_junit::Report) -> anyhow::Result<String> {
    let of_all = format!(" skipped=\"{}\"", report.skipped);
    // That of the element around the suites comes first.
    Ok(report.to_string()?.replacen(&of_all, "", 1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use quick_junit::{Report, TestCase, TestCaseStatus, TestSuite};

    use super::*;

    #[test]
    fn skipped_cases_are_counted_in_their_suite_alone() {
        let mut suite = TestSuite::new("suite");
        suite.add_test_case(TestCase::new("case", TestCaseStatus::skipped()));
        let mut report = Report::new("all");
        report.add_test_suite(suite);
        let text = junit(&report).unwrap();
        assert_eq!(text.matches("skipped=\"1\"").count(), 1, "{text}");
        let (_, of_suite) = text.split_once("<testsuite ").unwrap();
        assert!(of_suite.contains("skipped=\"1\""), "{text}");
    }
}
