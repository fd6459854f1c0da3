//! `bridgemaster demo`: plays one match on this machine, with bot processes over gRPC.

mod processes;

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
    escape::Escaped,
    v1::{
        CreateMatchRequest, MatchConfig, MatchInfo, MatchResult, MatchState, SeatInfo, SeatState,
        SeatTicket,
    },
};
use bridgemaster_sdk::ApiKey;
use bridgemaster_server::{
    Server, ServerOptions,
    identity::{PageLinks, PrivateAccess},
};
use clap::Args;
use indicatif::ProgressBar;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::{
    address,
    bot_choice::{BotChoice, BotEnv, BotEnvFlag},
    browser,
    demo::processes::{BotExit, BotOutput, Processes, show},
    failure::misuse,
    files::{self, OutputFile},
    follow::{FollowEvent, follow},
    formats,
    match_client::{MatchClient, connect_privately, get_match, message, replay_file},
    match_flags::MatchFlags,
    output,
    process::{block_on, shutdown_requested},
    quantities::count,
    table,
};

/// The default bot for the first seat.
const STRONG_BOT: &str = "greedy";
/// The default bot for the other seats. It is weaker than the first seat's default bot.
const OTHER_BOTS: &str = "random";
/// Time for a browser to open the page before the bots start.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Args)]
#[command(after_help = format!(
    "Built-in bots: {}. Any other entry of --bots is a command, with the address of the server in \
     BRIDGEMASTER_SERVER and the join ticket of the seat in BRIDGEMASTER_TICKET:\n\n  bridgemaster \
     demo --bots \"greedy,python3 my_bot.py\" --seed london",
    NAMES.join(", ")
))]
pub(super) struct DemoArgs {
    /// Bots in seat order: built-in bots or commands [default: greedy,random,..]
    #[arg(long, value_name = "BOT,BOT,..", value_delimiter = ',')]
    bots: Vec<String>,
    /// Write the match and its result as JSON to this file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the replay to this file [default: a temporary file]
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Show the match in the browser; the local page is served until Ctrl-C
    #[arg(long)]
    open: bool,
    /// Play seat 0 yourself in the browser, against the bots
    ///
    /// By default, you have 10 minutes for each decision, and one hour in total.
    #[arg(long)]
    human: bool,
    /// Print the bots' standard error, each line with seat and bot
    #[arg(long)]
    show_output: bool,
    /// Hide the progress bar and the result
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    bot_env: BotEnvFlag,
    #[command(flatten)]
    match_flags: MatchFlags,
}

impl DemoArgs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let (seats, bots) = self.bots()?;
        let config = if self.human {
            self.match_flags.config_for_people(seats)?
        } else {
            self.match_flags.config(seats)?
        };
        let json = self.json.as_deref();
        let json = json.map(|path| OutputFile::open("--json", path)).transpose()?;
        if let Some(path) = &self.replay {
            let file = OutputFile::open("--replay", path)?;
            if file.is_stdout() {
                return Err(misuse("--replay -: a replay is binary; name a file"));
            }
        }
        let bot_env = self.bot_env.read()?;
        block_on(self.play(config, bots, &bot_env, json))
    }

    /// Returns the number of seats and the bots. With `--human`, the first seat has no bot.
    fn bots(&self) -> anyhow::Result<(SeatCount, Vec<BotChoice>)> {
        let chosen = self.match_flags.seats()?;
        let people = usize::from(self.human);
        if self.bots.is_empty() {
            let seats = if self.human {
                self.match_flags.seats_or_min()?
            } else {
                self.match_flags.seats_or_max()?
            };
            let others = if self.human { STRONG_BOT } else { OTHER_BOTS };
            let names = std::iter::once(STRONG_BOT).chain(std::iter::repeat(others));
            let bots = names.take(usize::from(seats.get()) - people);
            let bots = bots.map(BotChoice::parse);
            return Ok((seats, bots.collect::<anyhow::Result<_>>()?));
        }
        let named = self.bots.len();
        if let Some(seats) = chosen.filter(|seats| usize::from(seats.get()) != named + people) {
            let seats_of_bots = if self.human { "each seat except your own" } else { "each seat" };
            return Err(misuse(format!(
                "--seats {seats} does not match the {named} bots of --bots; name one bot for \
                 {seats_of_bots}, or omit one of the flags"
            )));
        }
        let seats = self
            .match_flags
            .check_seats(named + people, &format!("--bots with {}", count(named, "bot", "bots")))?;
        let bots = self.bots.iter().map(|text| BotChoice::parse(text));
        Ok((seats, bots.collect::<anyhow::Result<_>>()?))
    }

    async fn play(
        self,
        config: MatchConfig,
        bots: Vec<BotChoice>,
        bot_env: &BotEnv,
        json: Option<OutputFile>,
    ) -> anyhow::Result<()> {
        let access = PrivateAccess::generate();
        let key: ApiKey = access.organiser_key().reveal().parse()?;
        let seats = bots.len() + usize::from(self.human);
        let (server, page) = self.bind(&access, seats).await?;
        let server_url = format!("http://{}", server.local_addr());
        let stop = CancellationToken::new();
        let serving = tokio::spawn(server.run(stop.clone()));

        let mut client = connect_privately(&server_url, &key).await?;
        let (match_id, tickets) = create(&mut client, config).await?;
        if let Some(addr) = page {
            // The page is opened before the match starts, so that the user sees all of it.
            let path = self.page_path(&match_id, &tickets);
            self.open_page(addr, access.page(), &path, json.as_ref()).await?;
        }
        let bar = if self.quiet {
            ProgressBar::hidden()
        } else {
            output::progress_bar(0, "{bar:30} {pos}/{len} {msg}").with_message("starting")
        };
        let shutdown = shutdown_requested();
        tokio::pin!(shutdown);
        // A human player has the first seat, so the bots get the other tickets.
        let tickets = tickets.get(usize::from(self.human)..);
        let tickets = tickets.unwrap_or_default();
        let seed = self.match_flags.seed();
        let bot_output = BotOutput::new(&match_id, self.show_output.then(|| bar.clone()));
        let mut processes =
            Processes::start((&bots, bot_env), (&server_url, tickets), seed, &bot_output).await?;
        if let Some(isolation) = processes.isolation.filter(|_| !self.quiet) {
            output::eprint(&format!("bots run in {isolation}"));
        }
        let followed =
            follow_to_end(&mut client, &match_id, &mut processes, &bar, shutdown.as_mut());
        let ended = followed.await.inspect_err(|_| bar.finish_and_clear())?;
        // The bar stays visible, since it appears only briefly in a short match.
        bar.finish();
        processes.finish(|exit| exit.report(&bar)).await;
        let replay = replay_file(&mut client, &match_id).await?;
        let reported = self.report(&ended, &replay, &bot_output, json.as_ref());
        if page.is_some() && reported.is_ok() {
            shutdown.await;
        }
        stop.cancel();
        serving.await??;
        reported
    }

    /// Starts the match's private server, with its page for `--open` and `--human`.
    async fn bind(
        &self,
        access: &PrivateAccess,
        seats: usize,
    ) -> anyhow::Result<(Server, Option<SocketAddr>)> {
        let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let has_page = self.open || self.human;
        let options = ServerOptions::private(access.clone(), seats, has_page);
        let mut server = Server::bind(loopback, options).await?;
        let page =
            if has_page { Some(server.open_page(loopback, Vec::new()).await?) } else { None };
        Ok((server, page))
    }

    /// Returns the page's path: the first seat's page with `--human`, and the match's page
    /// otherwise.
    fn page_path(&self, match_id: &str, tickets: &[SeatTicket]) -> String {
        match tickets.first() {
            Some(own) if self.human => address::seat_path(&own.ticket),
            _ => format!("/m/{}", Escaped(match_id)),
        }
    }

    /// Prints the link to the page and opens the browser. The printed link is valid until the
    /// server stops. The browser gets another link, since bots might read it from the command line:
    /// it works only once, and is revoked before the bots start.
    async fn open_page(
        &self,
        addr: SocketAddr,
        links: &PageLinks,
        path: &str,
        json: Option<&OutputFile>,
    ) -> anyhow::Result<()> {
        let label = if self.human { "play at" } else { "page at" };
        let printed = links.link(path);
        let line = format!("{label} http://{addr}{printed} (Ctrl-C stops)");
        match json {
            Some(json) if json.is_stdout() => output::eprint(&line),
            _ => output::print(&format!("{line}\n"))?,
        }
        let single_use = links.one_time_link(path);
        if browser::open(&format!("http://{addr}{}", single_use.path())) {
            // After a timeout, the user can open the printed link.
            let _ = timeout(BROWSER_TIMEOUT, single_use.used()).await;
        }
        Ok(())
    }

    fn report(
        &self,
        ended: &MatchInfo,
        replay: &[u8],
        bot_output: &BotOutput,
        json: Option<&OutputFile>,
    ) -> anyhow::Result<()> {
        let path = self.replay.clone().unwrap_or_else(|| {
            env::temp_dir().join(format!("bridgemaster-{}.replay.binpb", ended.match_id))
        });
        files::write(&path, replay)?;
        if let Some(file) = json {
            file.write(&formats::to_json("MatchInfo", ended)?)?;
            if file.is_stdout() {
                return Ok(());
            }
        }
        match &ended.result {
            Some(result) if !self.quiet => {
                let summary = summary(ended, result, &path);
                Ok(output::print(&format!("{summary}{}", bot_output.files(result)))?)
            }
            _ => Ok(()),
        }
    }
}

/// Creates the match and returns its identifier and tickets.
async fn create(
    client: &mut MatchClient,
    config: MatchConfig,
) -> anyhow::Result<(String, Vec<SeatTicket>)> {
    let request = CreateMatchRequest { config: Some(config), ..CreateMatchRequest::default() };
    let created = message(client.create_match(request).await)?;
    let info = created.r#match.context("the server did not return the created match")?;
    Ok((info.match_id, created.tickets))
}

/// Shows the match's progress, and returns the match after its end.
///
/// # Errors
/// Returns an error if a bot exited before it joined the match, the command was stopped, or the
/// server failed.
async fn follow_to_end(
    client: &mut MatchClient,
    match_id: &str,
    processes: &mut Processes,
    bar: &ProgressBar,
    shutdown: Pin<&mut impl Future<Output = ()>>,
) -> anyhow::Result<MatchInfo> {
    let mut state_client = client.clone();
    tokio::select! {
        ended = follow(client, match_id, Duration::ZERO, |event| match event {
            FollowEvent::Update(update) => show(bar, update),
            FollowEvent::Lost(_) | FollowEvent::Reconnected => Ok(()),
        }) => ended,
        missing = missing_bot(processes, &mut state_client, match_id, bar) => {
            anyhow::bail!("the match cannot start: {}", missing?);
        }
        () = shutdown => anyhow::bail!("stopped before the end of the match"),
    }
}

/// Reports failed bots. Returns the first bot that exited before it joined the match, because its
/// seat stays vacant.
async fn missing_bot(
    processes: &mut Processes,
    client: &mut MatchClient,
    match_id: &str,
    bar: &ProgressBar,
) -> anyhow::Result<BotExit> {
    while let Some(exit) = processes.next_exit().await {
        // Requests the current state, since the updates so far may be older than the exit.
        let info = get_match(client, match_id).await?;
        let is_vacant =
            |seat: &SeatInfo| seat.seat == exit.seat && matches!(seat.state(), SeatState::Vacant);
        if info.state() == MatchState::Waiting && info.seats.iter().any(is_vacant) {
            return Ok(exit);
        }
        exit.report(bar);
    }
    // The match continues without bots that exited.
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
        Escaped(&ended.match_id),
        count(result.decisions, "decision", "decisions"),
        Escaped(config.seed.unwrap_or_default()),
        table::result(result),
    )
}
