//! Text for programs: canonical ProtoJSON, and XML.

use anyhow::Context as _;
use bridgemaster_proto::{
    DESCRIPTORS,
    escape::{Escaped, escape_json},
    v1::FaultReason,
};
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, SerializeOptions};
use quick_junit::{NonSuccessKind, TestCaseStatus};

use crate::output;

/// Returns a message from the `bridgemaster.v1` package as pretty-printed JSON, with a final line
/// break. Fields with default values are omitted, and characters that are not printable are
/// escaped.
pub(super) fn to_json<M: Message>(name: &str, message: &M) -> anyhow::Result<String> {
    let pool = DescriptorPool::decode(DESCRIPTORS)?;
    let descriptor = pool
        .get_message_by_name(&format!("bridgemaster.v1.{name}"))
        .with_context(|| format!("the protocol has no message {name}"))?;
    let mut dynamic = DynamicMessage::new(descriptor);
    dynamic.transcode_from(message)?;
    let mut json = Vec::new();
    let mut serializer = serde_json::Serializer::pretty(&mut json);
    dynamic.serialize_with_options(&mut serializer, &SerializeOptions::new())?;
    json.push(b'\n');
    Ok(escape_json(&String::from_utf8(json)?).into_owned())
}

/// Prints a message as JSON or as text. `name` is the name of its type.
pub(super) fn print<M: Message>(
    name: &str,
    message: &M,
    is_json: bool,
    text: impl FnOnce(&M) -> String,
) -> anyhow::Result<()> {
    let text = if is_json { to_json(name, message)? } else { text(message) };
    Ok(output::print(&text)?)
}

/// Returns the word for a value of an enum in the protocol, such as `running`.
pub(super) fn enum_word(name: &str, prefix: &str) -> String {
    match name.strip_prefix(prefix).unwrap_or(name) {
        "UNSPECIFIED" => "unknown".to_owned(),
        word => word.to_lowercase(),
    }
}

/// Returns the words for the reason of a fault, such as `never connected`.
pub(super) fn reason_word(reason: FaultReason) -> String {
    enum_word(reason.as_str_name(), "FAULT_REASON_").replace('_', " ")
}

/// Replaces two printable characters that are not valid in XML 1.0.
pub(super) fn sanitized(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

/// Escapes one line of text for an element or an attribute.
pub(super) fn escaped(text: &str) -> String {
    quick_xml::escape::escape(sanitized(&Escaped(text).to_string())).into_owned()
}

/// Returns a text on one line, for an attribute or a name in JUnit XML.
pub(super) fn line(text: impl AsRef<str>) -> String {
    sanitized(&Escaped(text.as_ref()).to_string())
}

/// Returns the status of a test case that was not successful. `lines` can be empty.
pub(super) fn unsuccessful(
    kind: NonSuccessKind,
    type_name: &str,
    message: &str,
    lines: &str,
) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(type_name).set_message(line(message));
    if !lines.is_empty() {
        status.set_description(sanitized(lines));
    }
    status
}

/// Formats a report as JUnit XML that is valid under the Jenkins JUnit plugin's schema. The schema
/// allows the attribute `skipped` for suites, but not for the root element.
pub(super) fn junit(report: &quick_junit::Report) -> anyhow::Result<String> {
    let attribute = format!(" skipped=\"{}\"", report.skipped);
    // The first occurrence is in the root element.
    Ok(report.to_string()?.replacen(&attribute, "", 1))
}

#[cfg(test)]
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
