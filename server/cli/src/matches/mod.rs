//! `bridgemaster match`: creates, lists, follows and cancels matches on a running server.

mod cancel;
mod close_group;
mod create;
mod group;
mod label;
mod list;
mod reservation;
mod result;
mod status;
mod tickets;
mod watch;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use self::{
    cancel::CancelArgs, close_group::CloseGroupArgs, create::CreateArgs, list::ListArgs,
    result::ResultArgs, tickets::TicketsArgs, watch::WatchArgs,
};
use crate::failure;

#[derive(Args)]
pub(super) struct MatchArgs {
    #[command(subcommand)]
    command: MatchCommand,
}

#[derive(Subcommand)]
enum MatchCommand {
    /// Create a match and print a join ticket for each seat
    Create(CreateArgs),
    /// List the matches of a server
    List(ListArgs),
    /// Show the result of a match
    Result(ResultArgs),
    /// Issue new tickets for vacant seats
    Tickets(TicketsArgs),
    /// Cancel a match
    Cancel(CancelArgs),
    /// Follow a running match in the terminal
    Watch(WatchArgs),
    /// Close an incomplete group and reveal its seeds
    CloseGroup(CloseGroupArgs),
}

impl MatchArgs {
    /// Runs the command. `match result` has additional exit codes.
    pub(super) fn run(self) -> ExitCode {
        let done = match self.command {
            MatchCommand::Result(args) => return result::run(args),
            MatchCommand::Create(args) => args.run(),
            MatchCommand::List(args) => args.run(),
            MatchCommand::Tickets(args) => args.run(),
            MatchCommand::Cancel(args) => args.run(),
            MatchCommand::Watch(args) => args.run(),
            MatchCommand::CloseGroup(args) => args.run(),
        };
        failure::exit_code(done)
    }
}
