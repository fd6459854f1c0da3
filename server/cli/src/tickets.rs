//! `bridgemaster tickets`: new join tickets for seats to which no bot has come.

use std::fmt::Write as _;

use bridgemaster_proto::{
    outside::Outside,
    v1::{ReplaceTicketsResponse, SeatTicket},
};
use clap::Args;

use super::{match_client::ServerFlag, output, proto_json, runtime::block_on};

#[derive(Args)]
pub(super) struct TicketsArgs {
    /// Identifier of the match, as `bridgemaster create` or `bridgemaster list` prints it
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
    /// Only this seat, from 0; may be given several times
    #[arg(long = "seat", value_name = "SEAT")]
    seats: Vec<u32>,
    /// Print the server's answer as JSON
    #[arg(long)]
    json: bool,
}

impl TicketsArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        block_on(async {
            let mut client = self.server.connect().await?;
            let tickets = client.replace_tickets(&self.match_id, self.seats).await?;
            let text = match self.json {
                true => {
                    let answer = ReplaceTicketsResponse { tickets };
                    proto_json::to_json("ReplaceTicketsResponse", &answer)?
                }
                false => text(&tickets),
            };
            Ok(output::print(&text)?)
        })
    }
}

fn text(tickets: &[SeatTicket]) -> String {
    if tickets.is_empty() {
        return "a bot has come to every seat\n".to_owned();
    }
    let mut text = "New join tickets; the earlier ones of these seats have ended:\n".to_owned();
    for ticket in tickets {
        // Writing to a String does not fail.
        let _ = writeln!(text, "  seat {}  {}", ticket.seat, Outside(&ticket.ticket));
    }
    text
}
