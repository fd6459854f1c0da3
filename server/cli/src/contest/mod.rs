//! `bridgemaster contest`: a verdict on bots.

mod ending;
mod figures;
mod flags;
mod forecast;
mod fork;
mod live;
mod open;
mod outputs;
mod own_server;
mod playing;
mod show;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use bridgemaster_bots::NAMES;
use bridgemaster_runner::{
    BuiltInBots, Contest, ContestSpec, ExitReason, Report, SpecError, read_contest,
};
use clap::{Args, Subcommand};

pub(super) use self::fork::ForkArgs;
use self::{
    flags::{SpecFlags, WHAT_A_CONTEST_IS},
    live::Live,
    open::OpenArgs,
    outputs::{OutputArgs, Outputs},
    own_server::ServerChoice,
    playing::{explained, play, refused},
    show::ShowArgs,
};
use super::{
    failure::{self, is_misuse},
    output,
};

/// Exit code of a contest that failed for another reason than its bots: 1 would mean rejected.
const FAILED: u8 = 6;

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Is my change better than the old bot, and than the built-in one?\n\n  \
        bridgemaster contest --game carcassonne --candidate mine --against old,greedy \\\n    \
        --bot \"mine=python3 bot.py\" --bot \"old=python3 old_bot.py\"\n\n\
        How long would that take?  Add --plan.\n\
        Killed, or stopped with Ctrl-C?  bridgemaster contest --resume FOLDER\n\
        What went wrong?  bridgemaster contest show FOLDER --bot mine\n\
        See it in the browser:  bridgemaster contest open FOLDER\n\n\
        Exit codes: 0 accepted, or finished where there is no test; 1 rejected; 2 a mistake in the \
        command line; 3 not decided, or stopped; 4 a requirement not met; 5 a bot's fault; 51 a bot \
        cannot be started; 52 it ended before its first seat; 53 it never connected; 54 it does not \
        play the game; 55 it ran out of memory; 6 the referee's fault, or the machine's."
)]
pub(super) struct ContestArgs {
    #[command(subcommand)]
    command: Option<ContestCommand>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Subcommand)]
enum ContestCommand {
    /// Show a contest from its folder: table, worst matches of a bot, its use of time, its faults
    Show(ShowArgs),
    /// Show a contest as a page in the browser: how it stands, and each match as it was played
    Open(OpenArgs),
}

#[derive(Args)]
struct RunArgs {
    #[command(flatten)]
    spec: SpecFlags,
    /// Keep the contest in this folder, which is made [default: contest-DATE-TIME]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Go on with the contest of this folder; finished matches are not played again
    #[arg(long, value_name = "DIR", conflicts_with_all = ["folder", "config", "concurrency"],
        conflicts_with_all = WHAT_A_CONTEST_IS)]
    resume: Option<PathBuf>,
    /// Say how many groups and how much time the asked difference needs, and play only one group,
    /// to measure
    #[arg(long, conflicts_with_all = ["resume", "OutputArgs"])]
    plan: bool,
    /// Show neither progress nor the table; only why, when the exit code is not 0
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    outputs: OutputArgs,
    #[command(flatten)]
    server: ServerChoice,
}

/// Runs the command.
pub(super) fn run(args: ContestArgs) -> ExitCode {
    let done = match args.command {
        Some(ContestCommand::Show(args)) => args.run(),
        Some(ContestCommand::Open(args)) => args.run(),
        None => args.run.run(),
    };
    exit_code(done)
}

/// The exit code of what was played, or of why it was not.
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
    /// The exit code.
    fn run(self) -> anyhow::Result<u8> {
        let built_in = built_in()?;
        if self.plan {
            let spec = self.spec.spec()?;
            check(&spec, &built_in)?;
            self.server.check(&spec)?;
            return forecast::run(&spec, built_in, self.server);
        }
        let outputs = self.outputs.open()?;
        let contest = match &self.resume {
            Some(folder) => Contest::resume(folder).map_err(explained)?,
            None => {
                let spec = self.spec.spec()?;
                check(&spec, &built_in)?;
                self.server.check(&spec)?;
                let folder = self.folder.clone().unwrap_or_else(new_folder);
                Contest::create(&folder, spec).map_err(explained)?
            }
        };
        let report = play_to_the_end(contest, built_in, self.server, self.quiet)?;
        write(&outputs, &report)?;
        match self.quiet || outputs.use_stdout() {
            true => tell_if_red(&report),
            false => output::print(&ending::text(&report))?,
        }
        Ok(report.exit.code)
    }
}

/// Plays a contest, and shows it meanwhile unless it is to be `quiet`.
fn play_to_the_end(
    contest: Contest,
    built_in: BuiltInBots,
    server: ServerChoice,
    quiet: bool,
) -> anyhow::Result<Report> {
    let live = Live::new(contest.standing(), quiet);
    let (standing, exit) = play(contest, built_in, server, live)?;
    Ok(standing.report(exit))
}

/// Says why a contest is red to somebody who is shown no table.
fn tell_if_red(report: &Report) {
    if report.exit.code != 0 {
        output::complain(&report.exit.sentence);
    }
}

/// Writes the report with all matches that its folder has.
fn write(outputs: &Outputs, report: &Report) -> anyhow::Result<()> {
    if outputs.is_empty() {
        return Ok(());
    }
    let (_, rows) = read_contest(&report.folder).map_err(|error| explained(error.into()))?;
    outputs.write(report, &rows)
}

/// The built-in bots, which this program has.
fn built_in() -> anyhow::Result<BuiltInBots> {
    Ok(BuiltInBots {
        program: env::current_exe().context("this program cannot find itself")?,
        names: NAMES.iter().map(|name| (*name).to_owned()).collect(),
    })
}

fn check(spec: &ContestSpec, built_in: &BuiltInBots) -> anyhow::Result<()> {
    let checked = spec
        .check()
        .and_then(|()| Contest::check_bots(spec, built_in));
    checked.map_err(|error| refused(&error))
}

/// Whether the program of a bot is not there, which has an exit code of its own.
fn is_missing_program(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<SpecError>();
    error.is_some_and(|error| matches!(error, SpecError::NoProgram { .. }))
}

/// The folder of a contest for which none was named.
fn new_folder() -> PathBuf {
    let now = jiff::Timestamp::now().strftime("contest-%Y%m%d-%H%M%S");
    Path::new(&now.to_string()).to_owned()
}
