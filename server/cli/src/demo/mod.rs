//! `bridgemaster demo`: a whole match here and now, with real bot processes over real gRPC.

mod processes;
mod progress;

use std::{
    env,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use bridgemaster_bots::NAMES;
use bridgemaster_games::SeatCount;
use bridgemaster_proto::{
    outside::Outside,
    v1::{MatchConfig, MatchInfo, MatchResult},
};
use bridgemaster_server::{Server, ServerOptions};
use bridgemaster_whole_file as whole_file;
use clap::Args;
use tokio_util::sync::CancellationToken;

use self::{processes::Processes, progress::ProgressView};
use super::{
    count::count, entrant::Entrant, failure::misuse, follow::follow, match_client::MatchClient,
    match_flags::MatchFlags, output, proto_json, runtime::block_on, stop_signal::asked_to_stop,
    table,
};

/// The default bots: one that plays to win, and others for it to beat.
const STRONG_BOT: &str = "greedy";
const OTHER_BOTS: &str = "random";

#[derive(Args)]
#[command(after_help = format!(
    "Built-in bots: {}. Anything else is run as a command, with the server's address in \
     BRIDGEMASTER_SERVER and the join ticket of its seat in BRIDGEMASTER_TICKET:\n\n  \
     bridgemaster demo --bots \"greedy,python3 my_bot.py\" --seed london",
    NAMES.join(", ")
))]
pub(super) struct DemoArgs {
    /// Bots from seat 0 on, separated by commas: names of built-in bots, or commands [default: one
    /// greedy bot against random ones]
    #[arg(long, value_name = "BOT,BOT,..", value_delimiter = ',')]
    bots: Vec<String>,
    /// Write the match and its result as JSON to this file; with `-` to standard output, and
    /// nothing else there
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the replay to this file [default: a file in the folder for temporary files]
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Show neither the progress bar nor the result
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    match_flags: MatchFlags,
}

impl DemoArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let (seats, entrants) = self.entrants()?;
        let config = self.match_flags.config(seats)?;
        block_on(self.play(config, entrants))
    }

    /// Who plays, and so how many seats there are.
    fn entrants(&self) -> anyhow::Result<(SeatCount, Vec<Entrant>)> {
        let chosen = self.match_flags.seats()?;
        if self.bots.is_empty() {
            let seats = chosen.map_or_else(|| self.match_flags.seats_or_most(), Ok)?;
            let names = std::iter::once(STRONG_BOT).chain(std::iter::repeat(OTHER_BOTS));
            let entrants = names.take(seats.get().into()).map(Entrant::parse);
            return Ok((seats, entrants.collect::<anyhow::Result<_>>()?));
        }
        let named = self.bots.len();
        if let Some(seats) = chosen.filter(|seats| usize::from(seats.get()) != named) {
            return Err(misuse(format!(
                "--seats {seats}, but --bots names {named}: name one bot for each seat, or leave \
                 one of the two flags out"
            )));
        }
        let seats = self
            .match_flags
            .check_seats(named, &format!("--bots names {named}"))?;
        let entrants = self.bots.iter().map(|text| Entrant::parse(text));
        Ok((seats, entrants.collect::<anyhow::Result<_>>()?))
    }

    async fn play(self, config: MatchConfig, entrants: Vec<Entrant>) -> anyhow::Result<()> {
        let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = Server::bind(loopback, ServerOptions::default()).await?;
        let server_url = format!("http://{}", server.local_addr());
        let stop = CancellationToken::new();
        let serving = tokio::spawn(server.run(stop.clone()));

        let mut client = MatchClient::connect(&server_url).await?;
        let created = client.create(config).await?;
        let match_id = created
            .r#match
            .context("the server made no match")?
            .match_id;
        let progress = ProgressView::new(self.quiet);
        let asked = asked_to_stop();
        let mut processes = Processes::start(
            &entrants,
            &server_url,
            &created.tickets,
            self.match_flags.seed(),
            &progress,
        )?;
        let ended = tokio::select! {
            ended = follow(&mut client, &match_id, |news| progress.show(news)) => ended?,
            () = asked => anyhow::bail!("stopped before the match had ended"),
        };
        processes.finish().await;
        progress.finish();
        let replay = client.replay_file(&match_id).await?;
        stop.cancel();
        serving.await??;
        self.report(&ended, &replay)
    }

    fn report(&self, ended: &MatchInfo, replay: &[u8]) -> anyhow::Result<()> {
        let path = self.replay.clone().unwrap_or_else(|| {
            env::temp_dir().join(format!("bridgemaster-{}.replay.binpb", ended.match_id))
        });
        write(&path, replay)?;
        if let Some(file) = &self.json {
            let json = proto_json::to_json("MatchInfo", ended)?;
            if file == Path::new("-") {
                return Ok(output::print(&json)?);
            }
            write(file, json.as_bytes())?;
        }
        match &ended.result {
            Some(result) if !self.quiet => Ok(output::print(&summary(ended, result, &path))?),
            _ => Ok(()),
        }
    }
}

fn summary(ended: &MatchInfo, result: &MatchResult, replay: &Path) -> String {
    let config = ended.config.clone().unwrap_or_default();
    let seconds = result.duration_ms as f64 / 1e3;
    let program = output::program();
    let replay = replay.display();
    format!(
        "match {} ended after {} in {seconds:.2} s, seed {}\n\n{}\nreplay: {replay}\n  \
         {program} replay show {replay}\n  {program} replay verify {replay}\n",
        Outside(&ended.match_id),
        count(result.decisions, "decision", "decisions"),
        Outside(config.seed.unwrap_or_default()),
        table::result(result),
    )
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    whole_file::write(path, bytes).with_context(|| format!("{} cannot be written", path.display()))
}
