//! Matches between fair bots, one after the other at each of some tables, while the attack lasts.

use std::{
    env,
    io::{BufRead as _, BufReader, Lines, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, SystemTime},
};

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{
        ClockRules, CreateMatchRequest, GetMatchRequest, MatchConfig,
        match_service_client::MatchServiceClient,
    },
};
use tokio::time::{Instant, sleep};
use tonic::{Code, Request, Status};

use crate::{
    fair_bot::Said,
    judging::{Played, PlayedMatch},
    server_process::Key,
    target::Target,
};

/// Seats of each match.
const SEATS: usize = 2;
/// From where matches are made: 127.0.0.2, from which nobody attacks.
const ADDRESS: u8 = 2;
/// Pause before a call to the match service is made again.
const PAUSE: Duration = Duration::from_millis(200);

/// A bot's process.
struct BotProcess {
    process: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
}

/// Plays matches at one table, of all games in turn, until `until`.
pub(crate) async fn play_at(
    table: usize,
    target: Target,
    key: Key,
    cap_ms: u32,
    until: Instant,
) -> Played {
    let mut played = Played::default();
    let mut bots: Vec<BotProcess> = (0..SEATS).map(|_| BotProcess::start()).collect();
    let mut number = table;
    while Instant::now() < until {
        match play_one(number, &target, &key, cap_ms, &mut bots).await {
            Ok(one) => played.judge(&one),
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
    target: &Target,
    key: &Key,
    cap_ms: u32,
    bots: &mut Vec<BotProcess>,
) -> Result<PlayedMatch, String> {
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
    let client = || MatchServiceClient::new(target.channel_from(ADDRESS));
    let made = again(key, request, |call| async move {
        client().create_match(call).await
    });
    let made = made.await?;
    let match_id = made.r#match.unwrap_or_default().match_id;
    let mut playing = Vec::new();
    for (mut bot, ticket) in bots.drain(..).zip(made.tickets) {
        let [server, metrics, ca] = target.to_words();
        let line = format!("{server} {metrics} {ca} {} {}\n", key.0, ticket.ticket);
        let played = tokio::task::spawn_blocking(move || (bot.play(&line), bot));
        playing.push(played);
    }
    let mut said = Vec::new();
    for bot in playing {
        let (words, bot) = bot.await.map_err(|error| error.to_string())?;
        bots.push(bot);
        said.push(words?);
    }
    let ended_at = SystemTime::now();
    // Bots whose seats are forfeited leave before its end.
    let info = loop {
        let match_id = match_id.clone();
        let request = GetMatchRequest {
            match_id,
            ..GetMatchRequest::default()
        };
        let shown = again(key, request, |call| async move {
            client().get_match(call).await
        });
        let info = shown.await?.r#match.unwrap_or_default();
        if info.result.is_some() {
            break info;
        }
        sleep(PAUSE).await;
    };
    Ok(PlayedMatch {
        info,
        said,
        ended_at,
    })
}

/// Calls until the server takes the call.
async fn again<Q, A, F>(key: &Key, request: Q, call: impl Fn(Request<Q>) -> F) -> Result<A, String>
where
    Q: Clone,
    F: Future<Output = Result<tonic::Response<A>, Status>>,
{
    let mut tries = 0;
    loop {
        let shown = key.showing(request.clone());
        match call(shown.map_err(|error| error.to_string())?).await {
            Ok(answer) => return Ok(answer.into_inner()),
            Err(status) if tries < 20 && is_passing(&status) => tries += 1,
            Err(status) => return Err(format!("the match service refuses: {status}")),
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
        let (stdin, stdout) = (process.stdin.take(), process.stdout.take());
        Self {
            process,
            stdin: stdin.unwrap(),
            stdout: BufReader::new(stdout.unwrap()).lines(),
        }
    }

    /// Plays one seat, which may take a while: what it says of it.
    fn play(&mut self, line: &str) -> Result<Vec<Said>, String> {
        let written = self.stdin.write_all(line.as_bytes());
        written.map_err(|error| error.to_string())?;
        let mut said = Vec::new();
        loop {
            let line = self.stdout.next().ok_or("the bot ended")?;
            let line = line.map_err(|error| error.to_string())?;
            match Said::read(&line).ok_or_else(|| format!("the bot says: {line}"))? {
                Said::Ended => return Ok(said),
                Said::GaveUp(why) => return Err(format!("the bot gave up: {why}")),
                other => said.push(other),
            }
        }
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
