//! `bridgemaster check-bot`: checks somebody's bot and reports.

mod junit;
mod text;

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context as _;
use bridgemaster_bot_process::is_program;
use bridgemaster_bots::NAMES;
use bridgemaster_check_bot::{Check, CheckBotError, Plan, Progress, Report, check_bot};
use bridgemaster_proto::outside::escape_json;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::{
    entrant::Entrant,
    failure::{self, misuse},
    output,
    output_file::OutputFile,
    runtime::block_on,
};

#[derive(Args)]
#[command(after_help = format!(
    "COMMAND is started as `demo` starts a bot, once for each check: with the server's address in \
     BRIDGEMASTER_SERVER and the join ticket of its seat in BRIDGEMASTER_TICKET. The name of a \
     built-in bot ({}) will do too.\n\n\
     The exit code is 0 when all checks passed, 1 when one failed, and 2 when the command line \
     makes no sense.\n\n  \
     bridgemaster check-bot -- python3 my_bot.py\n  \
     bridgemaster check-bot --game alhambra --only whole-match --only ping -- ./my_bot",
    NAMES.join(", ")
))]
pub(super) struct CheckBotArgs {
    /// Check only this game, can be repeated [default: every game that the bot says it plays]
    #[arg(long = "game", value_name = "GAME")]
    games: Vec<String>,
    /// Run only this check, can be repeated [default: all but `attend`]
    #[arg(long, value_name = "CHECK")]
    only: Vec<String>,
    /// Also check how the bot attends a queue, which not every bot does: for that it is started
    /// with the queue in BRIDGEMASTER_QUEUE
    #[arg(long)]
    attend: bool,
    /// Write the report as JSON to this file; with `-` to standard output, and nothing else there
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report as JUnit XML to this file, for a CI system; `-` is standard output, which
    /// then has nothing else
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Multiply every time limit of the checks by this number, for slow machines
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    time_limit: f64,
    /// List the checks and what they prove
    #[arg(long)]
    list: bool,
    /// The command that starts the bot, after `--`
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "list")]
    command: Vec<String>,
}

/// Runs the command. A failed check is not a failure of the command, but has the same exit code.
pub(super) fn run(args: CheckBotArgs) -> ExitCode {
    match args.run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => failure::report(&error),
    }
}

impl CheckBotArgs {
    /// Whether all checks passed.
    fn run(self) -> anyhow::Result<bool> {
        if self.list {
            output::print(&text::list())?;
            return Ok(true);
        }
        let plan = self.plan()?;
        let files = Files::open(&self)?;
        let has_own_stdout = !files.use_stdout();
        let mut report = None;
        block_on(async {
            let progress = progress_bar();
            let colours = output::stdout_has_colours();
            let checked = check_bot(plan, |news| match news {
                Progress::Planned(count) => progress.set_length(count as u64),
                Progress::Done(check) => {
                    progress.inc(1);
                    if has_own_stdout {
                        // A reader that went away is told of by the last print.
                        progress.suspend(|| output::print_screen(&text::line(check, colours)).ok());
                    }
                }
            })
            .await;
            progress.finish_and_clear();
            report = Some(checked.map_err(explained)?);
            Ok(())
        })?;
        let report = report.context("the checks gave no report")?;
        files.write(&report)?;
        if has_own_stdout {
            output::print_screen(&text::ending(&report, output::stdout_has_colours()))?;
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
                misuse(format!("--only: {name:?} is no check; there are: {names}"))
            })
        });
        let entrant = match &*self.command {
            [name] if NAMES.contains(&name.as_str()) => Entrant::BuiltIn(name.clone()),
            [program, ..] if is_program(program) => Entrant::Command(self.command.clone()),
            [program, ..] => {
                return Err(misuse(format!(
                    "COMMAND: {program:?} is no program that is found"
                )));
            }
            [] => return Err(misuse("COMMAND: which bot is to be checked?")),
        };
        Ok(Plan {
            command: entrant.command(0, None)?,
            games,
            only: only.collect::<anyhow::Result<_>>()?,
            attends: self.attend,
            time_factor: self.time_limit,
        })
    }
}

/// The files of the report.
struct Files {
    json: Option<OutputFile>,
    junit: Option<OutputFile>,
}

impl Files {
    fn open(args: &CheckBotArgs) -> anyhow::Result<Self> {
        let open = |flag, path: &Option<PathBuf>| {
            let path = path.as_deref();
            path.map(|path| OutputFile::open(flag, path)).transpose()
        };
        let files = Self {
            json: open("--json", &args.json)?,
            junit: open("--junit", &args.junit)?,
        };
        if files.all().count() == 2 && files.all().all(OutputFile::is_stdout) {
            return Err(misuse(
                "--json - and --junit -: only one of them can be standard output",
            ));
        }
        Ok(files)
    }

    fn all(&self) -> impl Iterator<Item = &OutputFile> {
        self.json.iter().chain(&self.junit)
    }

    fn use_stdout(&self) -> bool {
        self.all().any(OutputFile::is_stdout)
    }

    fn write(&self, report: &Report) -> anyhow::Result<()> {
        if let Some(file) = &self.json {
            file.write(&json(report)?)?;
        }
        match &self.junit {
            Some(file) => file.write(&junit::xml(report)?),
            None => Ok(()),
        }
    }
}

/// A run that gave no report; what the command line asked for and is not there is its mistake.
fn explained(error: CheckBotError) -> anyhow::Error {
    match error {
        CheckBotError::UnknownGame { .. } => misuse(format!("--game: {error}")),
        CheckBotError::TimeFactor { .. } => misuse(format!("--time-limit: {error}")),
        other => other.into(),
    }
}

/// Draws on standard error, and only when that is a terminal.
fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} checks, {elapsed}");
    // The template is fixed; should it ever be wrong, the standard style does.
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn json(report: &Report) -> anyhow::Result<String> {
    Ok(escape_json(&serde_json::to_string_pretty(report)?).into_owned() + "\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bridgemaster_check_bot::{BotInfo, CheckReport, Failure, Outcome};
    use bridgemaster_proto::outside::is_printable;

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
        let skipped = Outcome::Skipped {
            reason: HOSTILE.to_owned(),
        };
        Report {
            command: vec![HOSTILE.to_owned()],
            bot: BotInfo {
                name: HOSTILE.to_owned(),
                version: HOSTILE.to_owned(),
                games: vec![HOSTILE.to_owned()],
            },
            checks: vec![check(Outcome::Failed(failure)), check(skipped)],
            duration: Duration::ZERO,
        }
    }

    #[test]
    fn junit_xml_has_what_readers_of_it_ask_for() {
        let mut report = hostile_report();
        report.command = vec!["./my bot".to_owned(), "--fast".to_owned()];
        report.bot = BotInfo::default();
        let Outcome::Failed(failure) = &mut report.checks[0].outcome else {
            panic!("the first check failed");
        };
        // Characters that XML has not, as themselves or escaped.
        failure.stderr = "a\u{fffe}b\u{ffff}c".to_owned();
        let text = junit::xml(&report).unwrap();
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
    fn what_a_bot_says_of_itself_is_escaped_in_every_form_of_the_report() {
        let mut report = hostile_report();
        let mut texts = vec![junit::xml(&report).unwrap(), json(&report).unwrap()];
        for check in &report.checks {
            texts.push(text::line(check, false).to_string());
        }
        texts.push(text::ending(&report, false).to_string());
        report.bot = BotInfo::default();
        texts.push(text::ending(&report, false).to_string());
        for text in texts {
            let raw = text.chars().find(|c| !is_printable(*c) && *c != '\n');
            assert_eq!(raw, None, "{text:?}");
            let forged = text.lines().find(|line| line.starts_with("FORGED"));
            // Lines of standard error are lines of a text of its own in XML.
            assert!(forged.is_none() || text.starts_with("<?xml"), "{text}");
        }
        let read: serde_json::Value = serde_json::from_str(&json(&report).unwrap()).unwrap();
        assert_eq!(read["checks"][0]["seen"], HOSTILE);
    }
}
