//! `bridgemaster match create`: creates a match on a running server.

use bridgemaster_proto::{
    escape::Escaped,
    v1::{
        CreateMatchRequest, CreateMatchResponse, MatchGroup, SeatClock, SeatReservation,
        SeatTicket, SeedReveal, SpectatorRules,
    },
};
use bridgemaster_replay::wire::time_control_to_wire;
use bridgemaster_sdk::{SERVER_VARIABLE, TICKET_VARIABLE};
use clap::Args;

use crate::{
    address::PageUrl,
    failure::misuse,
    formats,
    match_client::{ServerFlag, message},
    match_flags::{ClockOf, MatchFlags},
    output,
};

/// Address of the page that `serve` opens by default.
const DEFAULT_PAGE: &str = "http://127.0.0.1:8080";

#[derive(Args)]
pub(super) struct CreateArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Label for finding the match with `match list`, such as run=42 (repeatable)
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,
    /// Reserve a seat for the bot whose API key has this name (repeatable)
    ///
    /// Seats are numbered from 0.
    #[arg(long = "reserve", value_name = "SEAT=NAME", value_parser = reservation)]
    reservations: Vec<SeatReservation>,
    /// Give a seat its own time control (repeatable)
    ///
    /// Seats are numbered from 0. TIME is written as for --time-control.
    #[arg(long, value_name = "SEAT=TIME")]
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
    #[arg(long, value_name = "KEY", default_value = "", hide_default_value = true)]
    idempotency_key: String,
    /// Place of the match in a match group, such as deal-7=0/4
    ///
    /// ID identifies the group, NUMBER is this match's number in the group, from 0, and MATCHES is
    /// the group's number of matches.
    #[arg(long, value_name = "ID=NUMBER/MATCHES", value_parser = group_place)]
    group: Option<MatchGroup>,
    /// Withhold the seed and the replay until all matches of the group have ended
    #[arg(long, requires = "group")]
    reveal_with_group: bool,
    /// Print links for playing the seats in the browser, on the page at this address
    ///
    /// By default, players then have 10 minutes for each decision, one hour in total, and 10
    /// minutes to join or to reconnect.
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = DEFAULT_PAGE, conflicts_with = "json")]
    page: Option<PageUrl>,
    /// Print the server's response as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    match_flags: MatchFlags,
}

impl CreateArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let seats = self.match_flags.seats_or_max()?;
        if self.reservations.len() < usize::from(seats.get()) {
            output::check_open("join tickets")?;
        }
        let mut config = match self.page {
            Some(_) => self.match_flags.config_for_people(seats)?,
            None => self.match_flags.config(seats)?,
        };
        config.group = self.group;
        if let Some(group) = config.group.as_mut().filter(|_| self.reveal_with_group) {
            group.set_seed_reveal(SeedReveal::WithGroup);
        }
        config.seat_clocks = seat_clocks(&self.clock_of)?;
        config.spectators = self
            .spectator_delay_ms
            .map(|delay_ms| SpectatorRules { delay_ms, ..SpectatorRules::default() });
        let request = CreateMatchRequest {
            config: Some(config),
            labels: self.labels.into_iter().collect(),
            seat_reservations: self.reservations,
            idempotency_key: self.idempotency_key,
            ..CreateMatchRequest::default()
        };
        let mut client = self.server.connect().await?;
        let created = message(client.create_match(request).await)?;
        formats::print("CreateMatchResponse", &created, self.json, |created| {
            instructions(&self.server.url, self.page.as_ref(), created)
        })
    }
}

/// Parses the `--clock-of` values. The server checks that the match has these seats.
fn seat_clocks(given: &[ClockOf]) -> anyhow::Result<Vec<SeatClock>> {
    let clocks = given.iter().map(|ClockOf { who, time_control }| {
        let seat = who.parse().map_err(|_| {
            misuse(format!(
                "--clock-of {who}=...: {who:?} is not a seat number; seats are numbered from 0"
            ))
        })?;
        Ok(SeatClock { seat, time_control: Some(time_control_to_wire(*time_control)) })
    });
    clocks.collect()
}

/// Describes the created match, with commands to play it and to watch it.
fn instructions(server_url: &str, page: Option<&PageUrl>, created: &CreateMatchResponse) -> String {
    let program = output::program();
    // Arguments are quoted for a shell, since users copy these commands.
    let quoted = |text: &str| shell_words::quote(&Escaped(text).to_string()).into_owned();
    let server_url = quoted(server_url);
    let info = created.r#match.clone().unwrap_or_default();
    let clock = info.config.and_then(|config| config.clock).unwrap_or_default();
    let mut text =
        format!("match {} waits for {} bots\n", Escaped(&info.match_id), created.tickets.len());
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

/// Parses a seat that is reserved for an API key's bot, `SEAT=NAME`. The server validates the seat
/// and the key.
fn reservation(text: &str) -> Result<SeatReservation, &'static str> {
    let parts = text.split_once('=').filter(|(_, name)| !name.is_empty());
    let parts = parts.and_then(|(seat, name)| Some((seat.parse().ok()?, name)));
    let (seat, name) =
        parts.ok_or("expected SEAT=NAME: a seat, from 0, and the name of an API key")?;
    Ok(SeatReservation { seat, key_name: name.to_owned(), queue_id: String::new() })
}

/// Parses a label, `NAME=VALUE`. The server validates names and values.
pub(super) fn label(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE, such as run=42"),
    }
}

/// Parses a match's place in a match group, `ID=NUMBER/MATCHES`. The server validates the
/// identifier.
fn group_place(text: &str) -> Result<MatchGroup, &'static str> {
    let parse = || {
        let (group_id, place) = text.split_once('=')?;
        let (number, matches) = place.split_once('/')?;
        Some(MatchGroup {
            group_id: group_id.to_owned(),
            number: number.parse().ok()?,
            matches: matches.parse().ok()?,
            seed_reveal: SeedReveal::WithMatch.into(),
        })
    };
    parse().ok_or("expected ID=NUMBER/MATCHES, such as deal-7=0/4")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_is_parsed_as_a_seat_and_a_key_name() {
        let parsed = reservation("1=ada=x").unwrap();
        assert_eq!((parsed.seat, parsed.key_name.as_str()), (1, "ada=x"));
        for bad in ["", "1", "1=", "ada=1", "-1=ada"] {
            assert!(reservation(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_label_has_a_name_and_an_optional_value() {
        for (text, name, value) in
            [("run=42", "run", "42"), ("run=", "run", ""), ("link=a=b", "link", "a=b")]
        {
            assert_eq!(label(text), Ok((name.to_owned(), value.to_owned())));
        }
        for bad in ["", "run", "=42"] {
            assert!(label(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_place_in_a_group_has_an_identifier_a_number_and_a_count() {
        let place = group_place("deal-7=0/4").unwrap();
        assert_eq!((place.group_id.as_str(), place.number, place.matches), ("deal-7", 0, 4));
        for bad in ["", "deal-7", "deal-7=0", "deal-7=a/4", "deal-7=0/-4"] {
            assert!(group_place(bad).is_err(), "{bad:?}");
        }
    }
}
