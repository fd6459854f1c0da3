//! `bridgemaster ladder watch`: follows a ladder.

use std::time::Duration;

use bridgemaster_proto::{
    escape::Escaped,
    v1::{Ladder, Standing, WatchLadderRequest, WatchLadderResponse},
};
use clap::Args;
use tokio::select;

use crate::{
    board::{Board, DEFAULT_SIZE},
    follow::{DEFAULT_RETRY_SECONDS, Reconnection},
    ladder::{
        client::{self, LadderClient},
        show::{outcome, purpose},
        standings,
    },
    match_client::ServerFlag,
    output,
    process::stop_requested,
};

#[derive(Args)]
pub(super) struct WatchArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    ladder: String,
    /// Print updates line by line [default if standard output is not a terminal]
    #[arg(long)]
    plain: bool,
    /// Time to retry an unresponsive server, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_RETRY_SECONDS)]
    reconnect_for: u32,
}

impl WatchArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let mut client = client::connect(&self.server).await?;
        if self.plain || output::terminal_size().is_none() {
            let print = |event: LadderEvent<'_>| match event {
                LadderEvent::Update(update) => print_lines(update),
                LadderEvent::Lost(reason) => {
                    output::eprint(&self.lost(reason));
                    Ok(())
                }
                LadderEvent::Connected => Ok(()),
            };
            return match self.follow(&mut client, print).await {
                Err(error) if output::is_closed_pipe(&error) => Ok(()),
                followed => followed,
            };
        }
        let (mut board, mut seen) = (Board::default(), Seen::default());
        let stop = stop_requested();
        let draw = |event: LadderEvent<'_>| {
            match event {
                LadderEvent::Update(update) => seen.show(update, &mut board),
                LadderEvent::Lost(reason) => board.set_notice(Some(self.lost(reason))),
                LadderEvent::Connected => {
                    // The first update of a stream has all standings.
                    seen.standings.clear();
                    board.set_notice(None);
                }
            }
            board.draw()
        };
        select! {
            followed = self.follow(&mut client, draw) => followed,
            () = stop => Ok(()),
        }
    }

    /// Passes each update to `handle`, and reconnects until the user stops the command.
    async fn follow(
        &self,
        client: &mut LadderClient,
        mut handle: impl FnMut(LadderEvent<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let timeout = Duration::from_secs(self.reconnect_for.into());
        let mut connection = Reconnection::new(timeout);
        loop {
            let request = WatchLadderRequest { ladder_id: self.ladder.clone() };
            let status = match client.watch_ladder(request).await {
                Ok(updates) => {
                    let mut updates = updates.into_inner();
                    handle(LadderEvent::Connected)?;
                    loop {
                        match updates.message().await {
                            Ok(Some(update)) => {
                                connection.mark_answered();
                                handle(LadderEvent::Update(&update))?;
                            }
                            Ok(None) => break None,
                            Err(status) => break Some(status),
                        }
                    }
                }
                Err(status) => Some(status),
            };
            let report = |reason: &str| handle(LadderEvent::Lost(reason));
            connection.retry(status, "the server closed the stream", report).await?;
        }
    }

    fn lost(&self, reason: &str) -> String {
        let seconds = self.reconnect_for;
        format!("the server does not answer; retrying for {seconds} s: {}", Escaped(reason))
    }
}

/// An event while a ladder is followed.
enum LadderEvent<'a> {
    /// A stream of updates has started.
    Connected,
    Update(&'a WatchLadderResponse),
    /// The server does not answer, for this reason. The call is retried.
    Lost(&'a str),
}

/// The latest state of a ladder.
#[derive(Default)]
struct Seen {
    ladder: Ladder,
    standings: Vec<Standing>,
}

impl Seen {
    fn show(&mut self, update: &WatchLadderResponse, board: &mut Board) {
        if let Some(ladder) = &update.ladder {
            self.ladder = ladder.clone();
        }
        self.update_standings(&update.standings);
        if update.r#match.is_some() {
            board.add_event(match_line(update).trim_end());
        }
        let name = Escaped(&self.ladder.ladder_id);
        board.set_status(&format!("ladder {name}: {}", standings::line(&self.ladder)));
        let (_, width) = output::terminal_size().unwrap_or(DEFAULT_SIZE);
        let table = standings::text(&self.standings, &self.standings, &self.ladder, width);
        board.set_table(&table);
    }

    /// Applies changed standings. A new version replaces the bot's previous one; a removed bot is
    /// omitted.
    fn update_standings(&mut self, changed: &[Standing]) {
        for standing in changed {
            self.standings.retain(|other| other.bot_name != standing.bot_name);
            if !standing.removed {
                self.standings.push(standing.clone());
            }
        }
        // Unrated bots are last.
        let elo = |one: &Standing| one.rating.map_or(f64::NEG_INFINITY, |rating| rating.elo);
        self.standings.sort_by(|one, other| {
            let by_elo = elo(other).total_cmp(&elo(one));
            one.disqualified.cmp(&other.disqualified).then(by_elo)
        });
    }
}

fn print_lines(update: &WatchLadderResponse) -> anyhow::Result<()> {
    if update.r#match.is_some() {
        output::print_update(&match_line(update))?;
    } else if let Some(ladder) = &update.ladder {
        let width = standings::width();
        let table = standings::text(&update.standings, &update.standings, ladder, width);
        output::print_update(&table)?;
        output::print_update(&standings::line(ladder))?;
    }
    Ok(())
}

/// Describes the match in an update.
fn match_line(update: &WatchLadderResponse) -> String {
    let one = update.r#match.clone().unwrap_or_default();
    let info = one.r#match.clone().unwrap_or_default();
    format!("{}  {}  {}\n", Escaped(&info.match_id), purpose(&one), outcome(&one))
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::Rating;

    use super::*;

    #[test]
    fn changed_standings_replace_earlier_ones_and_stay_sorted() {
        let standing = |name: &str, version: &str, elo: Option<f64>| Standing {
            bot_name: name.to_owned(),
            bot_version: version.to_owned(),
            rating: elo.map(|elo| Rating { elo, ..Rating::default() }),
            ..Standing::default()
        };
        let mut seen = Seen::default();
        seen.update_standings(&[standing("ada", "1", Some(10.0)), standing("bob", "1", None)]);
        let eve = Standing { disqualified: true, ..standing("eve", "1", Some(99.0)) };
        seen.update_standings(&[standing("bob", "2", Some(20.0)), eve]);
        let removed = Standing { removed: true, ..standing("dan", "1", None) };
        seen.update_standings(&[standing("dan", "1", None), removed]);
        let bots = seen.standings.iter().map(|one| format!("{} {}", one.bot_name, one.bot_version));
        assert_eq!(bots.collect::<Vec<_>>(), ["bob 2", "ada 1", "eve 1"]);
    }
}
