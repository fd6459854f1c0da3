//! Formats the report as JUnit XML. Test cases fail only if the contest's exit code is not 0.

use std::time::Duration;

use bridgemaster_proto::escape::{Escaped, escape_lines};
use bridgemaster_runner::{BotReport, ExitReason, MatchRow, Report, RequirementReport};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::{
    contest::{
        figures,
        outputs::{bot_sections, sections},
    },
    formats::{self, line, sanitized, unsuccessful},
};

/// Maximum number of processes whose standard error is included.
const MAX_TAILS: usize = 5;

/// Returns a test suite with a case for the contest, each requirement and each bot.
pub(super) fn xml(report: &Report, rows: &[MatchRow]) -> anyhow::Result<String> {
    let time = Duration::from_millis(report.elapsed_ms);
    let mut suite = TestSuite::new(line(name(report)));
    suite.set_time(time);
    let mut contest = case("contest", status_of_contest(report));
    contest.set_time(time).set_system_out(sanitized(&summary(report)));
    suite.add_test_case(contest);
    for requirement in &report.requirements {
        suite.add_test_case(requirement_case(report, requirement));
    }
    for bot in &report.bots {
        suite.add_test_case(bot_case(report, bot, rows));
    }
    let mut all = quick_junit::Report::new("bridgemaster contest");
    all.set_time(time).add_test_suite(suite);
    Ok(formats::junit(&all)? + "\n")
}

fn name(report: &Report) -> String {
    let game = &report.spec.rules.game;
    match figures::candidate(report) {
        Some(candidate) => format!("{game}: {}", candidate.name),
        None => game.clone(),
    }
}

fn case(name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(line(name), status);
    case.set_classname("contest").set_time(Duration::ZERO);
    case
}

fn status_of_contest(report: &Report) -> TestCaseStatus {
    let exit = &report.exit;
    let kind = match exit.reason {
        _ if exit.code == 0 => return TestCaseStatus::success(),
        ExitReason::RefereeFault => NonSuccessKind::Error,
        _ => NonSuccessKind::Failure,
    };
    // All lines after the first may be a bot's standard error.
    let (first, stderr) = exit.sentence.split_once('\n').unwrap_or((&exit.sentence, ""));
    unsuccessful(kind, figures::ending(exit.reason), first, &escape_lines(stderr))
}

/// Formats the contest's outcome and verdict, one figure per line.
fn summary(report: &Report) -> String {
    let ending = figures::ending(report.exit.reason).to_owned();
    let lines = std::iter::once(ending).chain(sections::verdict(report));
    joined(&lines.collect::<Vec<_>>())
}

fn joined(lines: &[String]) -> String {
    let lines = lines.iter().map(|line| Escaped(line.trim_start()).to_string());
    lines.collect::<Vec<_>>().join("\n")
}

fn requirement_case(report: &Report, requirement: &RequirementReport) -> TestCase {
    let is_failure = !requirement.is_met && report.exit.code != 0;
    let value = sections::requirement(requirement);
    let status = if is_failure {
        unsuccessful(NonSuccessKind::Failure, "requirement not met", &value, "")
    } else {
        TestCaseStatus::success()
    };
    let mut case = case(&format!("requirement {}", requirement.text), status);
    case.set_system_out(line(&value));
    case
}

fn bot_case(report: &Report, bot: &BotReport, rows: &[MatchRow]) -> TestCase {
    let exit = &report.exit;
    let could_not_play = exit.code != 0 && exit.bot.as_ref() == Some(&bot.name);
    let is_failure = exit.reason.is_bot_failure() && bot.faults + bot.forfeits > 0;
    let status = if could_not_play {
        status_of_contest(report)
    } else if is_failure {
        let (reasons, tails) = (bot_sections::reasons(bot), stderr_tails(bot, rows));
        unsuccessful(NonSuccessKind::Failure, "fault of a bot", &reasons, &tails)
    } else {
        TestCaseStatus::success()
    };
    let mut case = case(&format!("bot {}", bot.name), status);
    // The time that the bot spent on its decisions.
    case.set_time(Duration::from_micros(bot.mean_us.saturating_mul(bot.answered)));
    case.set_system_out(sanitized(&joined(&bot_sections::bot_lines(report, bot))));
    case
}

/// Returns the last lines of a bot's standard error, from matches in which the bot failed.
fn stderr_tails(bot: &BotReport, rows: &[MatchRow]) -> String {
    let ends = rows.iter().flat_map(|row| {
        let seats = row.seats.iter().enumerate();
        let own = seats.filter(|(_, seat)| seat.bot == bot.bot && !seat.stderr_tail.is_empty());
        own.map(|(number, seat)| {
            let tail = escape_lines(&seat.stderr_tail);
            format!("match {}, seat {number}:\n{tail}", row.of)
        })
    });
    ends.take(MAX_TAILS).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::outputs::examples_for_tests::{
        empty_report, hostile_report, hostile_rows, report, rows,
    };

    #[test]
    fn the_xml_has_the_attributes_that_jenkins_and_gitlab_read() {
        let text = xml(&report(), &rows()).unwrap();
        let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
        assert!(read.time.is_some() && read.name.is_some());
        assert_eq!((read.tests, read.failures, read.errors), (4, 0, 0), "{text}");
        let [suite] = &*read.test_suites else {
            panic!("one suite: {text}");
        };
        assert_eq!(suite.name.as_str(), "carcassonne: mine");
        assert!(suite.time.is_some());
        let mut names = Vec::new();
        for case in &suite.test_cases {
            assert!(case.time.is_some());
            let class = case.classname.as_ref().map(|class| class.as_str());
            assert_eq!(class, Some("contest"));
            names.push(case.name.as_str());
        }
        assert_eq!(names, ["contest", "requirement elo>=0@95%", "bot mine", "bot greedy"]);
    }

    #[test]
    fn a_case_fails_exactly_if_the_exit_code_is_not_0() {
        for reason in ExitReason::ALL {
            let mut report = hostile_report();
            report.exit.reason = reason;
            report.exit.code = reason.code();
            let text = xml(&report, &hostile_rows()).unwrap();
            let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
            let is_failure = read.failures + read.errors > 0;
            assert_eq!(is_failure, reason.code() != 0, "{reason:?}: {text}");
            assert_eq!(read.errors > 0, reason == ExitReason::RefereeFault);
        }
    }

    #[test]
    fn a_failed_bot_is_named_with_its_stderr() {
        let mut report = report();
        report.exit.reason = ExitReason::BotFault;
        report.exit.code = report.exit.reason.code();
        let text = xml(&report, &rows()).unwrap();
        assert!(text.contains("out of ideas"), "{text}");
        assert!(text.contains("DISCONNECTED 1"), "{text}");
    }

    #[test]
    fn a_bot_that_never_connected_is_a_failed_case() {
        let mut report = empty_report();
        report.exit.reason = ExitReason::BotNeverConnected;
        report.exit.bot = Some("mine".to_owned());
        (report.bots[1].faults, report.bots[1].forfeits) = (0, 0);
        let text = xml(&report, &[]).unwrap();
        let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
        let cases = &read.test_suites[0].test_cases;
        let failed = |case: &&TestCase| matches!(case.status, TestCaseStatus::NonSuccess { .. });
        let failed: Vec<&str> =
            cases.iter().filter(failed).map(|case| case.name.as_str()).collect();
        assert_eq!(failed, ["contest", "requirement elo>=0@95%", "bot mine"]);
    }

    #[test]
    fn a_bot_case_has_the_counts_of_seats_wins_and_faults() {
        let mut report = report();
        // The report has fewer reasons than faults.
        report.bots[1].faults = 70;
        let text = xml(&report, &rows()).unwrap();
        let (_, bots) = text.split_once("bot mine").unwrap();
        let (mine, greedy) = bots.split_once("bot greedy").unwrap();
        assert!(mine.contains("24 seats played, 20 won"), "{mine}");
        assert!(mine.contains("no faults"), "{mine}");
        assert!(greedy.contains("faults: 70 (DISCONNECTED 1)"), "{greedy}");
    }

    #[test]
    fn characters_that_are_not_valid_in_xml_are_replaced() {
        let mut rows = rows();
        rows[0].seats[1].stderr_tail = "a\u{fffe}b\u{ffff}c\u{0}".to_owned();
        let mut report = report();
        report.exit.reason = ExitReason::BotFault;
        report.exit.code = report.exit.reason.code();
        let text = xml(&report, &rows).unwrap();
        let is_of_xml = |c: char| !matches!(c, '\u{fffe}' | '\u{ffff}') && (c >= ' ' || c == '\n');
        assert!(text.chars().all(is_of_xml), "{text}");
    }
}
