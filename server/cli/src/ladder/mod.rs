//! `bridgemaster ladder`: manages ladders, and shows their standings and matches.

mod act;
mod client;
mod create;
mod recompute;
mod replays;
mod results;
mod show;
mod standings;
mod watch;

use anyhow::Context as _;
use bridgemaster_proto::{
    escape::Escaped,
    games::game_id,
    v1::{
        AdvanceLadderRequest, LadderBotRef, LadderState, ListLaddersRequest, ListLaddersResponse,
        RequestMatchRequest, UnbenchBotRequest,
    },
};
use clap::{Args, Subcommand};

use crate::{
    formats,
    ladder::standings::state_name,
    match_client::{ServerFlag, all_pages, message},
    output, table,
};

pub(super) use crate::ladder::create::LadderFlags;

#[derive(Args)]
#[command(after_help = "A ladder plays matches while bots attend its queue:\n\n  \
    bridgemaster ladder create class --game old_london_bridge --seats 2\n  \
    bridgemaster attend --queue class -- python3 my_bot.py\n  \
    bridgemaster ladder standings class\n\n\
    docs/guides/class.md explains how to run a ladder for a class, with keys and house bots.")]
pub(super) struct LadderArgs {
    #[command(subcommand)]
    command: LadderCommand,
}

#[derive(Subcommand)]
enum LadderCommand {
    /// Create a ladder and its queue
    Create(create::CreateArgs),
    /// List the ladders of a server
    List {
        #[command(flatten)]
        server: ServerFlag,
        /// Print the ladders as JSON, in the form of a ListLaddersResponse
        #[arg(long)]
        json: bool,
    },
    /// Freeze a ladder: stop admitting versions, and play the closing round
    Freeze(AdvanceArgs),
    /// Close a ladder: stop its matches, and make the ratings final
    Close(AdvanceArgs),
    /// Show the standings of a ladder
    Standings(standings::StandingsArgs),
    /// Show the versions, head-to-head results and newest matches of a bot
    Show(show::ShowArgs),
    /// Follow the matches and standings of a ladder
    Watch(watch::WatchArgs),
    /// Export all results as CSV, with one line per seat of each match
    Results(results::ResultsArgs),
    /// Download the replays of one bot, or of a pair of bots, as a tar file
    Replays(replays::ReplaysArgs),
    /// Compute ratings from the results, and compare them with the server's
    Recompute(recompute::RecomputeArgs),
    #[command(flatten)]
    Act(act::ActCommand),
    /// Allow a benched bot to play again
    Unbench {
        #[command(flatten)]
        server: ServerFlag,
        /// Name of the ladder
        ladder: String,
        /// Name of the bot
        bot: String,
        /// Version of the bot [default: the newest]
        #[arg(long, default_value = "", hide_default_value = true)]
        version: String,
    },
    /// Request an unrated match between attending bots
    Request {
        #[command(flatten)]
        server: ServerFlag,
        /// Name of the ladder
        ladder: String,
        /// Names of the bots, in seat order
        #[arg(required = true, num_args = 2..)]
        bots: Vec<String>,
    },
}

#[derive(Args)]
struct AdvanceArgs {
    #[command(flatten)]
    server: ServerFlag,
    /// Name of the ladder
    ladder: String,
}

impl LadderArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        match self.command {
            LadderCommand::Create(args) => args.run().await,
            LadderCommand::List { server, json } => list(&server, json).await,
            LadderCommand::Freeze(args) => args.run(LadderState::Frozen).await,
            LadderCommand::Close(args) => args.run(LadderState::Closed).await,
            LadderCommand::Standings(args) => args.run().await,
            LadderCommand::Show(args) => args.run().await,
            LadderCommand::Watch(args) => args.run().await,
            LadderCommand::Results(args) => args.run().await,
            LadderCommand::Replays(args) => args.run().await,
            LadderCommand::Recompute(args) => args.run().await,
            LadderCommand::Act(command) => command.run().await,
            LadderCommand::Unbench { server, ladder, bot, version } => {
                unbench(&server, ladder, bot, version).await
            }
            LadderCommand::Request { server, ladder, bots } => request(&server, ladder, bots).await,
        }
    }
}

impl AdvanceArgs {
    async fn run(self, state: LadderState) -> anyhow::Result<()> {
        let mut client = client::connect(&self.server).await?;
        let request = AdvanceLadderRequest { ladder_id: self.ladder, state: state.into() };
        let advanced = message(client.advance_ladder(request).await)?;
        let ladder = client::ladder_of(advanced.ladder)?;
        let text = format!("ladder {} is {}\n", Escaped(&ladder.ladder_id), state_name(&ladder));
        Ok(output::print(&text)?)
    }
}

async fn list(server: &ServerFlag, json: bool) -> anyhow::Result<()> {
    let mut client = client::connect(server).await?;
    let ladders = all_pages(async |page_token| {
        let page_size = client::PAGE_SIZE;
        let request = ListLaddersRequest { page_size, page_token };
        let page = message(client.list_ladders(request).await)?;
        Ok((page.ladders, page.next_page_token))
    });
    let ladders = ladders.await?;
    if json {
        let response = ListLaddersResponse { ladders, next_page_token: String::new() };
        let text = formats::to_json("ListLaddersResponse", &response)?;
        return Ok(output::print(&text)?);
    }
    if ladders.is_empty() {
        return Ok(output::print("no ladder\n")?);
    }
    let rows = ladders.iter().map(|ladder| {
        let config = ladder.config.clone().unwrap_or_default();
        let game = config.game.as_ref().and_then(game_id);
        [
            ladder.ladder_id.clone(),
            state_name(ladder),
            game.unwrap_or("(unknown)").to_owned(),
            config.seats.to_string(),
            ladder.matches.to_string(),
            ladder.annulled_matches.to_string(),
            if ladder.settled { "yes" } else { "no" }.to_owned(),
        ]
    });
    let header = ["ladder", "state", "game", "seats", "matches", "annulled", "settled"];
    Ok(output::print(&table::plain(header, rows))?)
}

async fn unbench(
    server: &ServerFlag,
    ladder: String,
    bot_name: String,
    bot_version: String,
) -> anyhow::Result<()> {
    let mut client = client::connect(server).await?;
    let request =
        UnbenchBotRequest { ladder_id: ladder, bot: Some(LadderBotRef { bot_name, bot_version }) };
    let standing = message(client.unbench_bot(request).await)?.standing;
    let standing = standing.context("the server sent no information about the bot")?;
    let text = format!(
        "{} {} may play again\n",
        Escaped(&standing.bot_name),
        Escaped(&standing.bot_version)
    );
    Ok(output::print(&text)?)
}

async fn request(server: &ServerFlag, ladder: String, bots: Vec<String>) -> anyhow::Result<()> {
    let mut client = client::connect(server).await?;
    let bots =
        bots.into_iter().map(|bot_name| LadderBotRef { bot_name, bot_version: String::new() });
    let request = RequestMatchRequest { ladder_id: ladder, bots: bots.collect() };
    let match_id = message(client.request_match(request).await)?.match_id;
    Ok(output::print(&format!("{}\n", Escaped(&match_id)))?)
}
