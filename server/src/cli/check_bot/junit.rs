//! The report as JUnit XML.

use bridgemaster_server::check_bot::{Outcome, Report};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

/// One test suite, named after the bot, with one test case a check.
pub(super) fn xml(report: &Report) -> anyhow::Result<String> {
    let mut suite = TestSuite::new(report.bot.name.as_str());
    suite.set_time(report.duration);
    for check in &report.checks {
        let status = match &check.outcome {
            Outcome::Passed => TestCaseStatus::success(),
            Outcome::Skipped { reason } => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(reason.as_str());
                status
            }
            Outcome::Failed(failure) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status
                    .set_message(failure.seen.as_str())
                    .set_description(format!(
                        "{}\nexpected: {}\nseen: {}\nsee: proto/PROTOCOL.md, \"{}\"\n{}",
                        check.proves,
                        failure.expected,
                        failure.seen,
                        failure.section,
                        failure.stderr
                    ));
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
