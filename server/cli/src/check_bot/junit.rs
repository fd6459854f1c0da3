//! The report as JUnit XML.

use bridgemaster_check_bot::{Outcome, Report};
use bridgemaster_proto::outside::{Outside, escape_lines};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

/// One test suite, named after the bot, with one test case a check.
pub(super) fn xml(report: &Report) -> anyhow::Result<String> {
    // A bot that never came has told no name.
    let name = match report.bot.name.as_str() {
        "" => of_xml(&Outside(report.command.join(" ")).to_string()),
        name => of_xml(&Outside(name).to_string()),
    };
    let mut suite = TestSuite::new(name);
    suite.set_time(report.duration);
    for check in &report.checks {
        let status = match &check.outcome {
            Outcome::Passed => TestCaseStatus::success(),
            Outcome::Skipped { reason } => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(of_xml(&Outside(reason).to_string()));
                status
            }
            Outcome::Failed(failure) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status
                    .set_type("failed")
                    .set_message(of_xml(&Outside(&failure.seen).to_string()))
                    .set_description(of_xml(&format!(
                        "{}\nexpected: {}\nseen: {}\nsee: proto/PROTOCOL.md, \"{}\"\n{}",
                        check.proves,
                        Outside(&failure.expected),
                        Outside(&failure.seen),
                        failure.section,
                        escape_lines(&failure.stderr)
                    )));
                status
            }
        };
        let mut case = TestCase::new(check.title(), status);
        case.set_classname("check-bot").set_time(check.duration);
        suite.add_test_case(case);
    }
    let mut all = quick_junit::Report::new("bridgemaster check-bot");
    all.set_time(report.duration).add_test_suite(suite);
    Ok(all.to_string()?)
}

/// The text without the two characters that are printable by our rules and not part of XML 1.0.
fn of_xml(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
