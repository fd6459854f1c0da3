//! The one program of Bridgemaster: server, built-in bots, demo and tools. One file a command; a
//! command gives an error for people, and [`main`] shows it.

#![forbid(unsafe_code)]

mod address;
mod attend;
mod bot;
mod browser;
mod cancel;
mod check_bot;
mod contest;
mod count;
mod create;
mod data;
mod data_copy;
mod demo;
mod entrant;
mod existing_folder;
mod failure;
mod follow;
mod group;
mod health;
mod input_file;
mod key;
mod label;
mod ladder;
mod lifetime;
mod limited;
mod list;
mod local_pages;
mod low_priority;
mod match_client;
mod match_flags;
mod moment;
mod new_bot;
mod nodes;
mod output;
mod output_file;
mod proto_json;
mod replay;
mod replay_file;
mod replay_files;
mod replay_page;
mod reservation;
mod result;
mod rules;
mod runtime;
mod seat_link;
mod secret_file;
mod serve;
mod standing;
mod stop_signal;
mod store_variable;
mod table;
mod tickets;
mod tls_flags;
mod view;
mod watch;
mod wrapped;
mod xml_text;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;

/// Decisions are made of many small allocations, which one thread frees for another.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The whole command line.
#[derive(Parser)]
#[command(
    name = "bridgemaster",
    version,
    about = "Referees board games between bots over gRPC",
    long_about = "Referees board games between bots over gRPC.\n\n\
        Bots are programs in any language that connect to a server and play one seat of a match. \
        The server knows the rules, keeps the clocks and writes a replay of every match.",
    after_help = "First steps:\n  \
        bridgemaster demo                      play a whole match between built-in bots, here and now\n  \
        bridgemaster replay show FILE          read what happened in it\n\n\
        Your own bot:\n  \
        bridgemaster new-bot --language python my-bot\n  \
        bridgemaster demo --bots \"greedy,greedy,greedy,python3 my_bot.py\"\n  \
        bridgemaster check-bot -- python3 my_bot.py\n  \
        bridgemaster contest --bot \"mine=python3 my_bot.py\" --against greedy\n\n\
        A server, a match on it, and its bots, each in a terminal of its own:\n  \
        bridgemaster serve\n  \
        bridgemaster create --seats 2          prints a join ticket for each seat\n  \
        BRIDGEMASTER_TICKET=... bridgemaster bot greedy\n  \
        bridgemaster watch MATCH_ID\n  \
        bridgemaster list                      and `bridgemaster result MATCH_ID`",
    arg_required_else_help = true
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play one match between bots here and now: server, match and bot processes in one go
    Demo(demo::DemoArgs),
    /// Run a server that referees matches for bots
    Serve(serve::ServeArgs),
    /// Tell whether a server serves: for health checks of containers and machines
    Health(health::HealthArgs),
    /// Serve the rules by call to programs on this machine, for bots that search
    Rules(rules::RulesArgs),
    /// Make a match on a running server and print a join ticket for each seat
    Create(create::CreateArgs),
    /// Play a seat of a match with a built-in bot
    Bot(bot::BotCommand),
    /// Attend the queue of a contest or a ladder with a bot, one process for each match
    Attend(attend::AttendArgs),
    /// Make a folder with a first bot, in one of six languages
    NewBot(new_bot::NewBotArgs),
    /// Check a bot, in any language, against the protocol
    CheckBot(check_bot::CheckBotArgs),
    /// Find out which bot is better, and how sure that is: many matches, a table, a verdict
    Contest(contest::ContestArgs),
    /// Make and run ladders, and see how their bots stand
    Ladder(ladder::LadderArgs),
    /// Follow a running match in the terminal
    Watch(watch::WatchArgs),
    /// List the matches of a server
    List(list::ListArgs),
    /// Show the result of a match, or that it has not ended
    Result(result::ResultArgs),
    /// Give seats to which no bot has come new join tickets
    Tickets(tickets::TicketsArgs),
    /// Cancel a match
    Cancel(cancel::CancelArgs),
    /// Close a group of matches, so that its seeds are revealed although some matches are missing
    CloseGroup(group::CloseGroupArgs),
    /// Show the servers that share a database
    Nodes(nodes::NodesArgs),
    /// Make, list and revoke the API keys of a server
    Key(key::KeyArgs),
    /// Check, back up or restore the data folder of a server, or remove a match from it
    Data(data::DataArgs),
    /// Read, check or convert the replay of a match
    Replay(replay::ReplayArgs),
    /// Start a command with limits
    #[command(hide = true)]
    Limited(limited::LimitedArgs),
}

/// Exit code 0 is success, 1 a failure, 2 a mistake in the command line.
fn main() -> ExitCode {
    let done = match CommandLine::parse().command {
        Command::Demo(args) => args.run(),
        Command::Serve(args) => args.run(),
        Command::Health(args) => args.run(),
        Command::Rules(args) => args.run(),
        Command::Create(args) => args.run(),
        Command::Bot(command) => command.run(),
        Command::Attend(args) => args.run(),
        Command::NewBot(args) => args.run(),
        Command::CheckBot(args) => return check_bot::run(args),
        Command::Contest(args) => return contest::run(args),
        Command::Ladder(args) => args.run(),
        Command::Watch(args) => args.run(),
        Command::List(args) => args.run(),
        Command::Result(args) => return result::run(args),
        Command::Tickets(args) => args.run(),
        Command::Cancel(args) => args.run(),
        Command::CloseGroup(args) => args.run(),
        Command::Nodes(args) => args.run(),
        Command::Key(args) => args.run(),
        Command::Data(args) => args.run(),
        Command::Replay(args) => return args.run(),
        Command::Limited(args) => args.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        CommandLine::command().debug_assert();
    }
}
