//! What a contest is to be.

mod bots;
mod fork;
mod requirement;
mod rules;
mod test;

use std::collections::HashSet;

use bridgemaster_contest::schedule::BotNumber;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::SeatClock;
use serde::{Deserialize, Serialize};

pub use self::{
    bots::{BotSpec, Player},
    fork::{ForkPoint, OtherChance},
    requirement::{Comparison, Measure, Requirement},
    rules::{Clock, Cost, FaultCosts, House, MatchRules, Odds},
    test::{Bounds, TestSpec},
};
use crate::SpecError;

/// Confidence of intervals and rank ranges, unless the spec says otherwise.
const DEFAULT_LEVEL: f64 = 0.95;
/// The queue of a contest that names none.
const DEFAULT_QUEUE: &str = "contest";
/// Most bots of a contest: a round-robin at six seats has a table for each set of six.
const MOST_BOTS: usize = 100;
/// Least memory that a bot can be given, in bytes: with less no program starts.
const LEAST_BOT_MEMORY_BYTES: u64 = 1024 * 1024;
/// Most matches at once. Each has a process for each seat.
const MOST_CONCURRENT_MATCHES: u32 = 256;

/// A contest: who plays what against whom, and what is to be decided. It is read from a file or
/// made from flags, and kept in the folder of the contest.
///
/// ```
/// # use bridgemaster_runner::ContestSpec;
/// let spec: ContestSpec = serde_json::from_str(r#"{
///     "match": { "game": "carcassonne", "seats": 2 },
///     "bots": [
///         { "name": "mine", "command": "python3 bot.py" },
///         { "name": "greedy" }
///     ],
///     "format": { "kind": "candidate", "candidate": "mine", "against": ["greedy"] }
/// }"#).unwrap();
/// assert!(spec.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContestSpec {
    /// The rules of each match.
    #[serde(rename = "match")]
    pub rules: MatchRules,
    /// The bots. Their numbers are their places in this list, from 0.
    pub bots: Vec<BotSpec>,
    /// Who meets whom.
    pub format: Format,
    /// What is to be decided, and when: for the formats `series` and `candidate`, which take a
    /// sequential test when nothing is given. The others have their number of rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TestSpec>,
    /// Confidence of intervals and rank ranges: above 0.5 and below 1.
    #[serde(default = "default_level")]
    pub level: f64,
    /// What becomes of matches in which a bot had a fault.
    #[serde(default)]
    pub faults: FaultCounting,
    /// What must hold at the end beside the verdict, such as `elo>=0@95%`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<Requirement>,
    /// Where the seeds of the groups come from; drawn for the contest when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Seeds>,
    /// Matches at once, 1 to 256; by the number of cores when not given, with `affinity` as many as
    /// there are cores for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// The queue that bots attend which are not started: 1 to 64 of `a` to `z`, `0` to `9`, `.`,
    /// `_` and `-`; `contest` when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Whether bots that attend play all matches of a group with one seed, as bots that are started
    /// anew for each match do. They may remember what they saw, so otherwise each match with one of
    /// them has a seed of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trust_remote: bool,
    /// Memory that a bot which is started may have, in bytes: each of its processes for its data,
    /// and all of them together for what they hold. At least 1 MiB; no limit when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot_memory_bytes: Option<u64>,
    /// Whether each bot that is started has a core of its own, which no other bot of the contest
    /// runs on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub affinity: bool,
}

/// Who meets whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Format {
    /// All bots at one table, as many as seats. A group is all rotations of them; the verdict is
    /// about the first bot.
    Series,
    /// A candidate against benchmarks. A group is, for each benchmark, the candidate in each seat
    /// and the benchmark in all others, all with one seed.
    Candidate {
        /// The bot that is judged.
        candidate: String,
        /// The bots that it is measured by.
        against: Vec<String>,
    },
    /// Every set of as many bots as there are seats meets, in a group of all rotations, as often
    /// as there are rounds.
    RoundRobin {
        /// Rounds.
        rounds: u32,
    },
    /// One bot meets each other one, which takes all other seats, in each round.
    Gauntlet {
        /// The bot that meets all others.
        candidate: String,
        /// Rounds.
        rounds: u32,
    },
    /// In each round bots with about the same score meet that have met least.
    Swiss {
        /// Rounds.
        rounds: u32,
    },
    /// A position of a replay is played on. A group is one match, whose bots have fixed seats; the
    /// table is about them, and the candidate is the first that was put in.
    Fork {
        /// The position.
        from: ForkPoint,
        /// The bot of each seat, in seat order.
        seating: Vec<String>,
        /// The bot that is judged.
        candidate: String,
        /// How often it is played on.
        times: u32,
    },
}

/// What becomes of matches in which a bot had a fault: anything from an illegal decision to a
/// crash, but not that it resigned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultCounting {
    /// They count as the referee has decided: who forfeits comes last.
    #[default]
    Count,
    /// Their group does not count, and is not played again.
    Exclude,
    /// The contest ends with the first.
    Fail,
}

/// Where the seeds of the groups come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seeds {
    /// Each follows from this one and the number of the group.
    From(String),
    /// These, one for each group; the contest ends with the last. A group that would repeat an
    /// earlier one, seed and seatings alike, is left out.
    Listed(Vec<String>),
}

fn default_level() -> f64 {
    DEFAULT_LEVEL
}

impl ContestSpec {
    /// A contest of which nothing more is said: everything else has its default.
    #[must_use]
    pub fn new(rules: MatchRules, bots: Vec<BotSpec>, format: Format) -> Self {
        Self {
            rules,
            bots,
            format,
            test: None,
            level: DEFAULT_LEVEL,
            faults: FaultCounting::default(),
            require: Vec::new(),
            seeds: None,
            concurrency: None,
            queue: None,
            trust_remote: false,
            bot_memory_bytes: None,
            affinity: false,
        }
    }

    /// The number of the bot of this name.
    #[must_use]
    pub fn bot_number(&self, name: &str) -> Option<BotNumber> {
        self.bots.iter().position(|bot| bot.name == name)
    }

    /// The bot that the verdict is about; none in a format that has a table only.
    #[must_use]
    pub fn candidate(&self) -> Option<BotNumber> {
        match &self.format {
            Format::Series => Some(0),
            Format::Candidate { candidate, .. }
            | Format::Gauntlet { candidate, .. }
            | Format::Fork { candidate, .. } => self.bot_number(candidate),
            Format::RoundRobin { .. } | Format::Swiss { .. } => None,
        }
    }

    /// The benchmarks of the format `candidate`, by their numbers; empty in others.
    #[must_use]
    pub fn benchmarks(&self) -> Vec<BotNumber> {
        match &self.format {
            Format::Candidate { against, .. } => against
                .iter()
                .filter_map(|name| self.bot_number(name))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The test, the default filled in; none in a format that has rounds.
    #[must_use]
    pub fn test(&self) -> Option<TestSpec> {
        match self.format {
            Format::Series | Format::Candidate { .. } => {
                Some(self.test.clone().unwrap_or_default())
            }
            _ => None,
        }
    }

    /// Whether a bot is not started, and attends the queue of the contest.
    #[must_use]
    pub fn has_attending_bots(&self) -> bool {
        self.bots.iter().any(|bot| bot.attends.is_some())
    }

    /// How the clocks of the seats differ in a match with these bots, seat by seat.
    #[must_use]
    pub fn seat_clocks(&self, seating: &[BotNumber]) -> Vec<SeatClock> {
        let bots = seating.iter().map(|bot| self.bots.get(*bot));
        let odds = (0..).zip(bots).filter_map(|(seat, bot)| {
            let odds = bot?.clock;
            (!odds.is_even()).then(|| SeatClock {
                seat,
                odds: Some(odds.into()),
            })
        });
        odds.collect()
    }

    /// The queue that bots attend which are not started.
    #[must_use]
    pub fn queue(&self) -> &str {
        self.queue.as_deref().unwrap_or(DEFAULT_QUEUE)
    }

    /// Whether each match of a group with these bots has a seed of its own.
    #[must_use]
    pub fn has_own_seeds(&self, seating: &[BotNumber]) -> bool {
        let attends =
            |bot: &BotNumber| self.bots.get(*bot).is_some_and(|bot| bot.attends.is_some());
        !self.trust_remote && seating.iter().any(attends)
    }

    /// Matches of a group whose mean score is the score of the group.
    #[must_use]
    pub fn matches_per_group(&self) -> u32 {
        let tables = match &self.format {
            Format::Candidate { against, .. } => u32::try_from(against.len()).unwrap_or(u32::MAX),
            Format::Fork { .. } => return 1,
            _ => 1,
        };
        tables.saturating_mul(self.rules.seats.into())
    }

    /// Whether the contest can be played.
    ///
    /// # Errors
    /// [`SpecError`] for the first entry that makes no sense.
    pub fn check(&self) -> Result<(), SpecError> {
        self.rules.check()?;
        self.check_bots()?;
        self.check_format()?;
        match (&self.test, self.test()) {
            (Some(_), None) => {
                return Err(SpecError::Test(
                    "this format has a number of rounds and no test; leave `test` out".to_owned(),
                ));
            }
            (_, Some(test)) => test.check(self.rules.seats, self.matches_per_group())?,
            (None, None) => {}
        }
        let out_of_range = |field, value: String, valid| {
            Err(SpecError::OutOfRange {
                field,
                value,
                valid,
            })
        };
        if !(self.level > 0.5 && self.level < 1.0) {
            return out_of_range("level", self.level.to_string(), "above 0.5 and below 1");
        }
        if let Some(concurrency) = self.concurrency
            && !(1..=MOST_CONCURRENT_MATCHES).contains(&concurrency)
        {
            return out_of_range("concurrency", concurrency.to_string(), "1 to 256");
        }
        if let Some(bytes) = self.bot_memory_bytes
            && bytes < LEAST_BOT_MEMORY_BYTES
        {
            let valid = "1048576 (1 MiB) or more";
            return out_of_range("bot_memory_bytes", bytes.to_string(), valid);
        }
        for requirement in &self.require {
            let is_bot = |name: &str| self.bot_number(name).is_some();
            requirement.check(is_bot, self.candidate().is_some())?;
        }
        self.check_seeds()
    }

    fn check_bots(&self) -> Result<(), SpecError> {
        // Where a match is played on, one bot may have all seats.
        let least = match self.format {
            Format::Fork { .. } => 1,
            _ => 2,
        };
        if !(least..=MOST_BOTS).contains(&self.bots.len()) {
            return Err(SpecError::OutOfRange {
                field: "the number of bots",
                value: self.bots.len().to_string(),
                valid: "2 to 100",
            });
        }
        let mut names = HashSet::new();
        for bot in &self.bots {
            bot.check()?;
            if !names.insert(&bot.name) {
                return Err(SpecError::Bot {
                    bot: bot.name.clone(),
                    problem: "two bots have this name; give each its own".to_owned(),
                });
            }
        }
        Ok(())
    }

    fn check_format(&self) -> Result<(), SpecError> {
        let problem = |text: String| Err(SpecError::Format(text));
        let known = |name: &String| {
            let names = self.bots.iter().map(|bot| bot.name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            self.bot_number(name)
                .ok_or_else(|| SpecError::Format(format!("there is no bot {name:?}, only {names}")))
        };
        let (bots, seats) = (self.bots.len(), usize::from(self.rules.seats));
        match &self.format {
            Format::Series if bots != seats => problem(format!(
                "a series has one bot for each seat, and there are {bots} bots and {seats} seats"
            )),
            Format::Series => Ok(()),
            Format::Candidate { candidate, against } => {
                let number = known(candidate)?;
                let mut met = HashSet::new();
                for name in against {
                    let other = known(name)?;
                    if other == number || !met.insert(other) {
                        return problem(format!(
                            "against: {name:?} is the candidate, or named twice"
                        ));
                    }
                }
                match met.len() + 1 {
                    1 => problem("against: name one benchmark at least".to_owned()),
                    playing if playing < bots => problem(
                        "a bot is neither the candidate nor a benchmark; name all others in \
                         `against`, or leave it out"
                            .to_owned(),
                    ),
                    _ => Ok(()),
                }
            }
            Format::RoundRobin { rounds } => {
                check_rounds(*rounds)?;
                self.check_table(bots, seats)
            }
            Format::Gauntlet { candidate, rounds } => {
                known(candidate)?;
                check_rounds(*rounds)
            }
            Format::Swiss { rounds } => {
                check_rounds(*rounds)?;
                self.check_table(bots, seats)
            }
            Format::Fork {
                from,
                seating,
                candidate,
                times,
            } => {
                known(candidate)?;
                for name in seating {
                    known(name)?;
                }
                if seating.len() != seats {
                    let given = seating.len();
                    return problem(format!(
                        "{given} bots have seats, and there are {seats} seats"
                    ));
                }
                check_rounds(*times)?;
                from.check(seats)
            }
        }
    }

    fn check_table(&self, bots: usize, seats: usize) -> Result<(), SpecError> {
        if bots < seats {
            return Err(SpecError::Format(format!(
                "this format needs as many bots as seats at least, and there are {bots} bots and \
                 {seats} seats"
            )));
        }
        Ok(())
    }

    fn check_seeds(&self) -> Result<(), SpecError> {
        let seeds = match &self.seeds {
            None => return Ok(()),
            Some(Seeds::From(seed)) => std::slice::from_ref(seed),
            Some(Seeds::Listed(seeds)) if seeds.is_empty() => {
                return Err(SpecError::Seeds("none is listed".to_owned()));
            }
            Some(Seeds::Listed(seeds)) => seeds,
        };
        for seed in seeds {
            seed.parse::<Seed>()
                .map_err(|error| SpecError::Seeds(format!("{seed:?}: {error}")))?;
        }
        Ok(())
    }
}

fn check_rounds(rounds: u32) -> Result<(), SpecError> {
    match rounds {
        1..=10_000 => Ok(()),
        _ => Err(SpecError::OutOfRange {
            field: "format.rounds",
            value: rounds.to_string(),
            valid: "1 to 10000",
        }),
    }
}
