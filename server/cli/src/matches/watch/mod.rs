//! `bridgemaster match watch`: follows a match in the terminal.

mod board;

use std::{fmt::Write as _, time::Duration};

use bridgemaster_proto::{
    escape::Escaped,
    v1::{MatchInfo, WatchMatchResponse},
};
use clap::Args;
use console::Style;
use tokio::select;

use crate::{
    follow::{DEFAULT_RETRY_SECONDS, FollowEvent, follow},
    match_client::{MatchClient, ServerFlag},
    matches::{result, watch::board::Board},
    output::{self, Screen},
    process::stop_requested,
    quantities::count,
    table,
    view::{View, event_line},
};

/// Moves the cursor to the top left corner.
const HOME: &str = "\x1b[H";
/// Clears the line to the right of the cursor.
const CLEAR_LINE: &str = "\x1b[K";
/// Clears the screen below the cursor.
const CLEAR_BELOW: &str = "\x1b[J";
/// The height and width assumed for a terminal that does not report its size.
const DEFAULT_SIZE: (u16, u16) = (24, 80);

#[derive(Args)]
pub(super) struct WatchArgs {
    /// Identifier of the match, as `match create` and `match list` print it
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
    /// Print events line by line [default if standard output is not a terminal]
    #[arg(long)]
    plain: bool,
    /// Time to retry an unresponsive server, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_RETRY_SECONDS)]
    reconnect_for: u32,
}

impl WatchArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let is_plain = self.plain || output::terminal_size().is_none();
        let mut client = self.server.connect().await?;
        let ended = if is_plain {
            match self.print(&mut client).await {
                Err(error) if output::is_closed_pipe(&error) => None,
                ended => Some(ended?),
            }
        } else {
            self.draw(&mut client).await?
        };
        let Some(ended) = ended else { return Ok(()) };
        let text = match &ended.result {
            Some(result) => table::result(result),
            None => format!("{}\n", result::cancellation(&ended)),
        };
        Ok(output::print(&format!("\n{text}"))?)
    }

    fn retry_timeout(&self) -> Duration {
        Duration::from_secs(self.reconnect_for.into())
    }

    /// Prints status changes and events line by line until the match has ended.
    async fn print(&self, client: &mut MatchClient) -> anyhow::Result<MatchInfo> {
        let mut last_line = String::new();
        follow(client, &self.match_id, self.retry_timeout(), |event| match event {
            FollowEvent::Update(update) => print_lines(update, &mut last_line),
            FollowEvent::Lost(reason) => {
                output::eprint(&self.lost(reason));
                Ok(())
            }
            FollowEvent::Reconnected => {
                output::eprint("reconnected to the server");
                Ok(())
            }
        })
        .await
    }

    /// Draws the table and the events on the terminal. Returns `None` if the user quits with Ctrl-C
    /// before the match ends.
    async fn draw(&self, client: &mut MatchClient) -> anyhow::Result<Option<MatchInfo>> {
        let stop = stop_requested();
        let mut board = Board::default();
        let following = follow(client, &self.match_id, self.retry_timeout(), |event| {
            match event {
                FollowEvent::Update(update) => show(update, &mut board)?,
                FollowEvent::Lost(reason) => board.set_notice(Some(self.lost(reason))),
                FollowEvent::Reconnected => board.set_notice(None),
            }
            draw(&board)
        });
        select! {
            ended = following => Ok(Some(ended?)),
            () = stop => Ok(None),
        }
    }

    fn lost(&self, reason: &str) -> String {
        format!(
            "the server does not answer; retrying for {} s: {}",
            self.reconnect_for,
            Escaped(reason)
        )
    }
}

/// Prints the status line if it has changed, and the new events.
fn print_lines(update: &WatchMatchResponse, last_line: &mut String) -> anyhow::Result<()> {
    let mut text = String::new();
    if let Some(info) = &update.r#match {
        let line = result::status_line(info);
        if line != *last_line {
            writeln!(text, "{line}")?;
            *last_line = line;
        }
    }
    for event in &update.events {
        writeln!(text, "  {}", event_line(event)?)?;
    }
    Ok(output::print_update(&text)?)
}

fn show(update: &WatchMatchResponse, board: &mut Board) -> anyhow::Result<()> {
    for event in &update.events {
        board.add_event(&event_line(event)?);
    }
    if let Some(info) = &update.r#match {
        board.set_status(&format!(
            "match {}, {}: {}",
            Escaped(&info.match_id),
            count(info.decisions, "decision", "decisions"),
            result::status_line(info)
        ));
    }
    if let Some(view) = View::from_update(update)? {
        board.set_table(&view.render()?);
    }
    Ok(())
}

fn draw(board: &Board) -> anyhow::Result<()> {
    // The user might have resized the terminal.
    let (height, width) = output::terminal_size().unwrap_or(DEFAULT_SIZE);
    // The last line of the terminal is left free for the cursor.
    let page = board.page(usize::from(height).saturating_sub(1), width.into());
    let mut screen = Screen::default();
    screen.control(HOME);
    for line in page.lines {
        screen.text(&line);
        screen.control(CLEAR_LINE);
        screen.text("\n");
    }
    screen.control(CLEAR_BELOW);
    if let Some(footer) = page.footer {
        screen.styled(&footer, &Style::new().reverse());
    }
    Ok(output::print_screen(&screen)?)
}
