//! The spec of a contest, its parts, and their validation.

mod bots;
mod fork;
mod requirement;
mod rules;
mod test;
mod validate;

use bridgemaster_contest::schedule::BotNumber;
use bridgemaster_proto::v1::SeatClock;
use bridgemaster_replay::whole_file::FileMode;
use bridgemaster_replay::wire::time_control_to_wire;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

pub use self::{
    bots::{BotSpec, Player},
    fork::{ForkPoint, HiddenChance},
    requirement::{Comparison, Measure, Requirement},
    rules::{Clock, Cost, FaultCosts, House, MatchRules},
    test::{SequentialSpec, TestSpec},
};
use crate::memory_size::parse_memory_size;

/// Default confidence level for intervals and rank ranges.
const DEFAULT_LEVEL: f64 = 0.95;
/// Default name of the queue.
const DEFAULT_QUEUE: &str = "contest";
/// Default number of times that a bot is restarted within a match. One restart is enough for a
/// process that was killed from outside. A bot that crashes on a position would crash again.
const DEFAULT_RESTARTS: u32 = 1;

/// The spec of a contest: bots, pairings, match rules and test. It is the one definition of a
/// contest's options. A spec is read from a file or from flags, and is stored in the folder of the
/// contest. Fields that no single flag sets are combined from several flags by the command line.
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
/// assert!(spec.validate().is_ok());
/// ```
#[derive(Args, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContestSpec {
    /// The rules for each match.
    #[arg(skip)]
    #[serde(rename = "match")]
    pub rules: MatchRules,
    /// The bots. A bot's number is its index in this list, from 0.
    #[arg(skip)]
    pub bots: Vec<BotSpec>,
    /// The format, which determines the pairings.
    #[arg(skip = Format::Series)]
    pub format: Format,
    /// The test for the formats `series` and `candidate`; a sequential test by default. Other
    /// formats have a number of rounds instead of a test.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TestSpec>,
    /// Confidence level of intervals and rank ranges
    #[arg(long, value_name = "SHARE", default_value_t = DEFAULT_LEVEL, help_heading = "Verdict")]
    #[serde(default = "default_level")]
    pub level: f64,
    /// Treatment of matches in which a bot has a fault
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub faults: FaultCounting,
    /// Maximum restarts of a bot per match, 0 to 10 [default: 1; 0 with --faults fail]
    ///
    /// A bot is restarted when its process dies in a match.
    #[arg(long, value_name = "N")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restarts: Option<u32>,
    /// Requirement on the result, such as "elo>=0@95%" or "faults<=0" (repeatable)
    #[arg(long, value_name = "REQUIREMENT", help_heading = "Verdict")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<Requirement>,
    /// The source of the group seeds. Default: seeds derived from a random seed.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Seeds>,
    /// Gives each match its own random seed instead of the seed of its group. So bots cannot know
    /// chance results from earlier matches, but it takes many groups for luck to average out.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seeds_per_match: bool,
    /// Number of concurrent matches, 1 to 256. Default: the number of cores minus one; with
    /// `affinity`, as many matches as the cores allow.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// Queue on --server in which bots of NAME=@KEY wait [default: contest]
    #[arg(long, value_name = "NAME", help_heading = "Server")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Share seeds in match groups even if attending bots might remember matches
    #[arg(long, help_heading = "Server")]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trust_remote: bool,
    /// Let each bot process play many matches, each with its own seed
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reuse: bool,
    /// Memory limit of a bot, such as 512M or 2G [default: none]
    ///
    /// Limits the data memory of each process, and the total resident memory of a bot's processes.
    #[arg(long = "bot-memory", value_name = "SIZE", value_parser = parse_memory_size)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot_memory_bytes: Option<u64>,
    /// Pin each bot to its own core
    ///
    /// Without --concurrency, the number of concurrent matches is limited by the number of cores.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub affinity: bool,
    /// Permissions of replay files, in octal, such as 0640
    ///
    /// With 0640 the owner's group can list the folder and read the replays; with 0644 all users
    /// can. Other files of the folder are readable only by the current user.
    #[arg(long, value_name = "MODE", default_value = "0600")]
    #[serde(default, skip_serializing_if = "is_private")]
    pub replay_mode: FileMode,
    /// Bot files to watch for changes, such as "my_bot/**/*.py" (repeatable)
    ///
    /// The contest stops when a watched file changes. A bot's program and the files in its command
    /// are always watched. Files that a program imports or opens are not watched unless named here.
    #[arg(long, value_name = "GLOB")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bot_files: Vec<String>,
    /// Maximum size of the bots' stored standard error, such as 256M [default: 64M]
    ///
    /// The beginning and the end of each file are kept. If the candidate has a fault in a match,
    /// the files of that match are kept whole while the limit allows.
    #[arg(long = "max-output", value_name = "SIZE", value_parser = parse_memory_size)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_bytes: Option<u64>,
}

/// The pairing format of a contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Format {
    /// All bots play at one table, one bot per seat. A group consists of all rotations of the
    /// seating. The first bot is the candidate.
    Series,
    /// A candidate plays against benchmarks. A group has, for each benchmark, one match per seat:
    /// the candidate takes this seat, and the benchmark takes all other seats. All matches in a
    /// group have the same seed.
    Candidate {
        /// Name of the bot under test.
        candidate: String,
        /// Names of the benchmarks.
        against: Vec<String>,
    },
    /// In each round, every combination of bots that fills the seats plays one group, which
    /// consists of all rotations.
    RoundRobin {
        /// The number of rounds, 1 to 10000.
        rounds: u32,
    },
    /// In each round, the candidate plays against each other bot, which takes all other seats.
    Gauntlet {
        /// The candidate's name.
        candidate: String,
        /// The number of rounds, 1 to 10000.
        rounds: u32,
    },
    /// Each round pairs bots with similar scores that have met least often.
    Swiss {
        /// The number of rounds, 1 to 10000.
        rounds: u32,
    },
    /// Matches start from a position in a replay. A group is one match with fixed seats.
    Fork {
        /// The position to start from.
        from: ForkPoint,
        /// The bot in each seat, in seat order.
        seating: Vec<String>,
        /// Name of the bot under test.
        candidate: String,
        /// The number of matches.
        times: u32,
    },
}

/// The treatment of matches with a bot fault, which is anything from an illegal decision to a
/// crash, but not a resignation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum FaultCounting {
    /// Count these matches with the result of the referee
    #[default]
    Count,
    /// Exclude these matches and their match groups
    Exclude,
    /// Stop the contest at the first of these matches
    Fail,
}

/// The source from which the group seeds come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seeds {
    /// Each seed is derived from this seed and the group's number.
    From(String),
    /// One seed per group. The contest ends after the last seed. A group that has the same seed and
    /// seatings as an earlier group is skipped.
    Listed(Vec<String>),
}

fn is_private(mode: &FileMode) -> bool {
    *mode == FileMode::PRIVATE
}

fn default_level() -> f64 {
    DEFAULT_LEVEL
}

impl ContestSpec {
    /// Creates a spec; all other fields have their defaults.
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
            seeds_per_match: false,
            concurrency: None,
            queue: None,
            trust_remote: false,
            reuse: false,
            bot_memory_bytes: None,
            affinity: false,
            replay_mode: FileMode::PRIVATE,
            bot_files: Vec::new(),
            max_output_bytes: None,
        }
    }

    /// Returns the maximum number of restarts within a match after a bot's process died.
    pub fn restarts(&self) -> u32 {
        self.restarts.unwrap_or(match self.faults {
            // If every fault ends the contest, so does a crash.
            FaultCounting::Fail => 0,
            FaultCounting::Count | FaultCounting::Exclude => DEFAULT_RESTARTS,
        })
    }

    /// Returns the number of the bot with this name.
    pub fn bot_number(&self, name: &str) -> Option<BotNumber> {
        self.bots.iter().position(|bot| bot.name == name)
    }

    /// Returns the bot under test; `None` in a format without a candidate.
    pub fn candidate(&self) -> Option<BotNumber> {
        match &self.format {
            Format::Series => Some(0),
            Format::Candidate { candidate, .. }
            | Format::Gauntlet { candidate, .. }
            | Format::Fork { candidate, .. } => self.bot_number(candidate),
            Format::RoundRobin { .. } | Format::Swiss { .. } => None,
        }
    }

    /// Returns the numbers of the benchmarks in the `candidate` format; empty in other formats.
    pub fn benchmarks(&self) -> Vec<BotNumber> {
        match &self.format {
            Format::Candidate { against, .. } => {
                against.iter().filter_map(|name| self.bot_number(name)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the test, or the default test if none is set; `None` in a format with rounds.
    pub fn test(&self) -> Option<TestSpec> {
        match self.format {
            Format::Series | Format::Candidate { .. } => {
                Some(self.test.clone().unwrap_or_default())
            }
            _ => None,
        }
    }

    /// Returns whether a bot attends the contest's queue instead of being started.
    pub fn has_attending_bots(&self) -> bool {
        self.bots.iter().any(|bot| bot.attends.is_some())
    }

    /// Returns the time odds for a match with these bots, in seat order.
    pub fn seat_clocks(&self, seating: &[BotNumber]) -> Vec<SeatClock> {
        let bots = seating.iter().map(|bot| self.bots.get(*bot));
        let odds = (0..).zip(bots).filter_map(|(seat, bot)| {
            let time_control = bot?.time_control.map(time_control_to_wire)?;
            Some(SeatClock { seat, time_control: Some(time_control) })
        });
        odds.collect()
    }

    /// Returns the queue for attending bots.
    pub fn queue(&self) -> &str {
        self.queue.as_deref().unwrap_or(DEFAULT_QUEUE)
    }

    /// Returns whether each match has its own seed in a group with these bots.
    pub fn has_own_seeds(&self, seating: &[BotNumber]) -> bool {
        let mut seated = seating.iter().filter_map(|bot| self.bots.get(*bot));
        self.seeds_per_match || seated.any(|bot| self.may_remember(bot))
    }

    /// Returns whether matches have their own seeds because some bot might remember earlier
    /// matches.
    pub fn has_bots_with_own_seeds(&self) -> bool {
        !self.seeds_per_match && self.bots.iter().any(|bot| self.may_remember(bot))
    }

    /// Returns whether one process of the bot plays several matches, and might thus remember
    /// earlier matches.
    fn may_remember(&self, bot: &BotSpec) -> bool {
        match bot.attends {
            Some(_) => !self.trust_remote,
            None => self.reuse && bot.command.is_some(),
        }
    }

    /// Returns whether a bot with a command might know the chance results of a match from an
    /// earlier one, for example from files that it has written outside its private folders.
    pub fn repeats_chance(&self) -> bool {
        let repeats = match &self.format {
            Format::Fork { from, .. } => from.chance == HiddenChance::Keep,
            _ => !self.seeds_per_match && !self.reuse,
        };
        repeats && self.bots.iter().any(|bot| bot.command.is_some())
    }

    /// Returns the number of matches in a group. A group's score is the mean score of its matches.
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
    use crate::samples_for_tests::spec;

    #[test]
    fn a_dead_bot_is_restarted_once_unless_faults_end_the_contest() {
        let asked = |faults, restarts| {
            ContestSpec { faults, restarts, ..spec(TestSpec::default()) }.restarts()
        };
        assert_eq!(asked(FaultCounting::Count, None), 1);
        assert_eq!(asked(FaultCounting::Exclude, None), 1);
        assert_eq!(asked(FaultCounting::Fail, None), 0);
        assert_eq!(asked(FaultCounting::Fail, Some(2)), 2);
        assert_eq!(asked(FaultCounting::Count, Some(0)), 0);
    }

    #[test]
    fn a_match_with_an_untrusted_attending_bot_has_its_own_seed() {
        let mut spec = spec(TestSpec::default());
        spec.bots.push(BotSpec::attending("far", "ada"));
        assert!(!spec.has_own_seeds(&[0, 1]));
        assert!(spec.has_own_seeds(&[0, 2]));
        spec.trust_remote = true;
        assert!(!spec.has_own_seeds(&[0, 2]));
        spec.seeds_per_match = true;
        assert!(spec.has_own_seeds(&[0, 1]));
    }

    #[test]
    fn a_match_with_a_reused_process_has_its_own_seed() {
        let mut spec = spec(TestSpec::default());
        spec.bots.push(BotSpec::from_command("mine", "./bot"));
        assert!(!spec.has_own_seeds(&[0, 2]) && !spec.has_bots_with_own_seeds());
        spec.reuse = true;
        assert!(spec.has_own_seeds(&[0, 2]) && spec.has_bots_with_own_seeds());
        assert!(!spec.has_own_seeds(&[0, 1]), "built-in bots remember nothing");
    }
}
