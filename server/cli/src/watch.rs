//! `bridgemaster watch`: follows a match in the terminal.

use std::{collections::VecDeque, fmt::Write as _};

use bridgemaster_proto::{
    outside::Outside,
    v1::{MatchInfo, MatchState, SeatState, WatchMatchResponse},
};
use clap::Args;

use super::{
    count::count,
    follow::follow,
    match_client::ServerFlag,
    output::{self, Screen},
    runtime::block_on,
    table,
    view::{View, event_line},
};

/// Events that are kept for the view.
const EVENTS_KEPT: usize = 12;
/// Moves to the top left corner.
const HOME: &str = "\x1b[H";
/// Clears the rest of the line.
const CLEAR_LINE: &str = "\x1b[K";
/// Clears everything below.
const CLEAR_BELOW: &str = "\x1b[J";
/// Height and width of a terminal that does not say.
const ASSUMED_SIZE: (u16, u16) = (24, 80);

#[derive(Args)]
pub(super) struct WatchArgs {
    /// Identifier of the match, as `bridgemaster create` prints it
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
    /// Print events line by line; the default when standard output is not a terminal
    #[arg(long)]
    plain: bool,
}

impl WatchArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let terminal = output::terminal_size().filter(|_| !self.plain);
        block_on(async {
            let mut client = self.server.connect().await?;
            let mut events = VecDeque::new();
            let mut last_line = String::new();
            let ended = follow(&mut client, &self.match_id, |news| match terminal {
                None => print_lines(news, &mut last_line),
                Some(_) => redraw(news, &mut events),
            })
            .await?;
            match &ended.result {
                Some(result) => Ok(output::print(&format!("\n{}", table::result(result)))?),
                None => Ok(()),
            }
        })
    }
}

/// Prints what is new: where the match and its bots stand if that changed, and the events.
fn print_lines(news: &WatchMatchResponse, last_line: &mut String) -> anyhow::Result<()> {
    let mut text = String::new();
    if let Some(info) = &news.r#match {
        let line = standing(info);
        if line != *last_line {
            writeln!(text, "{line}")?;
            *last_line = line;
        }
    }
    for event in &news.events {
        writeln!(text, "  {}", event_line(event)?)?;
    }
    Ok(output::print(&text)?)
}

/// Draws the table anew, with as many of the last events as the terminal has lines for.
fn redraw(news: &WatchMatchResponse, events: &mut VecDeque<String>) -> anyhow::Result<()> {
    for event in &news.events {
        if events.len() == EVENTS_KEPT {
            events.pop_front();
        }
        events.push_back(event_line(event)?);
    }
    let mut lines = Vec::new();
    if let Some(info) = &news.r#match {
        lines.push(format!(
            "match {}, {}: {}",
            Outside(&info.match_id),
            count(info.decisions, "decision", "decisions"),
            standing(info)
        ));
        lines.push(String::new());
    }
    if let Some(view) = View::of(news)? {
        lines.extend(view.render()?.lines().map(str::to_owned));
        lines.push(String::new());
    }
    // It may have changed its size.
    let (height, width) = output::terminal_size().unwrap_or(ASSUMED_SIZE);
    // The last line of the terminal stays free for the cursor.
    let room = usize::from(height).saturating_sub(1);
    let skipped = events
        .len()
        .saturating_sub(room.saturating_sub(lines.len()));
    lines.extend(events.iter().skip(skipped).cloned());
    let mut screen = Screen::default();
    screen.control(HOME);
    for line in lines.iter().take(room) {
        // A line that wraps would push the others down.
        let cut: String = line.chars().take(width.into()).collect();
        screen.text(&cut);
        screen.control(CLEAR_LINE);
        screen.text("\n");
    }
    screen.control(CLEAR_BELOW);
    Ok(output::print_screen(&screen)?)
}

/// Where a match and its bots stand, in one line.
fn standing(info: &MatchInfo) -> String {
    let state = match info.state() {
        MatchState::Waiting => "waiting for bots",
        MatchState::Running => "running",
        MatchState::Ended => "ended",
        MatchState::Cancelled => "cancelled",
        MatchState::Unspecified => "unknown",
    };
    let seats = info.seats.iter().map(|seat| {
        let name = Outside(match seat.bot_name.as_str() {
            "" => "nobody",
            name => name,
        });
        let state = match seat.state() {
            SeatState::Connected | SeatState::Vacant | SeatState::Unspecified => "",
            SeatState::Paused => " (stream lost)",
            SeatState::Forfeited => " (forfeited)",
        };
        format!("seat {} {name}{state}", seat.seat)
    });
    format!("{state}; {}", seats.collect::<Vec<_>>().join(", "))
}
