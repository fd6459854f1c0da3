//! `bridgemaster create`: a match on a running server.

use bridgemaster_proto::{
    outside::Outside,
    v1::{CreateMatchRequest, CreateMatchResponse, SeatClock, SeatTicket, SpectatorRules},
};
use bridgemaster_sdk::{SERVER_VARIABLE, TICKET_VARIABLE};
use clap::Args;

use super::{
    failure::misuse,
    group::GroupFlags,
    label::{self, Label},
    match_client::ServerFlag,
    match_flags::{ClockOf, MatchFlags},
    output, proto_json,
    reservation::Reservation,
    runtime::block_on,
    seat_link::PageUrl,
};

/// Where the page is that `serve` opens by itself.
const DEFAULT_PAGE: &str = "http://127.0.0.1:8080";

#[derive(Args)]
pub(super) struct CreateArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Something to find the match by with `bridgemaster list`, such as run=42; may be given several
    /// times
    #[arg(long = "label", value_name = "NAME=VALUE")]
    labels: Vec<Label>,
    /// Keep a seat, from 0, for the bot of the API key of this name; may be given several times
    #[arg(long = "reserve", value_name = "SEAT=NAME")]
    reservations: Vec<Reservation>,
    /// Give a seat, from 0, another clock than the match; may be given several times
    #[arg(long, value_name = "SEAT=bank_ms:MS,increment_ms:MS,cap_ms:MS")]
    clock_of: Vec<ClockOf>,
    /// Let spectators see the match so much later, in ms: 0 to 3600000; its maker, its bots and keys
    /// with the scope admin see it at once
    #[arg(long, value_name = "MS")]
    spectator_delay_ms: Option<u32>,
    /// Make one match however often this is run with the same key; a later run prints new tickets
    /// for the seats to which no bot has come
    #[arg(
        long,
        value_name = "KEY",
        default_value = "",
        hide_default_value = true
    )]
    idempotency_key: String,
    #[command(flatten)]
    group: GroupFlags,
    /// Print a link for each seat by which somebody plays it in the browser, on the page at this
    /// address; where no flag says otherwise a decision may then take 10 minutes, all together an
    /// hour, and coming back 10 minutes
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = DEFAULT_PAGE, conflicts_with = "json")]
    page: Option<PageUrl>,
    /// Print the server's answer as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    match_flags: MatchFlags,
}

impl CreateArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let seats = self.match_flags.seats_or_most()?;
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
            let text = match self.json {
                true => proto_json::to_json("CreateMatchResponse", &created)?,
                false => instructions(&self.server.url, self.page.as_ref(), &created),
            };
            Ok(output::print(&text)?)
        })
    }
}

/// The clocks of `--clock-of`. Whether the match has such seats, the server says.
fn seat_clocks(given: &[ClockOf]) -> anyhow::Result<Vec<SeatClock>> {
    let clocks = given.iter().map(|ClockOf { who, odds }| {
        let seat = who.parse().map_err(|_| {
            misuse(format!(
                "--clock-of {who}=: name a seat by its number, from 0"
            ))
        })?;
        Ok(SeatClock {
            seat,
            odds: Some(*odds),
        })
    });
    clocks.collect()
}

/// What was made, and the commands that go on from here.
fn instructions(server_url: &str, page: Option<&PageUrl>, created: &CreateMatchResponse) -> String {
    let program = output::program();
    // Quoted, since they are to be pasted into a shell.
    let quoted = |text: &str| shell_words::quote(&Outside(text).to_string()).into_owned();
    let server_url = quoted(server_url);
    let info = created.r#match.clone().unwrap_or_default();
    let clock = info
        .config
        .and_then(|config| config.clock)
        .unwrap_or_default();
    let mut text = format!(
        "match {} waits for {} bots\n",
        Outside(&info.match_id),
        created.tickets.len()
    );
    if let Some(startup_ms) = clock.startup_ms {
        text += &format!(
            "it starts without those that are not there within {} s; --startup-ms gives them longer, \
             such as 600000 for ten minutes\n",
            f64::from(startup_ms) / 1e3
        );
    }
    text += &for_each_seat(
        "Join tickets, each the right to one seat:",
        created,
        |seat| format!("seat {}  {}", seat.seat, Outside(&seat.ticket)),
    );
    if let Some(page) = page {
        text += &for_each_seat(
            "To play a seat in the browser, open its link:",
            created,
            |seat| format!("seat {}  {}", seat.seat, page.link(&seat.ticket)),
        );
    }
    text += &for_each_seat(
        "To seat a built-in bot (your own bot reads the same two variables):",
        created,
        |seat| {
            let ticket = quoted(&seat.ticket);
            format!(
                "{SERVER_VARIABLE}={server_url} {TICKET_VARIABLE}={ticket} {program} bot greedy"
            )
        },
    );
    text += &format!(
        "\nFollow it:\n  {program} watch {} --server {server_url}\n",
        quoted(&info.match_id)
    );
    text
}

/// A title, and a line for each seat that waits for a bot.
fn for_each_seat(
    title: &str,
    created: &CreateMatchResponse,
    line: impl Fn(&SeatTicket) -> String,
) -> String {
    let seats = created.tickets.iter();
    let lines: String = seats.map(|seat| format!("  {}\n", line(seat))).collect();
    format!("\n{title}\n{lines}")
}
