//! What a contest is to be.

mod bots;
mod check;
mod fork;
mod requirement;
mod rules;
mod test;

use bridgemaster_contest::schedule::BotNumber;
use bridgemaster_proto::v1::SeatClock;
use serde::{Deserialize, Serialize};

pub use self::{
    bots::{BotSpec, Player},
    fork::{ForkPoint, OtherChance},
    requirement::{Comparison, Measure, Requirement},
    rules::{Clock, Cost, FaultCosts, House, MatchRules, Odds},
    test::{Bounds, TestSpec},
};

/// Confidence of intervals and rank ranges, unless the spec says otherwise.
const DEFAULT_LEVEL: f64 = 0.95;
/// The queue of a contest that names none.
const DEFAULT_QUEUE: &str = "contest";
/// How often a bot that dies is started again within a match, unless the spec says otherwise: a
/// kill from outside is an accident, and a bot that a position kills dies there again.
const DEFAULT_RESTARTS: u32 = 1;

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
    /// How often a bot is started again within a match when its process has died, 0 to 10. When
    /// not given once, and never where a fault ends the contest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restarts: Option<u32>,
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
            restarts: None,
            require: Vec::new(),
            seeds: None,
            concurrency: None,
            queue: None,
            trust_remote: false,
            bot_memory_bytes: None,
            affinity: false,
        }
    }

    /// How often a bot is started again within a match when its process has died.
    #[must_use]
    pub fn restarts(&self) -> u32 {
        self.restarts.unwrap_or(match self.faults {
            // Who wants to hear of every fault wants to hear of a crash.
            FaultCounting::Fail => 0,
            FaultCounting::Count | FaultCounting::Exclude => DEFAULT_RESTARTS,
        })
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::spec;

    #[test]
    fn a_bot_that_dies_is_started_again_once_unless_a_fault_ends_the_contest() {
        let asked = |faults, restarts| {
            ContestSpec {
                faults,
                restarts,
                ..spec(TestSpec::default())
            }
            .restarts()
        };
        assert_eq!(asked(FaultCounting::Count, None), 1);
        assert_eq!(asked(FaultCounting::Exclude, None), 1);
        assert_eq!(asked(FaultCounting::Fail, None), 0);
        assert_eq!(asked(FaultCounting::Fail, Some(2)), 2);
        assert_eq!(asked(FaultCounting::Count, Some(0)), 0);
    }

    #[test]
    fn a_match_with_a_bot_that_attends_has_a_seed_of_its_own_unless_it_is_trusted() {
        let mut spec = spec(TestSpec::default());
        spec.bots.push(BotSpec::of_attending("far", "ada"));
        assert!(!spec.has_own_seeds(&[0, 1]));
        assert!(spec.has_own_seeds(&[0, 2]));
        spec.trust_remote = true;
        assert!(!spec.has_own_seeds(&[0, 2]));
    }
}
