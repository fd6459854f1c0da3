//! Runs a bot's checks.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_games::{GAME_IDS, with_game};
use bridgemaster_proto::v1::Hello;
use thiserror::Error;
use tokio::task::JoinSet;

use super::{
    catalog::Check,
    checks::{run_check, unknown_ticket},
    environment::CheckEnvironment,
    match_settings::TimeLimits,
    report::{BotInfo, CheckReport, Outcome, Report, StopReason, Verdict},
};
use bridgemaster_bot_process::BotCommand;

/// The number of concurrent checks. Most checks spend their time waiting, but more concurrent
/// checks could delay the clock checks.
const CONCURRENT_CHECKS: usize = 3;
/// The maximum factor for time limits.
const MAX_TIME_FACTOR: f64 = 1000.0;

/// The bot to check and the checks to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The command that starts the bot.
    pub command: BotCommand,
    /// Identifiers of the games to play; if empty, the games that the bot's Hello lists.
    pub games: Vec<String>,
    /// The checks to run; if empty, all but [`Check::Attend`].
    pub only: Vec<Check>,
    /// True to run [`Check::Attend`] as well, for a bot that attends queues.
    pub attends: bool,
    /// The factor for all time limits: above 0, at most 1000, and 1 by default.
    pub time_factor: f64,
}

/// The progress of a run.
#[derive(Clone, Debug)]
pub enum Progress<'a> {
    /// The number of checks to run has been determined.
    Planned(usize),
    /// A check has finished.
    Done(&'a CheckReport),
}

/// An error that prevents a report.
#[derive(Debug, Error)]
pub enum CheckBotError {
    /// A requested game is unknown.
    #[error("unknown game {game:?}; known games: {}", GAME_IDS.join(", "))]
    UnknownGame {
        /// The game identifier that was requested.
        game: String,
    },
    /// The time factor is out of range.
    #[error("time factor: {factor} is out of range (above 0, at most {MAX_TIME_FACTOR})")]
    TimeFactor {
        /// The factor that was requested.
        factor: f64,
    },
    /// The bot plays none of the known games.
    #[error("the bot plays only {}; known games: {}", games.join(", "), GAME_IDS.join(", "))]
    NoGame {
        /// The games that the bot's Hello lists.
        games: Vec<String>,
    },
    /// A check could not be run.
    #[error("cannot run the check {check}: {detail}")]
    Broken {
        /// The check's stable name.
        check: &'static str,
        /// Description of the problem.
        detail: String,
    },
}

/// A check to run, with its game and number of seats.
#[derive(Clone, Copy)]
struct Case {
    check: Check,
    game: &'static str,
    seats: u8,
}

/// Checks a bot. Runs three checks at a time, each with a separate bot process. Calls `on_progress`
/// after each check.
///
/// # Errors
/// Returns an error if a game is unknown, the time factor is out of range, the bot plays no known
/// game, or a check cannot be run. A failed check is part of the report, not an error.
pub async fn check_bot(
    plan: Plan,
    mut on_progress: impl FnMut(Progress<'_>),
) -> Result<Report, CheckBotError> {
    let start = Instant::now();
    if !(plan.time_factor > 0.0 && plan.time_factor <= MAX_TIME_FACTOR) {
        return Err(CheckBotError::TimeFactor { factor: plan.time_factor });
    }
    let chosen = parse_games(&plan.games)?;
    let words = plan.command.command_line();
    let command = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let environment = CheckEnvironment::open(plan.command, TimeLimits::new(plan.time_factor)).await;
    let environment = environment
        .map_err(|detail| CheckBotError::Broken { check: Check::UnknownTicket.name(), detail });
    let environment = Arc::new(environment?);

    let first_start = Instant::now();
    let (hello, verdict) = unknown_ticket(&environment).await;
    let duration = first_start.elapsed();
    let connected = hello.is_some();
    let bot = hello.map(BotInfo::from).unwrap_or_default();
    let is_selected = |check| is_selected(check, &plan.only, plan.attends);
    let games = if chosen.is_empty() { games_of(&bot)? } else { chosen };
    // If the bot does not connect, no further checks are run.
    let cases = connected.then(|| plan_cases(&games, is_selected));
    let cases = cases.unwrap_or_default();

    let mut checks = Vec::new();
    let probe = !connected || is_selected(Check::UnknownTicket);
    on_progress(Progress::Planned(cases.len() + usize::from(probe)));
    if probe {
        let case = Case { check: Check::UnknownTicket, game: "", seats: 0 };
        let report = case.report(verdict, duration)?;
        on_progress(Progress::Done(&report));
        checks.push(report);
    }
    checks.extend(run_all(&environment, cases, on_progress).await?);
    Ok(Report {
        command,
        bot,
        isolation: environment.isolation(),
        checks,
        duration: start.elapsed(),
    })
}

/// Returns true if a run includes `check`: with an empty `only`, all checks but `attend`, which
/// only bots that attend queues can pass.
fn is_selected(check: Check, only: &[Check], attends: bool) -> bool {
    match check {
        Check::Attend if attends => true,
        Check::Attend => only.contains(&check),
        _ => only.is_empty() || only.contains(&check),
    }
}

/// Runs several cases concurrently and reports progress. Returns the results in the same order as
/// the cases.
async fn run_all(
    environment: &Arc<CheckEnvironment>,
    mut waiting: VecDeque<Case>,
    mut on_progress: impl FnMut(Progress<'_>),
) -> Result<Vec<CheckReport>, CheckBotError> {
    let mut done: Vec<Option<CheckReport>> = waiting.iter().map(|_| None).collect();
    let (mut next, mut reported) = (0, 0);
    let mut running = JoinSet::new();
    loop {
        while running.len() < CONCURRENT_CHECKS
            && let Some(case) = waiting.pop_front()
        {
            let (number, environment) = (next, Arc::clone(environment));
            next += 1;
            running.spawn(async move {
                let start = Instant::now();
                let Case { check, game, seats } = case;
                let verdict = run_check(check, &environment, game, seats).await;
                (number, case.report(verdict, start.elapsed()))
            });
        }
        let Some(joined) = running.join_next().await else {
            return Ok(done.into_iter().flatten().collect());
        };
        let (number, report) = joined
            .map_err(|error| CheckBotError::Broken { check: "task", detail: error.to_string() })?;
        done[number] = Some(report?);
        while let Some(Some(report)) = done.get(reported) {
            on_progress(Progress::Done(report));
            reported += 1;
        }
    }
}

impl Case {
    fn report(
        self,
        verdict: Verdict<()>,
        duration: Duration,
    ) -> Result<CheckReport, CheckBotError> {
        let outcome = match verdict {
            Ok(()) => Outcome::Passed,
            Err(StopReason::Failed(failure)) => Outcome::Failed(failure),
            Err(StopReason::Skipped(reason)) => Outcome::Skipped { reason },
            Err(StopReason::Broken(detail)) => {
                return Err(CheckBotError::Broken { check: self.check.name(), detail });
            }
        };
        Ok(CheckReport {
            name: self.check.name(),
            game: self.game,
            seats: self.seats,
            proves: self.check.proves(),
            outcome,
            duration,
        })
    }
}

/// Returns the cases: a whole match for each game and number of seats. Every other check uses one
/// match of the first game, with the smallest number of seats.
fn plan_cases(games: &[&'static str], is_selected: impl Fn(Check) -> bool) -> VecDeque<Case> {
    let mut cases = VecDeque::new();
    let checks = Check::ALL.iter().copied();
    for check in checks.filter(|check| *check != Check::UnknownTicket && is_selected(*check)) {
        let whole = check == Check::WholeMatch;
        for &game in games.iter().take(if whole { games.len() } else { 1 }) {
            let seats = with_game!(game, G => G::SEATS).into_iter().flatten();
            let counts = seats.take(if whole { usize::MAX } else { 1 });
            cases.extend(counts.map(|seats| Case { check, game, seats }));
        }
    }
    cases
}

fn parse_games(names: &[String]) -> Result<Vec<&'static str>, CheckBotError> {
    let unknown = |game: &String| CheckBotError::UnknownGame { game: game.clone() };
    names.iter().map(|name| find_game(name).ok_or_else(|| unknown(name))).collect()
}

fn games_of(bot: &BotInfo) -> Result<Vec<&'static str>, CheckBotError> {
    if bot.games.is_empty() {
        return Ok(GAME_IDS.to_vec());
    }
    let games: Vec<_> = bot.games.iter().filter_map(|name| find_game(name)).collect();
    if games.is_empty() {
        return Err(CheckBotError::NoGame { games: bot.games.clone() });
    }
    Ok(games)
}

fn find_game(name: &str) -> Option<&'static str> {
    GAME_IDS.iter().copied().find(|id| *id == name)
}

impl From<Hello> for BotInfo {
    fn from(hello: Hello) -> Self {
        Self { name: hello.bot_name, version: hello.bot_version, games: hello.games }
    }
}
