//! `bridgemaster match tickets`: issues new join tickets for vacant seats.

use std::fmt::Write as _;

use bridgemaster_proto::{
    escape::Escaped,
    v1::{ReplaceTicketsResponse, SeatTicket},
};
use clap::Args;

use crate::{match_client::ServerFlag, output, proto_json, runtime::block_on};

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
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            let mut client = self.server.connect().await?;
            let tickets = client.replace_tickets(&self.match_id, self.seats).await?;
            let text = if self.json {
                let response = ReplaceTicketsResponse { tickets };
                proto_json::to_json("ReplaceTicketsResponse", &response)?
            } else {
                text(&tickets)
            };
            Ok(output::print(&text)?)
        })
    }
}

fn text(tickets: &[SeatTicket]) -> String {
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
