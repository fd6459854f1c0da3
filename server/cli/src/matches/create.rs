//! `bridgemaster match create`: creates a match on a running server.

use bridgemaster_proto::{
    escape::Escaped,
    v1::{CreateMatchRequest, CreateMatchResponse, SeatClock, SeatTicket, SpectatorRules},
};
use bridgemaster_sdk::{SERVER_VARIABLE, TICKET_VARIABLE};
use clap::Args;

use super::{
    group::GroupFlags,
    label::{self, Label},
    reservation::Reservation,
};
use crate::{
    failure::misuse,
    match_client::ServerFlag,
    match_flags::{ClockOf, MatchFlags},
    output, proto_json,
    runtime::block_on,
    seat_link::PageUrl,
};

/// Address of the page that `serve` opens by default.
const DEFAULT_PAGE: &str = "http://127.0.0.1:8080";

#[derive(Args)]
pub(super) struct CreateArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Label for finding the match with `match list`, such as run=42 (repeatable)
    #[arg(long = "label", value_name = "NAME=VALUE")]
    labels: Vec<Label>,
    /// Reserve a seat for the bot whose API key has this name (repeatable)
    ///
    /// Seats are numbered from 0.
    #[arg(long = "reserve", value_name = "SEAT=NAME")]
    reservations: Vec<Reservation>,
    /// Give a seat its own time bank, increment or cap (repeatable)
    ///
    /// Seats are numbered from 0. For omitted times, the match's clock applies.
    #[arg(long, value_name = "SEAT=bank_ms:MS,increment_ms:MS,cap_ms:MS")]
    clock_of: Vec<ClockOf>,
    /// Delay of the spectators' view of the match, in ms (0 to 3600000)
    ///
    /// The creator of the match, its bots and keys with the admin scope see the match without
    /// delay.
    #[arg(long, value_name = "MS")]
    spectator_delay_ms: Option<u32>,
    /// Idempotency key: repeated commands with this key create only one match
    ///
    /// A repeated command prints new tickets for the vacant seats of the existing match.
    #[arg(
        long,
        value_name = "KEY",
        default_value = "",
        hide_default_value = true
    )]
    idempotency_key: String,
    #[command(flatten)]
    group: GroupFlags,
    /// Print links for playing the seats in the browser, on the page at this address
    ///
    /// By default, players then have 10 minutes for each decision, one hour in all, and 10 minutes
    /// to join or to reconnect.
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = DEFAULT_PAGE, conflicts_with = "json")]
    page: Option<PageUrl>,
    /// Print the server's response as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    match_flags: MatchFlags,
}

impl CreateArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let seats = self.match_flags.seats_or_max()?;
        let mut config = match self.page {
            Some(_) => self.match_flags.config_for_people(seats)?,
            None => self.match_flags.config(seats)?,
        };
        config.group = self.group.message();
        config.seat_clocks = seat_clocks(&self.clock_of)?;
        config.spectators = self.spectator_delay_ms.map(|delay_ms| SpectatorRules {
            delay_ms,
            ..SpectatorRules::default()
        });
        block_on(async {
            let request = CreateMatchRequest {
                config: Some(config),
                labels: label::to_map(&self.labels),
                seat_reservations: self.reservations.iter().map(Reservation::message).collect(),
                idempotency_key: self.idempotency_key.clone(),
                ..CreateMatchRequest::default()
            };
            let created = self.server.create(request).await?;
            let text = if self.json {
                proto_json::to_json("CreateMatchResponse", &created)?
            } else {
                instructions(&self.server.url, self.page.as_ref(), &created)
            };
            Ok(output::print(&text)?)
        })
    }
}

/// Parses the `--clock-of` values. The server checks that the match has these seats.
fn seat_clocks(given: &[ClockOf]) -> anyhow::Result<Vec<SeatClock>> {
    let clocks = given.iter().map(|ClockOf { who, odds }| {
        let seat = who.parse().map_err(|_| {
            misuse(format!(
                "--clock-of {who}=...: {who:?} is not a seat number; seats are numbered from 0"
            ))
        })?;
        Ok(SeatClock {
            seat,
            odds: Some(*odds),
        })
    });
    clocks.collect()
}

/// Describes the created match, with commands to play it and to watch it.
fn instructions(server_url: &str, page: Option<&PageUrl>, created: &CreateMatchResponse) -> String {
    let program = output::program();
    // Quote arguments for a shell, since users copy these commands.
    let quoted = |text: &str| shell_words::quote(&Escaped(text).to_string()).into_owned();
    let server_url = quoted(server_url);
    let info = created.r#match.clone().unwrap_or_default();
    let clock = info
        .config
        .and_then(|config| config.clock)
        .unwrap_or_default();
    let mut text = format!(
        "match {} waits for {} bots\n",
        Escaped(&info.match_id),
        created.tickets.len()
    );
    if let Some(startup_ms) = clock.startup_ms {
        text += &format!(
            "bots have {} s to connect; then the match starts without missing bots (--startup-ms \
             600000 waits for ten minutes)\n",
            f64::from(startup_ms) / 1e3
        );
    }
    text += &for_each_seat("Join tickets, one for each seat:", created, |seat| {
        format!("seat {}  {}", seat.seat, Escaped(&seat.ticket))
    });
    if let Some(page) = page {
        text += &for_each_seat("Links to play a seat in the browser:", created, |seat| {
            format!("seat {}  {}", seat.seat, page.link(&seat.ticket))
        });
    }
    text += &for_each_seat(
        "Commands to start a built-in bot in a seat (your own bot reads the same two variables):",
        created,
        |seat| {
            let ticket = quoted(&seat.ticket);
            format!(
                "{SERVER_VARIABLE}={server_url} {TICKET_VARIABLE}={ticket} {program} bot greedy"
            )
        },
    );
    text += &format!(
        "\nWatch it:\n  {program} match watch {} --server {server_url}\n",
        quoted(&info.match_id)
    );
    text
}

/// Formats a title, followed by a line for each seat that has a ticket.
fn for_each_seat(
    title: &str,
    created: &CreateMatchResponse,
    line: impl Fn(&SeatTicket) -> String,
) -> String {
    let seats = created.tickets.iter();
    let lines: String = seats.map(|seat| format!("  {}\n", line(seat))).collect();
    format!("\n{title}\n{lines}")
}
