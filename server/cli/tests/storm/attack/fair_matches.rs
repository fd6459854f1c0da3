//! Matches between fair bots, played one after the other at each of several tables while the attack
//! lasts.

use std::{
    env,
    io::{BufRead as _, BufReader, Lines, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, SystemTime},
};

use bridgemaster_games::GAME_IDS;
use bridgemaster_proto::v1::{ClockRules, TimeControl};
use tokio::time::{Instant, sleep};
use tonic::{Code, Request, Status};

use super::{
    fair_bot::{ADDRESS, BotLine, SeatToPlay},
    judging::{Played, PlayedMatch},
    target::Target,
};
use crate::kit::calls::{config, create_request, get_request, showing};

/// Seats of each match.
const SEATS: usize = 2;
/// Pause before a call to the match service is retried.
const PAUSE: Duration = Duration::from_millis(200);
/// A time control with a short time for a decision.
const CLOCK: ClockRules = ClockRules {
    time_control: Some(TimeControl::fischer(600_000, 500, 200)),
    startup_ms: Some(120_000),
    reconnect_ms: None,
    round_trip_credit_ms: None,
    referee_lag_limit_ms: None,
};

/// A bot's process.
struct BotProcess {
    process: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
}

/// Plays matches of all games in turn at one table, until `until`.
pub(crate) async fn play_at(table: usize, target: Target, key: String, until: Instant) -> Played {
    let mut played = Played::default();
    let start = || -> Vec<BotProcess> { (0..SEATS).map(|_| BotProcess::start()).collect() };
    let mut bots = start();
    let mut number = table;
    while Instant::now() < until {
        match play_one(number, &target, &key, &mut bots).await {
            Ok(one) => played.judge(&one),
            Err(problem) => {
                played.wrong.push(format!("table {table}: {problem}"));
                // The bots are restarted, since they may be in the middle of a match.
                bots = start();
            }
        }
        number += 1;
    }
    played
}

async fn play_one(
    number: usize,
    target: &Target,
    key: &str,
    bots: &mut Vec<BotProcess>,
) -> Result<PlayedMatch, String> {
    let client = || target.matches_from(ADDRESS);
    let game = GAME_IDS[number % GAME_IDS.len()];
    let request = create_request(config(game, SEATS as u32, CLOCK));
    let create = |call| async move { client().create_match(call).await };
    let made = retry(key, request, create).await?;
    let match_id = made.r#match.unwrap_or_default().match_id;
    let mut playing = Vec::new();
    for (mut bot, ticket) in bots.drain(..).zip(made.tickets) {
        let seat =
            SeatToPlay { target: target.to_words(), key: key.to_owned(), ticket: ticket.ticket };
        playing.push(tokio::task::spawn_blocking(move || (bot.play(&seat), bot)));
    }
    let mut said = Vec::new();
    for bot in playing {
        let (lines, bot) = bot.await.map_err(|error| error.to_string())?;
        bots.push(bot);
        said.push(lines?);
    }
    let ended_at = SystemTime::now();
    // Bots whose seats are forfeited leave before the match ends.
    let info = loop {
        let get = |call| async move { client().get_match(call).await };
        let info = retry(key, get_request(&match_id), get).await?;
        let info = info.r#match.unwrap_or_default();
        if info.result.is_some() {
            break info;
        }
        sleep(PAUSE).await;
    };
    Ok(PlayedMatch { info, said, ended_at })
}

/// Repeats a call until the server accepts it.
async fn retry<Q, A, F>(key: &str, request: Q, call: impl Fn(Request<Q>) -> F) -> Result<A, String>
where
    Q: Clone,
    F: Future<Output = Result<tonic::Response<A>, Status>>,
{
    let mut tries = 0;
    loop {
        match call(showing(request.clone(), "", key)).await {
            Ok(answer) => return Ok(answer.into_inner()),
            Err(status) if tries < 20 && is_passing(&status) => tries += 1,
            Err(status) => return Err(format!("the match service refused the call: {status}")),
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
        Self { process, stdin: stdin.unwrap(), stdout: BufReader::new(stdout.unwrap()).lines() }
    }

    /// Plays one seat, which may take a while, and returns the lines that the bot prints.
    fn play(&mut self, seat: &SeatToPlay) -> Result<Vec<BotLine>, String> {
        let line = serde_json::to_string(seat).unwrap();
        writeln!(self.stdin, "{line}").map_err(|error| error.to_string())?;
        let mut said = Vec::new();
        loop {
            let line = self.stdout.next().ok_or("the bot exited")?;
            let line = line.map_err(|error| error.to_string())?;
            match serde_json::from_str(&line)
                .map_err(|_| format!("the bot printed an invalid line: {line}"))?
            {
                BotLine::Ended => return Ok(said),
                BotLine::GaveUp(why) => return Err(format!("the bot gave up: {why}")),
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
