//! Matches between fair bots, one after the other at each of some tables, while the attack lasts.

use std::{
    collections::BTreeMap,
    env,
    io::{BufRead as _, BufReader, Lines, Write as _},
    net::SocketAddr,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{
        ClockRules, CreateMatchRequest, FaultReason, GetMatchRequest, MatchConfig, MatchInfo,
        match_service_client::MatchServiceClient,
    },
};
use tokio::time::{Instant, sleep};
use tonic::{Code, Request, Status, transport::Endpoint};

use crate::{fair_bot::Answered, server_process::Key};

/// Seats of each match.
const SEATS: usize = 2;
/// A bot that answered within this time after it had read the request is not late.
const PROMPT_US: u64 = 150_000;
/// Pause before a call to the desk is made again.
const PAUSE: Duration = Duration::from_millis(200);

/// A bot's process.
struct BotProcess {
    process: Child,
    tell: ChildStdin,
    hear: Lines<BufReader<ChildStdout>>,
}

/// What came of matches.
#[derive(Debug, Default)]
pub(crate) struct Played {
    pub(crate) matches: usize,
    pub(crate) decisions: usize,
    /// Matches in which the server noted lag of its own beyond what their rules allow.
    pub(crate) spoiled: usize,
    /// Seats that were late at a request that their bot answered promptly.
    pub(crate) late: Vec<String>,
    /// Seats that were forfeited.
    pub(crate) forfeited: Vec<String>,
    /// What else went wrong.
    pub(crate) wrong: Vec<String>,
}

impl Played {
    pub(crate) fn add(&mut self, other: Self) {
        self.matches += other.matches;
        self.decisions += other.decisions;
        self.spoiled += other.spoiled;
        self.late.extend(other.late);
        self.forfeited.extend(other.forfeited);
        self.wrong.extend(other.wrong);
    }
}

/// Plays matches at one table, of all games in turn, until `until`.
pub(crate) async fn play_at(
    table: usize,
    server: SocketAddr,
    key: Key,
    cap_ms: u32,
    until: Instant,
) -> Played {
    let mut played = Played::default();
    let mut bots: Vec<BotProcess> = (0..SEATS).map(|_| BotProcess::start()).collect();
    let mut number = table;
    while Instant::now() < until {
        match play_one(number, server, &key, cap_ms, &mut bots).await {
            Ok(one) => played.add(one),
            Err(words) => {
                played.wrong.push(format!("table {table}: {words}"));
                // A bot may be in the middle of something.
                bots = (0..SEATS).map(|_| BotProcess::start()).collect();
            }
        }
        number += 1;
    }
    played
}

async fn play_one(
    number: usize,
    server: SocketAddr,
    key: &Key,
    cap_ms: u32,
    bots: &mut Vec<BotProcess>,
) -> Result<Played, String> {
    let game = GAME_IDS[number % GAME_IDS.len()];
    let config = MatchConfig {
        game: with_game!(game, G => G::config_to_wire(&Default::default())),
        seats: SEATS as u32,
        clock: Some(ClockRules {
            bank_ms: Some(600_000),
            cap_ms: Some(cap_ms),
            startup_ms: Some(120_000),
            ..ClockRules::default()
        }),
        ..MatchConfig::default()
    };
    let request = CreateMatchRequest {
        config: Some(config),
        ..CreateMatchRequest::default()
    };
    let made = again(key, request, |call| async move {
        client(server).create_match(call).await
    });
    let made = made.await?;
    let match_id = made.r#match.unwrap_or_default().match_id;
    let playing: Vec<_> = bots
        .drain(..)
        .zip(made.tickets)
        .map(|(mut bot, ticket)| {
            let line = format!("http://{server} {} {}\n", key.0, ticket.ticket);
            tokio::task::spawn_blocking(move || (bot.play(&line), bot))
        })
        .collect();
    let mut answered = Vec::new();
    for bot in playing {
        let (answers, bot) = bot.await.map_err(|error| error.to_string())?;
        bots.push(bot);
        answered.push(answers?);
    }
    let request = GetMatchRequest {
        match_id: match_id.clone(),
    };
    let shown = again(key, request, |call| async move {
        client(server).get_match(call).await
    });
    let info = shown.await?.r#match.unwrap_or_default();
    Ok(judge(&info, &answered))
}

fn judge(info: &MatchInfo, answered: &[Vec<Answered>]) -> Played {
    let result = info.result.clone().unwrap_or_default();
    let mut played = Played {
        matches: 1,
        decisions: result.decisions as usize,
        spoiled: usize::from(result.spoiled_by_referee),
        ..Played::default()
    };
    for (seat, answers) in result.seats.iter().zip(answered) {
        let took_us: BTreeMap<u32, u64> = answers
            .iter()
            .filter(|answer| answer.match_id == info.match_id)
            .map(|answer| (answer.request_id, answer.took_us))
            .collect();
        let who = format!("{} seat {}", info.match_id, seat.seat);
        if seat.forfeit() != FaultReason::Unspecified {
            let why = seat.forfeit();
            played.forfeited.push(format!("{who}: {why:?}"));
        }
        for fault in &seat.faults {
            let took_us = took_us.get(&fault.request_id);
            match fault.reason() {
                FaultReason::Late => {
                    // Who never read the request, or too late, was not prompt.
                    if let Some(took_us) = took_us.filter(|took_us| **took_us <= PROMPT_US) {
                        let late = format!("{who} request {}: {took_us} us", fault.request_id);
                        played.late.push(late);
                    }
                }
                other => played
                    .wrong
                    .push(format!("{who}: {other:?} {}", fault.detail)),
            }
        }
    }
    played
}

/// A connection to the desk, from an address that nobody attacks from.
fn client(server: SocketAddr) -> MatchServiceClient<tonic::transport::Channel> {
    let endpoint = Endpoint::from_shared(format!("http://{server}")).unwrap();
    let endpoint = endpoint.local_address(Some([127, 0, 0, 2].into()));
    MatchServiceClient::new(endpoint.connect_lazy())
}

/// Calls until the server takes the call.
async fn again<Q, A, F>(key: &Key, request: Q, call: impl Fn(Request<Q>) -> F) -> Result<A, String>
where
    Q: Clone,
    F: Future<Output = Result<tonic::Response<A>, Status>>,
{
    let mut tries = 0;
    loop {
        let mut request = Request::new(request.clone());
        let shown = key.0.parse().map_err(|_| "the key is no metadata")?;
        request.metadata_mut().insert("x-bridgemaster-key", shown);
        match call(request).await {
            Ok(answer) => return Ok(answer.into_inner()),
            Err(status) if tries < 20 && is_passing(&status) => tries += 1,
            Err(status) => return Err(format!("the desk refuses: {status}")),
        }
        sleep(PAUSE).await;
    }
}

fn is_passing(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::Unavailable | Code::ResourceExhausted | Code::Cancelled | Code::Unknown
    )
}

impl BotProcess {
    fn start() -> Self {
        let mut process = Command::new(env::current_exe().unwrap())
            .arg("fair-bot")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (tell, hear) = (process.stdin.take(), process.stdout.take());
        Self {
            process,
            tell: tell.unwrap(),
            hear: BufReader::new(hear.unwrap()).lines(),
        }
    }

    /// Plays one seat, which may take a while: what it answered.
    fn play(&mut self, line: &str) -> Result<Vec<Answered>, String> {
        let told = self.tell.write_all(line.as_bytes());
        told.map_err(|error| error.to_string())?;
        let mut answered = Vec::new();
        loop {
            let line = self.hear.next().ok_or("the bot ended")?;
            let line = line.map_err(|error| error.to_string())?;
            if line.is_empty() {
                return Ok(answered);
            }
            if let Some(why) = line.strip_prefix("! ") {
                return Err(format!("the bot gave up: {why}"));
            }
            answered.extend(Answered::read(&line));
        }
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
