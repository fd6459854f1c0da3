//! Carries the checks of one bot out.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_games::{GAME_IDS, with_game};
use thiserror::Error;
use tokio::task::JoinSet;

use super::{
    arena::Arena,
    catalog::Check,
    checks::{Refused, carry_out, refuse_ticket, unknown_ticket},
    failure::{Stop, Verdict},
    limits::Times,
    report::{BotInfo, CheckReport, Outcome, Report},
};
use bridgemaster_bot_process::BotCommand;

/// Checks that are carried out at once: they wait more than they work, and a bot of its own clock
/// is not to be starved by the others.
const CHECKS_AT_ONCE: usize = 3;
/// Most times that a limit can be stretched.
const MAX_TIME_FACTOR: f64 = 1000.0;

/// What is to be checked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How the bot is started.
    pub command: BotCommand,
    /// Identifiers of the games; empty for those that the bot says it plays.
    pub games: Vec<String>,
    /// The checks; empty for all but [`Check::Attend`].
    pub only: Vec<Check>,
    /// Whether [`Check::Attend`] is carried out too.
    pub attends: bool,
    /// The factor by which everything may take longer than usual: above 0 and at most 1000. 1 is
    /// for a usual machine.
    pub time_factor: f64,
}

/// How far a run is.
#[derive(Clone, Debug)]
pub enum Progress<'a> {
    /// This many checks are to be carried out.
    Planned(usize),
    /// A check is done.
    Done(&'a CheckReport),
}

/// Why no report can be given.
#[derive(Debug, Error)]
pub enum CheckBotError {
    /// A game that there is not.
    #[error("{game:?} is no game; there are: {}", GAME_IDS.join(", "))]
    UnknownGame {
        /// What was given.
        game: String,
    },
    /// A factor out of range.
    #[error("the factor of the times is above 0 and at most {MAX_TIME_FACTOR}, not {factor}")]
    TimeFactor {
        /// What was given.
        factor: f64,
    },
    /// The bot plays none of the games that this server has.
    #[error("the bot plays {}, and none of these is here: {}", games.join(", "), GAME_IDS.join(", "))]
    NoGame {
        /// What its Hello names.
        games: Vec<String>,
    },
    /// A check could not be carried out.
    #[error("the check {check} cannot be carried out: {detail}")]
    Broken {
        /// Name of the check.
        check: &'static str,
        /// What happened.
        detail: String,
    },
}

/// A check with its match.
#[derive(Clone, Copy)]
struct Case {
    check: Check,
    game: &'static str,
    seats: u8,
}

/// Checks a bot, telling how far it is: three checks at once, each with a process of the bot of its
/// own.
///
/// # Errors
/// When the plan names a game that there is not or a factor out of range, when the bot plays no game
/// of this program, or when a check cannot be carried out. A bot that fails is no error: the report
/// has it.
pub async fn check_bot(
    plan: Plan,
    mut tell: impl FnMut(Progress<'_>),
) -> Result<Report, CheckBotError> {
    let start = Instant::now();
    if !(plan.time_factor > 0.0 && plan.time_factor <= MAX_TIME_FACTOR) {
        return Err(CheckBotError::TimeFactor {
            factor: plan.time_factor,
        });
    }
    let chosen = known_games(&plan.games)?;
    let words = plan.command.words();
    let command = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let arena = Arena::open(plan.command, Times::slower_by(plan.time_factor)).await;
    let arena = arena.map_err(|detail| CheckBotError::Broken {
        check: Check::UnknownTicket.name(),
        detail,
    });
    let arena = Arc::new(arena?);

    let first = FirstMeeting::with(&arena).await;
    let is_wanted = |check: Check| match check {
        Check::Attend if plan.attends => true,
        Check::Attend => plan.only.contains(&check),
        _ => plan.only.is_empty() || plan.only.contains(&check),
    };
    let games = match chosen.is_empty() {
        true => games_of(&first.bot)?,
        false => chosen,
    };
    // A bot that does not even come fails whatever was asked for, and nothing else is worth a try.
    let cases = match first.came {
        true => cases(&games, is_wanted),
        false => VecDeque::new(),
    };

    let mut checks = Vec::new();
    let probe = !first.came || is_wanted(Check::UnknownTicket);
    tell(Progress::Planned(cases.len() + usize::from(probe)));
    if probe {
        let case = Case {
            check: Check::UnknownTicket,
            game: "",
            seats: 0,
        };
        let report = case.report(first.verdict, first.duration)?;
        tell(Progress::Done(&report));
        checks.push(report);
    }
    checks.extend(carry_out_all(&arena, cases, tell).await?);
    Ok(Report {
        command,
        bot: first.bot,
        checks,
        duration: start.elapsed(),
    })
}

/// What a bot shows when it comes with a ticket that is refused.
struct FirstMeeting {
    bot: BotInfo,
    came: bool,
    verdict: Verdict<()>,
    duration: Duration,
}

impl FirstMeeting {
    async fn with(arena: &Arc<Arena>) -> Self {
        let start = Instant::now();
        let refused = refuse_ticket(arena).await;
        let duration = start.elapsed();
        match refused {
            Ok(refused) => Self {
                bot: info(&refused),
                came: true,
                verdict: unknown_ticket(&refused, arena),
                duration,
            },
            Err(stop) => Self {
                bot: BotInfo::default(),
                came: false,
                verdict: Err(stop),
                duration,
            },
        }
    }
}

/// Carries several cases out at a time; they are told of and given in their order.
async fn carry_out_all(
    arena: &Arc<Arena>,
    mut waiting: VecDeque<Case>,
    mut tell: impl FnMut(Progress<'_>),
) -> Result<Vec<CheckReport>, CheckBotError> {
    let mut done: Vec<Option<CheckReport>> = waiting.iter().map(|_| None).collect();
    let (mut next, mut told) = (0, 0);
    let mut running = JoinSet::new();
    loop {
        while running.len() < CHECKS_AT_ONCE
            && let Some(case) = waiting.pop_front()
        {
            let (number, arena) = (next, Arc::clone(arena));
            next += 1;
            running.spawn(async move {
                let start = Instant::now();
                let Case { check, game, seats } = case;
                let verdict = carry_out(check, &arena, game, seats).await;
                (number, case.report(verdict, start.elapsed()))
            });
        }
        let Some(joined) = running.join_next().await else {
            return Ok(done.into_iter().flatten().collect());
        };
        let (number, report) = joined.map_err(|error| CheckBotError::Broken {
            check: "of a task",
            detail: error.to_string(),
        })?;
        done[number] = Some(report?);
        while let Some(Some(report)) = done.get(told) {
            tell(Progress::Done(report));
            told += 1;
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
            Err(Stop::Failed(failure)) => Outcome::Failed(failure),
            Err(Stop::Skipped(reason)) => Outcome::Skipped { reason },
            Err(Stop::Broken(detail)) => {
                return Err(CheckBotError::Broken {
                    check: self.check.name(),
                    detail,
                });
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

/// The cases of the games: whole matches of all, every other check in a match of the first with
/// the fewest seats.
fn cases(games: &[&'static str], is_wanted: impl Fn(Check) -> bool) -> VecDeque<Case> {
    let mut cases = VecDeque::new();
    let checks = Check::ALL.iter().copied();
    for check in checks.filter(|check| *check != Check::UnknownTicket && is_wanted(*check)) {
        let whole = check == Check::WholeMatch;
        for &game in games.iter().take(if whole { games.len() } else { 1 }) {
            let seats = with_game!(game, G => G::SEATS).into_iter().flatten();
            let counts = seats.take(if whole { usize::MAX } else { 1 });
            cases.extend(counts.map(|seats| Case { check, game, seats }));
        }
    }
    cases
}

fn known_games(names: &[String]) -> Result<Vec<&'static str>, CheckBotError> {
    let unknown = |game: &String| CheckBotError::UnknownGame { game: game.clone() };
    names
        .iter()
        .map(|name| game_of(name).ok_or_else(|| unknown(name)))
        .collect()
}

fn games_of(bot: &BotInfo) -> Result<Vec<&'static str>, CheckBotError> {
    if bot.games.is_empty() {
        return Ok(GAME_IDS.to_vec());
    }
    let games: Vec<_> = bot.games.iter().filter_map(|name| game_of(name)).collect();
    match games.is_empty() {
        true => Err(CheckBotError::NoGame {
            games: bot.games.clone(),
        }),
        false => Ok(games),
    }
}

fn game_of(name: &str) -> Option<&'static str> {
    GAME_IDS.iter().copied().find(|id| *id == name)
}

fn info(refused: &Refused) -> BotInfo {
    BotInfo {
        name: refused.hello.bot_name.clone(),
        version: refused.hello.bot_version.clone(),
        games: refused.hello.games.clone(),
    }
}
