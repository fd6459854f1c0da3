//! `bridgemaster watch`: follows a match in the terminal.

mod board;
mod keys;

use std::{cell::RefCell, fmt::Write as _, time::Duration};

use bridgemaster_proto::{
    outside::Outside,
    v1::{MatchInfo, WatchMatchResponse},
};
use clap::Args;
use console::Style;
use tokio::select;

use self::{
    board::Board,
    keys::{Key, Keys},
};
use super::{
    count::count,
    follow::{DEFAULT_PATIENCE_SECONDS, Told, follow},
    match_client::{MatchClient, ServerFlag},
    output::{self, Screen},
    runtime::block_on,
    standing,
    stop_signal::asked_to_stop,
    table,
    view::{View, event_line},
};

/// Moves to the top left corner.
const HOME: &str = "\x1b[H";
/// Clears the rest of the line.
const CLEAR_LINE: &str = "\x1b[K";
/// Clears everything below.
const CLEAR_BELOW: &str = "\x1b[J";
/// Ends a line, also where the terminal takes a line break as it is.
const NEXT_LINE: &str = "\r\n";
/// Height and width of a terminal that does not say.
const ASSUMED_SIZE: (u16, u16) = (24, 80);

#[derive(Args)]
#[command(
    after_help = "On a terminal the arrow keys scroll the table, Page Up and Page Down the news, \
    Home goes back to where both begin, and q ends."
)]
pub(super) struct WatchArgs {
    /// Identifier of the match, as `bridgemaster create` or `bridgemaster list` prints it
    match_id: String,
    #[command(flatten)]
    server: ServerFlag,
    /// Print events line by line; the default when standard output is not a terminal
    #[arg(long)]
    plain: bool,
    /// Time for which a server that does not answer any more is tried again, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_PATIENCE_SECONDS)]
    reconnect_for: u32,
}

impl WatchArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let is_plain = self.plain || output::terminal_size().is_none();
        block_on(async {
            let mut client = self.server.connect().await?;
            let ended = match is_plain {
                true => match self.print(&mut client).await {
                    Err(error) if output::is_unread(&error) => None,
                    ended => Some(ended?),
                },
                false => self.draw(&mut client).await?,
            };
            let Some(ended) = ended else { return Ok(()) };
            let text = match &ended.result {
                Some(result) => table::result(result),
                None => format!("{}\n", standing::cancelled(&ended)),
            };
            Ok(output::print(&format!("\n{text}"))?)
        })
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(self.reconnect_for.into())
    }

    /// Prints what happens line by line.
    async fn print(&self, client: &mut MatchClient) -> anyhow::Result<MatchInfo> {
        let mut last_line = String::new();
        follow(client, &self.match_id, self.patience(), |told| match told {
            Told::News(news) => print_lines(news, &mut last_line),
            Told::Lost(reason) => {
                output::complain(&self.lost(reason));
                Ok(())
            }
            Told::Back => {
                output::complain("the server is back");
                Ok(())
            }
        })
        .await
    }

    /// Draws the table and the news on the terminal; `None` when the match was left before its end.
    async fn draw(&self, client: &mut MatchClient) -> anyhow::Result<Option<MatchInfo>> {
        let asked = asked_to_stop();
        let mut keys = Keys::start();
        let board = RefCell::new(Board::new(keys.is_some()));
        let following = follow(client, &self.match_id, self.patience(), |told| {
            let mut board = board.borrow_mut();
            match told {
                Told::News(news) => show(news, &mut board)?,
                Told::Lost(reason) => board.set_notice(Some(self.lost(reason))),
                Told::Back => board.set_notice(None),
            }
            draw(&mut board)
        });
        let turning = async {
            loop {
                match Keys::next(&mut keys).await {
                    Key::End => return Ok(()),
                    key => {
                        let mut board = board.borrow_mut();
                        board.turn(key);
                        draw(&mut board)?;
                    }
                }
            }
        };
        select! {
            ended = following => Ok(Some(ended?)),
            left = turning => left.map(|()| None),
            () = asked => Ok(None),
        }
    }

    fn lost(&self, reason: &str) -> String {
        format!(
            "the server does not answer and is tried again for {} s: {}",
            self.reconnect_for,
            Outside(reason)
        )
    }
}

/// Prints what is new: where the match and its bots stand if that changed, and the events.
fn print_lines(news: &WatchMatchResponse, last_line: &mut String) -> anyhow::Result<()> {
    let mut text = String::new();
    if let Some(info) = &news.r#match {
        let line = standing::line(info);
        if line != *last_line {
            writeln!(text, "{line}")?;
            *last_line = line;
        }
    }
    for event in &news.events {
        writeln!(text, "  {}", event_line(event)?)?;
    }
    Ok(output::print_news(&text)?)
}

fn show(news: &WatchMatchResponse, board: &mut Board) -> anyhow::Result<()> {
    for event in &news.events {
        board.add_news(&event_line(event)?);
    }
    if let Some(info) = &news.r#match {
        board.set_standing(&format!(
            "match {}, {}: {}",
            Outside(&info.match_id),
            count(info.decisions, "decision", "decisions"),
            standing::line(info)
        ));
    }
    if let Some(view) = View::of(news)? {
        board.set_table(&view.render()?);
    }
    Ok(())
}

fn draw(board: &mut Board) -> anyhow::Result<()> {
    // It may have changed its size.
    let (height, width) = output::terminal_size().unwrap_or(ASSUMED_SIZE);
    // The last line of the terminal stays free for the cursor.
    let page = board.page(usize::from(height).saturating_sub(1), width.into());
    let mut screen = Screen::default();
    screen.control(HOME);
    for line in page.lines {
        screen.text(&line);
        screen.control(CLEAR_LINE);
        screen.control(NEXT_LINE);
    }
    screen.control(CLEAR_BELOW);
    if let Some(footer) = page.footer {
        let colours = output::stdout_has_colours();
        screen.styled(&footer, &Style::new().reverse().force_styling(colours));
    }
    Ok(output::print_screen(&screen)?)
}
