//! `bridgemaster match`: creates, lists, follows and cancels matches on a running server.

mod create;
mod list;
mod result;
mod watch;

use std::{fmt::Write as _, process::ExitCode};

use bridgemaster_proto::{
    escape::Escaped,
    v1::{
        CancelMatchRequest, CloseGroupRequest, MatchInfo, MatchState, ReplaceTicketsRequest,
        SeatTicket,
    },
};
use clap::{Args, Subcommand};

use crate::{
    formats,
    match_client::{ServerFlag, match_of, message},
    matches::{create::CreateArgs, list::ListArgs, result::ResultArgs, watch::WatchArgs},
    output,
};

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
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            MatchCommand::Result(args) => return result::run(args).await,
            MatchCommand::Create(args) => args.run().await?,
            MatchCommand::List(args) => args.run().await?,
            MatchCommand::Tickets(args) => args.run().await?,
            MatchCommand::Cancel(args) => args.run().await?,
            MatchCommand::Watch(args) => args.run().await?,
            MatchCommand::CloseGroup(args) => args.run().await?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Args)]
pub(super) struct CloseGroupArgs {
    /// Identifier of any match in the match group
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
}

impl CloseGroupArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let mut client = self.server.connect().await?;
        let request = CloseGroupRequest { match_id: self.match_id, ..CloseGroupRequest::default() };
        message(client.close_group(request).await)?;
        Ok(output::print("the group is closed\n")?)
    }
}

#[derive(Args)]
#[command(
    after_help = "A cancelled match has no result and no replay, but `match list` still lists it. A \
    match that has ended cannot be cancelled."
)]
pub(super) struct CancelArgs {
    /// Identifier of the match, as `match create` and `match list` print it
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
    /// Reason to send to the bots and to store with the match
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
    /// Print the match as JSON
    #[arg(long)]
    json: bool,
}

impl CancelArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let mut client = self.server.connect().await?;
        let request = CancelMatchRequest { match_id: self.match_id, reason: self.reason };
        let info = match_of(message(client.cancel_match(request).await)?.r#match)?;
        formats::print("MatchInfo", &info, self.json, cancelled_text)
    }
}

fn cancelled_text(info: &MatchInfo) -> String {
    let id = Escaped(&info.match_id);
    match info.state() {
        MatchState::Cancelled => format!("match {id} is cancelled\n"),
        // For a caller with a delayed view, the state in the response is delayed as well.
        _ => format!(
            "match {id} is cancelled, unless it had already ended (this key sees the match with a \
             delay)\n"
        ),
    }
}

#[derive(Args)]
pub(super) struct TicketsArgs {
    /// Identifier of the match, as `match create` and `match list` print it
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
    /// Seat to issue a ticket for, from 0 (repeatable) [default: all vacant seats]
    #[arg(long = "seat", value_name = "SEAT")]
    seats: Vec<u32>,
    /// Print the server's response as JSON
    #[arg(long)]
    json: bool,
}

impl TicketsArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        output::check_open("join tickets")?;
        let mut client = self.server.connect().await?;
        let request = ReplaceTicketsRequest { match_id: self.match_id, seats: self.seats };
        let response = message(client.replace_tickets(request).await)?;
        formats::print("ReplaceTicketsResponse", &response, self.json, |response| {
            tickets_text(&response.tickets)
        })
    }
}

fn tickets_text(tickets: &[SeatTicket]) -> String {
    if tickets.is_empty() {
        return "no seat is vacant\n".to_owned();
    }
    let mut text =
        "New join tickets; earlier tickets of these seats are no longer valid:\n".to_owned();
    for ticket in tickets {
        // Writing to a String does not fail.
        let _ = writeln!(text, "  seat {}  {}", ticket.seat, Escaped(&ticket.ticket));
    }
    text
}
