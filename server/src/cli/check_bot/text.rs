//! The report for people.

use bridgemaster_server::check_bot::{Check, CheckReport, Failure, Outcome, Report};
use console::Style;

/// The checks and what they prove.
pub(super) fn list() -> String {
    let checks = Check::ALL.iter();
    checks
        .map(|check| format!("{:21} {}\n", check.name(), check.proves()))
        .collect()
}

/// One check on one line.
pub(super) fn line(check: &CheckReport, colours: bool) -> String {
    let (word, style) = match &check.outcome {
        Outcome::Passed => ("pass", Style::new().green()),
        Outcome::Failed(_) => ("FAIL", Style::new().red().bold()),
        Outcome::Skipped { .. } => ("skip", Style::new().yellow()),
    };
    let word = style.force_styling(colours).apply_to(word);
    let title = check.title();
    let seconds = check.duration.as_secs_f64();
    match &check.outcome {
        Outcome::Skipped { reason } => format!("{word}  {title:46} {seconds:6.2} s  {reason}\n"),
        _ => format!("{word}  {title:46} {seconds:6.2} s\n"),
    }
}

/// What failed and why, and the sum of it all.
pub(super) fn ending(report: &Report, colours: bool) -> String {
    let mut text = String::new();
    for check in &report.checks {
        if let Outcome::Failed(failure) = &check.outcome {
            text.push_str(&explanation(check, failure, colours));
        }
    }
    let bold = Style::new().bold().force_styling(colours);
    let (passed, failed) = (report.passed(), report.failed());
    let skipped = report.checks.len() - passed - failed;
    let skipped = match skipped {
        0 => String::new(),
        count => format!(", {count} skipped"),
    };
    let bot = match (&*report.bot.name, &*report.bot.version) {
        ("", _) => report.command.join(" "),
        (name, "") => name.to_owned(),
        (name, version) => format!("{name} {version}"),
    };
    let seconds = report.duration.as_secs_f64();
    let sum = format!("{bot}: {passed} passed, {failed} failed{skipped} in {seconds:.1} s");
    format!("{text}\n{}\n", bold.apply_to(sum))
}

fn explanation(check: &CheckReport, failure: &Failure, colours: bool) -> String {
    let title = Style::new().red().bold().force_styling(colours);
    let mut text = format!(
        "\n{}\n  proves    {}\n  expected  {}\n  seen      {}\n  see       proto/PROTOCOL.md, \
         \"{}\"\n",
        title.apply_to(check.title()),
        check.proves,
        failure.expected,
        failure.seen,
        failure.section,
    );
    if !failure.stderr.is_empty() {
        text.push_str("  the end of its standard error:\n");
        for line in failure.stderr.lines() {
            text.push_str(&format!("  | {line}\n"));
        }
    }
    text
}
