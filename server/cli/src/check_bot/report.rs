//! Formats the `check-bot` report, as text and as JUnit XML.

use bridgemaster_check_bot::{Check, CheckReport, Failure, Outcome, Report};
use bridgemaster_proto::escape::{Escaped, escape_lines};
use console::Style;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::{
    formats::{self, line, unsuccessful},
    output::Screen,
};

/// Returns a test suite named after the bot, with a test case for each check.
pub(super) fn xml(report: &Report) -> anyhow::Result<String> {
    // A bot that never connected has sent no name.
    let name = match report.bot.name.as_str() {
        "" => line(report.command.join(" ")),
        name => line(name),
    };
    let mut suite = TestSuite::new(name);
    suite.set_time(report.duration);
    for check in &report.checks {
        let status = match &check.outcome {
            Outcome::Passed => TestCaseStatus::success(),
            Outcome::Skipped { reason } => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(line(reason));
                status
            }
            Outcome::Failed(failure) => {
                let lines = format!(
                    "{}\nexpected: {}\nseen: {}\nsee: proto/PROTOCOL.md, \"{}\"\n{}",
                    check.proves,
                    Escaped(&failure.expected),
                    Escaped(&failure.seen),
                    failure.section,
                    escape_lines(&failure.stderr)
                );
                unsuccessful(NonSuccessKind::Failure, "failed", &failure.seen, &lines)
            }
        };
        let mut case = TestCase::new(check.title(), status);
        case.set_classname("check-bot").set_time(check.duration);
        suite.add_test_case(case);
    }
    let mut all = quick_junit::Report::new("bridgemaster check-bot");
    all.set_time(report.duration).add_test_suite(suite);
    formats::junit(&all)
}

/// Lists all checks with the behaviour that each check proves.
pub(super) fn check_list() -> String {
    let checks = Check::ALL.iter();
    checks.map(|check| format!("{:21} {}\n", check.name(), check.proves())).collect()
}

pub(super) fn check_line(check: &CheckReport) -> Screen {
    let (word, style) = match &check.outcome {
        Outcome::Passed => ("pass", Style::new().green()),
        Outcome::Failed(_) => ("FAIL", Style::new().red().bold()),
        Outcome::Skipped { .. } => ("skip", Style::new().yellow()),
    };
    let mut screen = Screen::default();
    screen.styled(word, &style);
    let title = check.title();
    let seconds = check.duration.as_secs_f64();
    let reason = match &check.outcome {
        Outcome::Skipped { reason } => format!("  {}", Escaped(reason)),
        _ => String::new(),
    };
    screen.text(&format!("  {title:46} {seconds:6.2} s{reason}\n"));
    screen
}

/// Explains the failed checks and sums up the report.
pub(super) fn summary(report: &Report) -> Screen {
    let mut screen = Screen::default();
    for check in &report.checks {
        if let Outcome::Failed(failure) = &check.outcome {
            explain(check, failure, &mut screen);
        }
    }
    let (passed, failed) = (report.passed(), report.failed());
    let skipped = report.checks.len() - passed - failed;
    let skipped = match skipped {
        0 => String::new(),
        count => format!(", {count} skipped"),
    };
    let bot = match (&*report.bot.name, &*report.bot.version) {
        ("", _) => Escaped(report.command.join(" ")).to_string(),
        (name, "") => Escaped(name).to_string(),
        (name, version) => format!("{} {}", Escaped(name), Escaped(version)),
    };
    let seconds = report.duration.as_secs_f64();
    let totals = format!("{bot}: {passed} passed, {failed} failed{skipped} in {seconds:.1} s");
    screen.text("\n");
    screen.styled(&totals, &Style::new().bold());
    screen.text("\n");
    if let Some(isolation) = report.isolation {
        screen.text(&format!("bots ran in {isolation}\n"));
    }
    screen
}

fn explain(check: &CheckReport, failure: &Failure, screen: &mut Screen) {
    screen.text("\n");
    screen.styled(&check.title(), &Style::new().red().bold());
    screen.text(&format!(
        "\n  proves    {}\n  expected  {}\n  seen      {}\n  see       proto/PROTOCOL.md, \
         \"{}\"\n",
        check.proves,
        Escaped(&failure.expected),
        Escaped(&failure.seen),
        failure.section,
    ));
    if !failure.stderr.is_empty() {
        screen.text("  last lines of its standard error:\n");
        for line in failure.stderr.lines() {
            screen.text(&format!("  | {}\n", Escaped(line)));
        }
    }
}
