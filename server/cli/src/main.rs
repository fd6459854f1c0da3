//! The `bridgemaster` program: server, built-in bots, demo and tools. Each command has its own
//! module, and returns errors that [`main`] prints.

#![forbid(unsafe_code)]

mod address;
mod attend;
mod board;
mod bot;
mod bot_choice;
mod browser;
mod check_bot;
mod cluster;
#[cfg(test)]
mod commands_page_tests;
mod contest;
mod data;
mod demo;
mod failure;
mod files;
mod follow;
mod formats;
mod key;
mod ladder;
#[cfg(test)]
mod manuals_tests;
mod match_client;
mod match_flags;
mod matches;
mod new_bot;
mod output;
mod process;
mod quantities;
mod replay;
mod replay_files;
mod replay_page;
mod replay_review;
mod serve;
mod table;
mod view;

use std::process::ExitCode;

use clap::{
    Parser, Subcommand,
    error::{ContextKind, ContextValue},
};
use mimalloc::MiMalloc;

use crate::process::block_on;

#[cfg(target_os = "linux")]
use anyhow::Context as _;
#[cfg(target_os = "linux")]
use bridgemaster_bot_process::{
    SUPERVISOR_COMMAND, hide_from_bots, run_as_init_if_pid_1, supervise,
};

/// Decisions need many small allocations, which are often freed by another thread. MiMalloc is fast
/// at this.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[derive(Parser)]
#[command(
    name = "bridgemaster",
    version,
    about = "Referees board games between bots over gRPC",
    long_about = "Referees board games between bots over gRPC.\n\n\
        Bots are programs in any language that connect to a server and play one seat of a match. \
        The server applies the rules, runs the clocks and writes a replay of every match.",
    after_help = "First steps:\n  \
        bridgemaster demo                      play a whole match between built-in bots\n  \
        bridgemaster replay show FILE          print it as text\n\n\
        Your own bot:\n  \
        bridgemaster new-bot --language python my-bot\n  \
        bridgemaster demo --bots \"greedy,greedy,greedy,python3 my_bot.py\"\n  \
        bridgemaster check-bot -- python3 my_bot.py\n  \
        bridgemaster contest --bot \"mine=python3 my_bot.py\" --against greedy\n\n\
        A server, a match and its bots, each command in its own terminal:\n  \
        bridgemaster serve\n  \
        bridgemaster match create --seats 2    prints a join ticket for each seat\n  \
        BRIDGEMASTER_TICKET=... bridgemaster bot greedy\n  \
        bridgemaster match watch MATCH_ID\n  \
        bridgemaster match list                and `bridgemaster match result MATCH_ID`",
    arg_required_else_help = true
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play one match on this machine, with its own server and bots
    Demo(demo::DemoArgs),
    /// Run a server that referees matches between bots
    Serve(serve::ServeCommand),
    /// Create, list, watch and cancel matches on a server
    Match(matches::MatchArgs),
    /// Create and run ladders, and show their standings
    Ladder(ladder::LadderArgs),
    /// Play many matches for a statistical verdict on which bot is better
    Contest(contest::ContestArgs),
    /// Show, verify or convert the replay of a match
    Replay(replay::ReplayArgs),
    /// Play a seat of a match with a built-in bot, or by hand
    Bot(bot::BotCommand),
    /// Create, list and revoke the API keys of a server
    Key(key::KeyArgs),
    /// Check, back up, restore or repair the data folder of a server
    Data(data::DataArgs),
    /// Show the nodes of a cluster, or check the health of a server
    Cluster(cluster::ClusterArgs),
    /// Create a folder with a simple bot, in one of six languages
    NewBot(new_bot::NewBotArgs),
    /// Check that a bot, in any language, follows the protocol
    CheckBot(check_bot::CheckBotArgs),
    /// Let a bot attend a contest or a ladder, with one process per match
    Attend(attend::AttendArgs),
}

impl Command {
    /// Returns whether the command starts bots or is a bot itself. Such a process must hide its
    /// keys, tickets and environment from other bots of the same user.
    #[cfg(target_os = "linux")]
    const fn has_secrets_near_bots(&self) -> bool {
        matches!(
            self,
            Self::Attend(_)
                | Self::Bot(_)
                | Self::CheckBot(_)
                | Self::Contest(_)
                | Self::Demo(_)
                | Self::Replay(_)
        )
    }
}

/// Flags whose values are secrets, as clap prints the flags in errors.
const SECRET_FLAGS: [&str; 3] = ["--key ", "--ticket ", "--store "];

/// Parses the command line. Errors do not show rejected values that might be secrets, since a
/// mistyped API key reveals most of the real key.
fn command_line() -> CommandLine {
    CommandLine::try_parse().unwrap_or_else(|mut error| {
        let flag = error.get(ContextKind::InvalidArg).map(ToString::to_string);
        let flag = flag.unwrap_or_default();
        if SECRET_FLAGS.iter().any(|secret| flag.starts_with(secret)) {
            let hidden = ContextValue::String("(hidden)".to_owned());
            error.insert(ContextKind::InvalidValue, hidden);
        }
        error.exit()
    })
}

/// Exit codes: 0 for success, 1 for failure, and 2 for an invalid command line. Some commands have
/// further exit codes.
fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    match run_as_init_or_supervisor() {
        Ok(Some(code)) => return code,
        Ok(None) => {}
        Err(error) => return failure::report(&error),
    }
    let command = command_line().command;
    #[cfg(target_os = "linux")]
    if command.has_secrets_near_bots()
        && let Err(error) = hide_from_bots()
    {
        return failure::report(&error.into());
    }
    let done = match command {
        Command::Demo(args) => args.run(),
        Command::Serve(args) => return args.run(),
        Command::Match(args) => {
            return block_on(args.run()).unwrap_or_else(|error| failure::report(&error));
        }
        Command::Ladder(args) => block_on(args.run()),
        Command::Contest(args) => return contest::run(args),
        Command::Replay(args) => return args.run(),
        Command::Bot(command) => command.run(),
        Command::Key(args) => block_on(args.run()),
        Command::Data(args) => block_on(args.run()),
        Command::Cluster(args) => block_on(args.run()),
        Command::NewBot(args) => args.run(),
        Command::CheckBot(args) => return check_bot::run(args),
        Command::Attend(args) => args.run(),
    };
    failure::exit_code(done)
}

/// Runs as the supervisor of a bot, or as PID 1 of a container, if the process was started for
/// this, and returns the exit code. This precedes all other work, because it is executed twice for
/// each start of a bot.
#[cfg(target_os = "linux")]
fn run_as_init_or_supervisor() -> anyhow::Result<Option<ExitCode>> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == SUPERVISOR_COMMAND) {
        supervise(arguments).context("the bot's supervisor failed")?;
        return Ok(Some(ExitCode::SUCCESS));
    }
    run_as_init_if_pid_1().context("this program is PID 1 and cannot start a child process")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn command_line_is_valid() {
        CommandLine::command().debug_assert();
    }
}
