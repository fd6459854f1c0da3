//! `bridgemaster contest`: plays matches between bots for a verdict.

mod figures;
mod flags;
mod fork;
mod live;
mod lost_matches;
mod outputs;
mod own_server;
mod playing;
mod show;
mod verdict_flags;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::Context as _;
use bridgemaster_bot_process::Isolation;
use bridgemaster_bots::{NAMES, by_name};
use bridgemaster_runner::{
    BuiltInBots, Contest, ContestSpec, ContestState, ExitReason, Report, SpecError, not_started,
    read_contest,
};
use clap::{
    Args, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser as _},
};

use crate::{
    contest::{
        flags::SpecFlags,
        live::Live,
        outputs::{OutputArgs, Outputs, text::text},
        own_server::ServerChoice,
        playing::{play, report_of_failure, spec_error, to_error},
        show::{OpenArgs, ShowArgs},
    },
    failure::{self, is_misuse},
    output,
    quantities::seconds,
};

pub(super) use crate::contest::fork::ForkArgs;

/// The exit codes that a contest and a fork have in common, for their help.
const SHARED_EXIT_CODES: &str = "4 a requirement is not met; 5 a fault of a bot; 51 a bot cannot be \
    started; 52 a bot exited before its first seat; 53 a bot never connected; 54 a bot does not play \
    the game; 55 a bot ran out of memory; 56 a bot changed since the contest started; 6 a fault of \
    the referee or the machine.";

/// Exit code for an error that no bot caused. Exit code 1 means that the candidate was rejected.
const FAILED: u8 = 6;

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = format!("Is a change better than the old version, and than a built-in bot?\n\n  \
        bridgemaster contest --game carcassonne --candidate mine --against old,greedy \\\n    \
        --bot \"mine=python3 bot.py\" --bot \"old=python3 old_bot.py\"\n\n\
        Estimate the time:    add --plan\n\
        Resume a contest:     bridgemaster contest --resume FOLDER\n\
        Analyse a bot:        bridgemaster contest show FOLDER --bot mine\n\
        Open in the browser:  bridgemaster contest open FOLDER\n\n\
        Exit codes: 0 accepted, or finished without a test; 1 rejected; 2 invalid command line; 3 \
        undecided or stopped; {SHARED_EXIT_CODES}")
)]
pub(super) struct ContestArgs {
    #[command(subcommand)]
    command: Option<ContestCommand>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Subcommand)]
enum ContestCommand {
    /// Show a contest's standings, worst matches, time use and faults
    Show(ShowArgs),
    /// Show a contest and its matches in the browser
    Open(OpenArgs),
}

#[derive(Args)]
struct RunArgs {
    /// Folder to create for the contest [default: contest-DATE-TIME]
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    folder: Option<PathBuf>,
    /// Play one match group, then estimate the number of groups and the total time
    #[arg(long, conflicts_with_all = ["resume", "OutputArgs"])]
    plan: bool,
    /// Hide progress and table; print only the reason for an exit code other than 0
    #[arg(short, long)]
    quiet: bool,
    /// Action if a bot's file changes during the contest
    #[arg(long, value_enum, default_value_t = BotChangedFlag::Stop)]
    bot_changed: BotChangedFlag,
    /// Minimum isolation of bots; exit code 6 if the system does not support it
    #[arg(long, value_name = "ISOLATION", default_value = Isolation::ProcessGroup.name(),
        value_parser = PossibleValuesParser::new(Isolation::ALL.map(Isolation::name))
            .try_map(|name| {
                Isolation::ALL.into_iter().find(|one| one.name() == name).ok_or("unknown")
            }))]
    isolation: Isolation,
    /// Stop undecided after this time, such as 25m or 2h, and write the reports
    #[arg(long, value_name = "TIME", value_parser = max_time, conflicts_with = "plan")]
    max_time: Option<Duration>,
    /// Print the bots' standard error, each line with the bot's name
    #[arg(long)]
    show_output: bool,
    // These flags come last, since their help heading would otherwise apply to later flags too.
    #[command(flatten)]
    spec: SpecFlags,
    #[command(flatten)]
    outputs: OutputArgs,
    #[command(flatten)]
    server: ServerChoice,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BotChangedFlag {
    /// Stop, since the results would mix two versions of the bot
    Stop,
    /// Continue, and report the change
    Allow,
}

pub(super) fn run(args: ContestArgs) -> ExitCode {
    let done = match args.command {
        Some(ContestCommand::Show(args)) => args.run(),
        Some(ContestCommand::Open(args)) => args.run(),
        None => args.run.run(),
    };
    exit_code(done)
}

/// Returns the contest's exit code, or the exit code for its error.
fn exit_code(done: anyhow::Result<u8>) -> ExitCode {
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) if is_misuse(&error) => failure::report(&error),
        Err(error) if is_missing_program(&error) => {
            failure::report(&error);
            ExitCode::from(ExitReason::BotNotStarted.code())
        }
        Err(error) => {
            failure::report(&error);
            ExitCode::from(FAILED)
        }
    }
}

impl RunArgs {
    /// Runs the contest and returns its exit code.
    fn run(self) -> anyhow::Result<u8> {
        let built_in = built_in()?;
        if self.plan {
            let spec = self.spec.spec()?;
            check(&spec, &built_in)?;
            self.server.check(&spec)?;
            return playing::estimate(&spec, built_in, self.server, self.isolation);
        }
        let outputs = self.outputs.open()?;
        let mut contest = match &self.spec.resume {
            Some(folder) => Contest::resume(folder).map_err(to_error)?,
            None => {
                let spec = self.spec.spec()?;
                let folder = self.folder.clone().unwrap_or_else(default_folder);
                if let Err(error) = check(&spec, &built_in) {
                    return report_without_folder(spec, folder, error, &outputs);
                }
                self.server.check(&spec)?;
                Contest::create(&folder, spec).map_err(to_error)?
            }
        };
        contest.bots_may_change = self.bot_changed == BotChangedFlag::Allow;
        contest.min_isolation = self.isolation;
        let options =
            LiveOptions { quiet: self.quiet, output: self.show_output, max_time: self.max_time };
        play_to_end(contest, (built_in, self.server), options, &outputs, text)
    }
}

/// Options of a running contest that do not change its matches.
#[derive(Clone, Copy)]
struct LiveOptions {
    /// True to hide progress and table.
    quiet: bool,
    /// True to print the bots' standard error.
    output: bool,
    /// The time after which the contest stops undecided.
    max_time: Option<Duration>,
}

/// Plays a contest with live output, writes its outputs, and prints the table that `table` formats.
/// Returns the exit code.
fn play_to_end(
    mut contest: Contest,
    (built_in, server): (BuiltInBots, ServerChoice),
    options: LiveOptions,
    outputs: &Outputs,
    table: impl FnOnce(&Report) -> String,
) -> anyhow::Result<u8> {
    let live = Live::new(contest.state(), options.quiet);
    contest.output = options.output.then(|| live.output());
    let (folder, new) = (contest.state().folder().to_owned(), contest.new_folder().cloned());
    let report = match play(contest, built_in, server, live, options.max_time) {
        Ok((state, exit)) => state.report(exit),
        Err(error) if is_misuse(&error) => {
            // The server refused the contest.
            if let Some(new) = new {
                new.remove_unplayed();
            }
            return Err(error);
        }
        Err(error) => report_of_failure(&folder, error)?,
    };
    if !outputs.is_empty() {
        let (_, rows) = read_contest(&report.folder).map_err(|error| to_error(error.into()))?;
        outputs::write(outputs, &report, &rows)?;
    }
    if !options.quiet && !outputs.use_stdout() {
        output::print(&table(&report))?;
    } else if report.exit.code != 0 {
        output::eprint(&report.exit.sentence);
    }
    Ok(report.exit.code)
}

/// Writes the reports of a contest whose bot has no program, without its folder.
///
/// # Errors
/// Always the error of the contest, or else the error of an output.
fn report_without_folder(
    spec: ContestSpec,
    folder: PathBuf,
    error: anyhow::Error,
    outputs: &Outputs,
) -> anyhow::Result<u8> {
    if let Some(missing @ SpecError::NoProgram { .. }) = error.downcast_ref::<SpecError>() {
        let state = ContestState::new(spec, folder).map_err(|error| spec_error(&error))?;
        outputs::write(outputs, &state.report(not_started(missing)), &[])?;
    }
    Err(error)
}

/// Parses a `--max-time` value: a whole number and a unit, s, m or h.
fn max_time(text: &str) -> Result<Duration, String> {
    seconds(text, &[('s', 1), ('m', 60), ('h', 60 * 60)])
        .filter(|seconds| *seconds > 0)
        .map(Duration::from_secs)
        .ok_or_else(|| "expected a whole number with s, m or h, such as 25m".to_owned())
}

/// Returns this program's built-in bots.
fn built_in() -> anyhow::Result<BuiltInBots> {
    Ok(BuiltInBots {
        program: env::current_exe().context("cannot find the path of this program")?,
        names: NAMES.iter().map(|name| (*name).to_owned()).collect(),
        make: by_name,
    })
}

fn check(spec: &ContestSpec, built_in: &BuiltInBots) -> anyhow::Result<()> {
    let checked = spec.validate().and_then(|()| Contest::check_bots(spec, built_in));
    checked.map_err(|error| spec_error(&error))
}

/// Returns whether the error means that a bot's program is missing. Such an error has its own exit
/// code.
fn is_missing_program(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<SpecError>();
    error.is_some_and(|error| matches!(error, SpecError::NoProgram { .. }))
}

/// Returns a contest's default folder: `contest-DATE-TIME`.
fn default_folder() -> PathBuf {
    let now = jiff::Timestamp::now().strftime("contest-%Y%m%d-%H%M%S");
    Path::new(&now.to_string()).to_owned()
}
