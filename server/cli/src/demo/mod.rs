//! `bridgemaster demo`: a whole match here and now, with real bot processes over real gRPC.

mod processes;
mod progress;

use std::{
    env,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    pin::Pin,
    time::Duration,
};

use anyhow::Context as _;
use bridgemaster_bots::NAMES;
use bridgemaster_games::SeatCount;
use bridgemaster_proto::{
    outside::Outside,
    v1::{
        CreateMatchRequest, MatchConfig, MatchInfo, MatchResult, MatchState, SeatInfo, SeatState,
        SeatTicket,
    },
};
use bridgemaster_server::{Server, ServerOptions};
use clap::Args;
use tokio_util::sync::CancellationToken;

use self::{
    processes::{Left, Processes},
    progress::ProgressView,
};
use super::{
    browser,
    count::count,
    entrant::Entrant,
    failure::misuse,
    follow::{Told, follow},
    match_client::MatchClient,
    match_flags::MatchFlags,
    output,
    output_file::{self, OutputFile},
    proto_json,
    runtime::block_on,
    seat_link::PageUrl,
    stop_signal::asked_to_stop,
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
    /// Serve a page in which the match is seen until Ctrl-C, print its address, and open it in the
    /// browser where there is one
    #[arg(long)]
    open: bool,
    /// Play a seat yourself, in the browser: prints the link of seat 0 and opens it where there is a
    /// browser; the bots have the other seats. Where no flag says otherwise a decision may take 10
    /// minutes, and all together an hour
    #[arg(long)]
    human: bool,
    /// Show neither the progress bar nor the result
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    match_flags: MatchFlags,
}

impl DemoArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let (seats, entrants) = self.entrants()?;
        let config = match self.human {
            true => self.match_flags.config_for_people(seats)?,
            false => self.match_flags.config(seats)?,
        };
        let json = self.json.as_deref();
        let json = json
            .map(|path| OutputFile::open("--json", path))
            .transpose()?;
        if let Some(path) = &self.replay {
            let file = OutputFile::open("--replay", path)?;
            if file.is_stdout() {
                return Err(misuse(
                    "--replay -: a replay goes to a file, since it is no text",
                ));
            }
        }
        block_on(self.play(config, entrants, json))
    }

    /// The bots that play, and so how many seats there are. A person has the seat before them.
    fn entrants(&self) -> anyhow::Result<(SeatCount, Vec<Entrant>)> {
        let chosen = self.match_flags.seats()?;
        let people = usize::from(self.human);
        if self.bots.is_empty() {
            let seats = match self.human {
                true => self.match_flags.least_seats()?,
                false => self.match_flags.seats_or_most()?,
            };
            let others = if self.human { STRONG_BOT } else { OTHER_BOTS };
            let names = std::iter::once(STRONG_BOT).chain(std::iter::repeat(others));
            let entrants = names.take(usize::from(seats.get()) - people);
            let entrants = entrants.map(Entrant::parse);
            return Ok((seats, entrants.collect::<anyhow::Result<_>>()?));
        }
        let named = self.bots.len();
        if let Some(seats) = chosen.filter(|seats| usize::from(seats.get()) != named + people) {
            let whose = if self.human {
                "each seat but your own"
            } else {
                "each seat"
            };
            return Err(misuse(format!(
                "--seats {seats}, but --bots names {named}: name one bot for {whose}, or leave \
                 one of the two flags out"
            )));
        }
        let seats = self
            .match_flags
            .check_seats(named + people, &format!("--bots names {named}"))?;
        let entrants = self.bots.iter().map(|text| Entrant::parse(text));
        Ok((seats, entrants.collect::<anyhow::Result<_>>()?))
    }

    async fn play(
        self,
        config: MatchConfig,
        entrants: Vec<Entrant>,
        json: Option<OutputFile>,
    ) -> anyhow::Result<()> {
        let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut server = Server::bind(loopback, ServerOptions::default()).await?;
        let page = match self.open || self.human {
            true => Some(server.open_page(loopback, Vec::new()).await?),
            false => None,
        };
        let server_url = format!("http://{}", server.local_addr());
        let stop = CancellationToken::new();
        let serving = tokio::spawn(server.run(stop.clone()));

        let mut client = MatchClient::connect(&server_url).await?;
        let request = CreateMatchRequest {
            config: Some(config),
            ..CreateMatchRequest::default()
        };
        let created = client.create(request).await?;
        let match_id = created
            .r#match
            .context("the server made no match")?
            .match_id;
        if let Some(addr) = page {
            // Before the match, since it can be watched.
            self.invite(addr, &match_id, &created.tickets, json.as_ref())?;
        }
        let progress = ProgressView::new(self.quiet);
        let asked = asked_to_stop();
        tokio::pin!(asked);
        // A person has the first.
        let tickets = created.tickets.get(usize::from(self.human)..);
        let tickets = tickets.unwrap_or_default();
        let seed = self.match_flags.seed();
        let mut processes = Processes::start(&entrants, &server_url, tickets, seed)?;
        let followed = follow_to_end(
            &mut client,
            &match_id,
            &mut processes,
            &progress,
            asked.as_mut(),
        );
        let ended = followed.await.inspect_err(|_| progress.give_up())?;
        progress.finish();
        processes.finish(|left| progress.tell_of(left)).await;
        let replay = client.replay_file(&match_id).await?;
        let reported = self.report(&ended, &replay, json.as_ref());
        if page.is_some() && reported.is_ok() {
            asked.await;
        }
        stop.cancel();
        serving.await??;
        reported
    }

    /// Prints where the match is played or seen in the browser, and opens it there.
    fn invite(
        &self,
        addr: SocketAddr,
        match_id: &str,
        tickets: &[SeatTicket],
        json: Option<&OutputFile>,
    ) -> anyhow::Result<()> {
        let page: PageUrl = format!("http://{addr}").parse()?;
        let (does, url) = match tickets.first() {
            Some(own) if self.human => ("play at", page.link(&own.ticket)),
            _ => ("page at", format!("http://{addr}/m/{}", Outside(match_id))),
        };
        let line = format!("{does} {url} (Ctrl-C stops)");
        match json {
            Some(json) if json.is_stdout() => output::complain(&line),
            _ => output::print(&format!("{line}\n"))?,
        }
        browser::open(&url);
        Ok(())
    }

    fn report(
        &self,
        ended: &MatchInfo,
        replay: &[u8],
        json: Option<&OutputFile>,
    ) -> anyhow::Result<()> {
        let path = self.replay.clone().unwrap_or_else(|| {
            env::temp_dir().join(format!("bridgemaster-{}.replay.binpb", ended.match_id))
        });
        output_file::write(&path, replay)?;
        if let Some(file) = json {
            file.write(&proto_json::to_json("MatchInfo", ended)?)?;
            if file.is_stdout() {
                return Ok(());
            }
        }
        match &ended.result {
            Some(result) if !self.quiet => Ok(output::print(&summary(ended, result, &path))?),
            _ => Ok(()),
        }
    }
}

/// Shows how a match goes on, and gives how it ended. It fails if the match cannot begin, or if
/// somebody stops it.
async fn follow_to_end(
    client: &mut MatchClient,
    match_id: &str,
    processes: &mut Processes,
    progress: &ProgressView,
    asked_to_stop: Pin<&mut impl Future<Output = ()>>,
) -> anyhow::Result<MatchInfo> {
    let mut asking = client.clone();
    tokio::select! {
        ended = follow(client, match_id, Duration::ZERO, |told| match told {
            Told::News(news) => progress.show(news),
            Told::Lost(_) | Told::Back => Ok(()),
        }) => ended,
        missing = watch_over(processes, &mut asking, match_id, progress) => {
            anyhow::bail!("the match cannot begin: {}", missing?);
        }
        () = asked_to_stop => anyhow::bail!("stopped before the match had ended"),
    }
}

/// Tells of bots whose processes fail, and comes back with the first that ended before it took its
/// seat: nobody else will take it.
async fn watch_over(
    processes: &mut Processes,
    client: &mut MatchClient,
    match_id: &str,
    progress: &ProgressView,
) -> anyhow::Result<Left> {
    while let Some(left) = processes.next_to_leave().await {
        // The news may be behind.
        let info = client.get(match_id).await?;
        let is_vacant =
            |seat: &SeatInfo| seat.seat == left.seat && matches!(seat.state(), SeatState::Vacant);
        if info.state() == MatchState::Waiting && info.seats.iter().any(is_vacant) {
            return Ok(left);
        }
        progress.tell_of(&left);
    }
    // The match goes on without them.
    std::future::pending().await
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
