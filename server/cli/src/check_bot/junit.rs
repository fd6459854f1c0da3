//! Formats the `check-bot` report as JUnit XML.

use bridgemaster_check_bot::{Outcome, Report};
use bridgemaster_proto::escape::{Escaped, escape_lines};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::xml_text::{self, sanitized};

/// Returns a test suite named after the bot, with a test case for each check.
pub(super) fn xml(report: &Report) -> anyhow::Result<String> {
    // A bot that never connected has sent no name.
    let name = match report.bot.name.as_str() {
        "" => sanitized(&Escaped(report.command.join(" ")).to_string()),
        name => sanitized(&Escaped(name).to_string()),
    };
    let mut suite = TestSuite::new(name);
    suite.set_time(report.duration);
    for check in &report.checks {
        let status = match &check.outcome {
            Outcome::Passed => TestCaseStatus::success(),
            Outcome::Skipped { reason } => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(sanitized(&Escaped(reason).to_string()));
                status
            }
            Outcome::Failed(failure) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status
                    .set_type("failed")
                    .set_message(sanitized(&Escaped(&failure.seen).to_string()))
                    .set_description(sanitized(&format!(
                        "{}\nexpected: {}\nseen: {}\nsee: proto/PROTOCOL.md, \"{}\"\n{}",
                        check.proves,
                        Escaped(&failure.expected),
                        Escaped(&failure.seen),
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
    xml_text::junit(&all)
}
