//! `bridgemaster match watch`: follows a match in the terminal.

use std::{fmt::Write as _, time::Duration};

use bridgemaster_proto::{
    escape::Escaped,
    v1::{MatchInfo, WatchMatchResponse},
};
use clap::Args;
use tokio::select;

use crate::{
    board::Board,
    follow::{DEFAULT_RETRY_SECONDS, FollowEvent, follow},
    match_client::{MatchClient, ServerFlag},
    matches::result,
    output,
    process::stop_requested,
    quantities::count,
    table,
    view::{View, event_line},
};

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
            board.draw()
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
