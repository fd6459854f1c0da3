//! `bridgemaster check-bot`: checks a bot against the protocol.

mod report;

use std::{path::PathBuf, process::ExitCode};

use bridgemaster_bots::NAMES;
use bridgemaster_check_bot::{Check, CheckBotError, Plan, Progress, Report, check_bot};
use bridgemaster_proto::escape::escape_json;
use clap::Args;

use crate::{
    bot_choice::{BotChoice, BotEnvFlag},
    failure::{self, misuse},
    files::Outputs,
    output,
    process::block_on,
};

#[derive(Args)]
#[command(after_help = format!(
    "Starts COMMAND once for each check, with the address of the server in BRIDGEMASTER_SERVER and \
     the join ticket of the seat in BRIDGEMASTER_TICKET. COMMAND can also be the name of a built-in \
     bot ({}).\n\n\
     Exit codes: 0 all checks passed; 1 a check failed; 2 invalid command line.\n\n  \
     bridgemaster check-bot -- python3 my_bot.py\n  \
     bridgemaster check-bot --game alhambra --only whole-match --only ping -- ./my_bot",
    NAMES.join(", ")
))]
pub(super) struct CheckBotArgs {
    /// Check the bot only in this game (repeatable) [default: all games of the bot]
    #[arg(long = "game", value_name = "GAME")]
    games: Vec<String>,
    /// Run only this check (repeatable) [default: all but `attend`]
    #[arg(long, value_name = "CHECK")]
    only: Vec<String>,
    /// Also check that the bot attends a queue
    ///
    /// For this check the bot is started with the name of the queue in BRIDGEMASTER_QUEUE.
    #[arg(long)]
    attend: bool,
    /// Write the report as JSON to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report as JUnit XML to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Factor by which to multiply the time limits, for slow machines
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    time_limit: f64,
    /// List the checks with the behaviour that each check proves
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    bot_env: BotEnvFlag,
    /// Command that starts the bot, after `--`
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "list")]
    command: Vec<String>,
}

/// Runs the command. Failed checks set the exit code, but print no error message.
pub(super) fn run(args: CheckBotArgs) -> ExitCode {
    match args.run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => failure::report(&error),
    }
}

impl CheckBotArgs {
    /// Returns whether all checks passed.
    fn run(self) -> anyhow::Result<bool> {
        if self.list {
            output::print(&report::check_list())?;
            return Ok(true);
        }
        let plan = self.plan()?;
        let files = Outputs::<Format>::open([
            ("--json", &self.json, json),
            ("--junit", &self.junit, report::xml),
        ])?;
        let has_own_stdout = !files.use_stdout();
        let report = block_on(async {
            let progress = output::progress_bar(0, "{bar:30} {pos}/{len} checks, {elapsed}");
            let checked = check_bot(plan, |progress_event| match progress_event {
                Progress::Planned(count) => progress.set_length(count as u64),
                Progress::Done(check) => {
                    progress.inc(1);
                    if has_own_stdout {
                        // Errors are ignored here, because the last print reports any write error.
                        progress.suspend(|| output::print_screen(&report::check_line(check)).ok());
                    }
                }
            })
            .await;
            progress.finish_and_clear();
            checked.map_err(to_error)
        })?;
        files.write(|format| format(&report))?;
        if has_own_stdout {
            output::print_screen(&report::summary(&report))?;
        }
        Ok(report.failed() == 0)
    }

    fn plan(&self) -> anyhow::Result<Plan> {
        let mut games = self.games.clone();
        games.dedup();
        let only = self.only.iter().map(|name| {
            let names = || Check::ALL.iter().map(|check| check.name());
            Check::by_name(name).ok_or_else(|| {
                let names = names().collect::<Vec<_>>().join(", ");
                misuse(format!("--only: unknown check {name:?}; valid checks are {names}"))
            })
        });
        let bot_choice = BotChoice::from_words("COMMAND", self.command.clone())?;
        Ok(Plan {
            command: self.bot_env.read()?.pass_to(bot_choice.command(0, None)?),
            games,
            only: only.collect::<anyhow::Result<_>>()?,
            attends: self.attend,
            time_factor: self.time_limit,
        })
    }
}

/// Converts an error from a run. Invalid arguments count as misuse.
fn to_error(error: CheckBotError) -> anyhow::Error {
    match error {
        CheckBotError::UnknownGame { .. } => misuse(format!("--game: {error}")),
        CheckBotError::TimeFactor { .. } => misuse(format!("--time-limit: {error}")),
        other => other.into(),
    }
}

/// A function that formats the report.
type Format = fn(&Report) -> anyhow::Result<String>;

fn json(report: &Report) -> anyhow::Result<String> {
    Ok(escape_json(&serde_json::to_string_pretty(report)?).into_owned() + "\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bridgemaster_check_bot::{BotInfo, CheckReport, Failure, Outcome};
    use bridgemaster_proto::escape::is_printable;

    use super::*;

    const HOSTILE: &str = "\u{1b}[2J\u{9b}\u{202e}\u{200b}\u{7f}\r\nFORGED";

    fn hostile_report() -> Report {
        let check = |outcome| CheckReport {
            name: "ping",
            game: "",
            seats: 0,
            proves: "it proves nothing",
            outcome,
            duration: Duration::ZERO,
        };
        let failure = Failure {
            expected: HOSTILE.to_owned(),
            seen: HOSTILE.to_owned(),
            section: "Clocks",
            stderr: format!("{HOSTILE}\nthe end"),
        };
        let skipped = Outcome::Skipped { reason: HOSTILE.to_owned() };
        Report {
            command: vec![HOSTILE.to_owned()],
            bot: BotInfo {
                name: HOSTILE.to_owned(),
                version: HOSTILE.to_owned(),
                games: vec![HOSTILE.to_owned()],
            },
            isolation: None,
            checks: vec![check(Outcome::Failed(failure)), check(skipped)],
            duration: Duration::ZERO,
        }
    }

    #[test]
    fn junit_xml_has_the_expected_attributes() {
        let mut report = hostile_report();
        report.command = vec!["./my bot".to_owned(), "--fast".to_owned()];
        report.bot = BotInfo::default();
        let Outcome::Failed(failure) = &mut report.checks[0].outcome else {
            panic!("the first check failed");
        };
        // Characters that are not valid in XML even if they are escaped.
        failure.stderr = "a\u{fffe}b\u{ffff}c".to_owned();
        let text = report::xml(&report).unwrap();
        let is_of_xml = |c: char| !matches!(c, '\u{fffe}' | '\u{ffff}') && (c >= ' ' || c == '\n');
        assert!(text.chars().all(is_of_xml), "{text}");

        let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
        assert!(read.time.is_some() && read.name.is_some());
        assert_eq!((read.tests, read.failures, read.errors), (2, 1, 0));
        let [suite] = &*read.test_suites else {
            panic!("one suite: {text}");
        };
        assert_eq!(suite.name.as_str(), "./my bot --fast");
        assert!(suite.time.is_some());
        assert_eq!((suite.tests, suite.skipped, suite.failures), (2, 1, 1));
        for case in &suite.test_cases {
            assert!(case.time.is_some());
            let class = case.classname.as_ref().map(|class| class.as_str());
            assert_eq!(class, Some("check-bot"));
        }
        assert!(text.contains("<failure message="), "{text}");
    }

    #[test]
    fn text_of_a_bot_is_escaped_in_every_format() {
        let mut report = hostile_report();
        let mut texts = vec![report::xml(&report).unwrap(), json(&report).unwrap()];
        for check in &report.checks {
            texts.push(report::check_line(check).to_string());
        }
        texts.push(report::summary(&report).to_string());
        report.bot = BotInfo::default();
        texts.push(report::summary(&report).to_string());
        for text in texts {
            let raw = text.chars().find(|c| !is_printable(*c) && *c != '\n');
            assert_eq!(raw, None, "{text:?}");
            let forged = text.lines().find(|line| line.starts_with("FORGED"));
            // In XML, the lines of standard error are in a separate element.
            assert!(forged.is_none() || text.starts_with("<?xml"), "{text}");
        }
        let read: serde_json::Value = serde_json::from_str(&json(&report).unwrap()).unwrap();
        assert_eq!(read["checks"][0]["seen"], HOSTILE);
    }
}
