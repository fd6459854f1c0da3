//! Escapes untrusted text for XML.

use bridgemaster_proto::escape::Escaped;

/// Replaces two printable characters that are not valid in XML 1.0.
pub(super) fn sanitized(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

/// Escapes one line of text for an element or an attribute.
pub(super) fn escaped(text: &str) -> String {
    let text = sanitized(&Escaped(text).to_string());
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

/// Formats a report as JUnit XML that is valid under the Jenkins JUnit plugin's schema. The schema
/// allows the attribute `skipped` for suites, but not for the root element.
pub(super) fn junit(report: &quick_junit::Report) -> anyhow::Result<String> {
    let attribute = format!(" skipped=\"{}\"", report.skipped);
    // The first occurrence belongs to the root element.
    Ok(report.to_string()?.replacen(&attribute, "", 1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use quick_junit::{Report, TestCase, TestCaseStatus, TestSuite};

    use super::*;

    #[test]
    fn only_suites_have_the_attribute_skipped() {
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
