//! What a contest is, from flags or from a file.

use std::path::{Path, PathBuf};

use bridgemaster_bots::NAMES;
use bridgemaster_runner::{
    BotSpec, Bounds, ContestSpec, FaultCounting, Format, MatchRules, Requirement, Seeds, TestSpec,
};
use clap::{Args, ValueEnum};

use crate::{
    failure::misuse,
    input_file,
    match_flags::{ClockOf, MatchFlags},
};

/// Most bytes of a contest file, options of games included.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;
/// Most bytes of a file of seeds: a million of the longest take 65 MB.
const MAX_SEEDS_BYTES: u64 = 128 * 1024 * 1024;

/// The flags, and groups of flags, that say what a contest is, where neither a file nor a folder
/// does.
pub(super) const WHAT_A_CONTEST_IS: [&str; 30] = [
    "bots",
    "candidate",
    "against",
    "format",
    "rounds",
    "elo",
    "nelo",
    "alpha",
    "beta",
    "test",
    "groups",
    "max_groups",
    "level",
    "require",
    "faults",
    "restarts",
    "seeds",
    "bot_memory",
    "affinity",
    "clock_of",
    "queue",
    "trust_remote",
    "rules_version",
    "game",
    "seats",
    "seed",
    "ask_forced",
    "GameOptions",
    "ClockFlags",
    "FaultFlags",
];

#[derive(Args)]
pub(super) struct SpecFlags {
    /// Read the contest from this TOML file, as docs/contest.md describes it, instead of from flags
    #[arg(long, value_name = "FILE", conflicts_with_all = WHAT_A_CONTEST_IS)]
    config: Option<PathBuf>,
    /// A bot: NAME=COMMAND, or the name of a built-in one such as greedy or greedy@1, or NAME=@KEY
    /// for one that attends --queue by the name of its API key; can be repeated
    #[arg(long = "bot", value_name = "BOT")]
    bots: Vec<String>,
    /// Give a bot another clock than the match, in whatever seat it sits (time odds); can be repeated
    #[arg(long, value_name = "BOT=bank_ms:MS,increment_ms:MS,cap_ms:MS")]
    clock_of: Vec<ClockOf>,
    /// The bot that is judged [default: the first]
    #[arg(long, value_name = "NAME")]
    candidate: Option<String>,
    /// The bots that it is measured by, separated by commas [default: all others]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    against: Vec<String>,
    /// Who meets whom
    #[arg(long, value_enum, default_value_t = FormatFlag::Candidate)]
    format: FormatFlag,
    /// Rounds of round-robin, gauntlet and swiss
    #[arg(long, value_name = "N", default_value_t = 10)]
    rounds: u32,
    /// Reject a candidate that is no better than LOWER Elo, accept one that is better by UPPER
    /// [default: 0,50]
    #[arg(
        long,
        value_name = "LOWER,UPPER",
        value_delimiter = ',',
        allow_negative_numbers = true,
        help_heading = "Verdict"
    )]
    elo: Vec<f64>,
    /// The same in normalised Elo, which takes the same number of groups for every game
    #[arg(
        long,
        value_name = "LOWER,UPPER",
        value_delimiter = ',',
        allow_negative_numbers = true,
        conflicts_with = "elo",
        help_heading = "Verdict"
    )]
    nelo: Vec<f64>,
    /// Share of candidates at LOWER that may be accepted
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.05,
        help_heading = "Verdict"
    )]
    alpha: f64,
    /// Share of candidates at UPPER that may be rejected
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.05,
        help_heading = "Verdict"
    )]
    beta: f64,
    /// The test; pentanomial is the one of chess programmers, for pairs at two seats
    #[arg(long, value_enum, default_value_t = TestFlag::Sequential, help_heading = "Verdict")]
    test: TestFlag,
    /// Play this many groups and test nothing
    #[arg(long, value_name = "N", help_heading = "Verdict",
        conflicts_with_all = ["elo", "nelo", "max_groups"])]
    groups: Option<u64>,
    /// Give up without a verdict after this many groups
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1000,
        help_heading = "Verdict"
    )]
    max_groups: u64,
    /// Confidence of intervals and rank ranges
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.95,
        help_heading = "Verdict"
    )]
    level: f64,
    /// What must hold at the end, such as "elo>=0@95%" or "faults<=0"; can be repeated
    #[arg(long, value_name = "REQUIREMENT", help_heading = "Verdict")]
    require: Vec<String>,
    /// What becomes of matches in which a bot had a fault
    #[arg(long, value_enum, default_value_t = FaultsFlag::Count)]
    faults: FaultsFlag,
    /// How often a bot is started again within a match when its process has died, 0 to 10
    /// [default: 1, and 0 with --faults fail]
    #[arg(long, value_name = "N")]
    restarts: Option<u32>,
    /// Take the seeds of the groups from this file, one a line
    #[arg(long, value_name = "FILE")]
    seeds: Option<PathBuf>,
    /// Matches at once [default: one for each core but one]
    #[arg(long, value_name = "N")]
    concurrency: Option<u32>,
    /// Memory that a bot may have, such as 512M or 2G: each of its processes for its data, and all
    /// together for what they hold [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    bot_memory: Option<u64>,
    /// Give each bot a core of its own [default matches at once: as many as there are cores for]
    #[arg(long)]
    affinity: bool,
    /// The queue that bots of NAME=@KEY attend on the --server [default: contest]
    #[arg(long, value_name = "NAME", help_heading = "Server")]
    queue: Option<String>,
    /// Give bots that attend one seed for all matches of a group, though they may remember
    #[arg(long, help_heading = "Server")]
    trust_remote: bool,
    /// Version of the game's rules: another one is refused [default: the server's]
    #[arg(long, value_name = "N")]
    rules_version: Option<u32>,
    #[command(flatten)]
    rules: MatchFlags,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatFlag {
    /// The candidate against the others in turn
    Candidate,
    /// All bots at one table
    Series,
    /// Every set of bots meets
    RoundRobin,
    /// The candidate meets each other, with a table
    Gauntlet,
    /// Neighbours in the table meet
    Swiss,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TestFlag {
    /// For any number of seats
    Sequential,
    /// For pairs at two seats
    Pentanomial,
}

#[derive(Clone, Copy, ValueEnum)]
enum FaultsFlag {
    /// They count as the referee decided
    Count,
    /// Their groups do not count
    Exclude,
    /// The first ends the contest
    Fail,
}

impl SpecFlags {
    /// The contest that was asked for.
    pub(super) fn spec(&self) -> anyhow::Result<ContestSpec> {
        let mut spec = match &self.config {
            Some(path) => read(path)?,
            None => self.of_flags()?,
        };
        if self.concurrency.is_some() {
            spec.concurrency = self.concurrency;
        }
        Ok(spec)
    }

    fn of_flags(&self) -> anyhow::Result<ContestSpec> {
        let bots = self.bots()?;
        let format = self.format_of(&bots)?;
        let seats = match self.rules.seats()? {
            Some(seats) => seats,
            None if format == Format::Series => {
                let given = format!("--format series with {} bots", bots.len());
                self.rules.check_seats(bots.len(), &given)?
            }
            None => self.rules.least_seats()?,
        };
        let require = self.require.iter().map(|text| {
            text.parse::<Requirement>()
                .map_err(|error| misuse(format!("--require: {error}")))
        });
        let has_test = matches!(format, Format::Series | Format::Candidate { .. });
        let rules = MatchRules {
            rules_version: self.rules_version,
            ..self.rules.contest_rules(seats)?
        };
        Ok(ContestSpec {
            test: has_test.then(|| self.test_of()).transpose()?,
            level: self.level,
            faults: match self.faults {
                FaultsFlag::Count => FaultCounting::Count,
                FaultsFlag::Exclude => FaultCounting::Exclude,
                FaultsFlag::Fail => FaultCounting::Fail,
            },
            restarts: self.restarts,
            require: require.collect::<anyhow::Result<_>>()?,
            seeds: self.seeds_of()?,
            concurrency: self.concurrency,
            queue: self.queue.clone(),
            trust_remote: self.trust_remote,
            bot_memory_bytes: self.bot_memory,
            affinity: self.affinity,
            ..ContestSpec::new(rules, bots, format)
        })
    }

    /// The bots of `--bot`, then built-in ones that only `--candidate` or `--against` name.
    fn bots(&self) -> anyhow::Result<Vec<BotSpec>> {
        let mut bots: Vec<BotSpec> = self.bots.iter().map(|text| bot(text)).collect();
        for name in self.candidate.iter().chain(&self.against) {
            let is_built_in = NAMES.contains(&name.split('@').next().unwrap_or_default());
            if is_built_in && !bots.iter().any(|bot| bot.name == *name) {
                bots.push(BotSpec::of_built_in(name));
            }
        }
        for ClockOf { who, odds } in &self.clock_of {
            let names: Vec<String> = bots.iter().map(|bot| bot.name.clone()).collect();
            let bot = bots.iter_mut().find(|bot| bot.name == *who);
            let bot = bot.ok_or_else(|| {
                let names = names.join(", ");
                misuse(format!(
                    "--clock-of {who}=: there is no bot {who:?}, only {names}"
                ))
            })?;
            if !bot.clock.is_even() {
                return Err(misuse(format!(
                    "--clock-of {who}= is there twice; give all in one"
                )));
            }
            bot.clock = (*odds).into();
        }
        match bots.len() {
            0 => Err(misuse(
                "who plays? Name bots: --bot \"mine=python3 bot.py\" --against greedy",
            )),
            1 => Err(misuse(format!(
                "{} has nobody to play with; add --against greedy",
                bots[0].name
            ))),
            _ => Ok(bots),
        }
    }

    fn format_of(&self, bots: &[BotSpec]) -> anyhow::Result<Format> {
        let first = bots.first().map(|bot| bot.name.clone()).unwrap_or_default();
        let candidate = self.candidate.clone().unwrap_or(first);
        let has_candidate = matches!(self.format, FormatFlag::Candidate | FormatFlag::Gauntlet);
        if !has_candidate && self.candidate.is_some() {
            return Err(misuse(
                "--candidate goes with --format candidate or gauntlet",
            ));
        }
        if self.format != FormatFlag::Candidate && !self.against.is_empty() {
            return Err(misuse("--against goes with --format candidate"));
        }
        Ok(match self.format {
            FormatFlag::Candidate => {
                let others = bots.iter().map(|bot| bot.name.clone());
                let against = match self.against.is_empty() {
                    true => others.filter(|name| *name != candidate).collect(),
                    false => self.against.clone(),
                };
                Format::Candidate { candidate, against }
            }
            FormatFlag::Series => Format::Series,
            FormatFlag::RoundRobin => Format::RoundRobin {
                rounds: self.rounds,
            },
            FormatFlag::Gauntlet => Format::Gauntlet {
                candidate,
                rounds: self.rounds,
            },
            FormatFlag::Swiss => Format::Swiss {
                rounds: self.rounds,
            },
        })
    }

    fn test_of(&self) -> anyhow::Result<TestSpec> {
        if let Some(groups) = self.groups {
            return Ok(TestSpec::Fixed { groups });
        }
        let pair = |flag: &str, given: &[f64]| {
            <[f64; 2]>::try_from(given)
                .map_err(|_| misuse(format!("{flag} takes two numbers, such as {flag} 0,50")))
        };
        let bounds = match (self.elo.as_slice(), self.nelo.as_slice()) {
            ([], []) => Bounds::default(),
            (elo, []) => Bounds::Elo(pair("--elo", elo)?),
            (_, nelo) => Bounds::NormalizedElo(pair("--nelo", nelo)?),
        };
        let (alpha, beta, most_groups) = (self.alpha, self.beta, self.max_groups);
        Ok(match self.test {
            TestFlag::Sequential => TestSpec::Sequential {
                bounds,
                alpha,
                beta,
                most_groups,
            },
            TestFlag::Pentanomial => TestSpec::Pentanomial {
                bounds,
                alpha,
                beta,
                most_groups,
            },
        })
    }

    fn seeds_of(&self) -> anyhow::Result<Option<Seeds>> {
        let Some(path) = &self.seeds else {
            return Ok(self.rules.seed().map(|seed| Seeds::From(seed.to_string())));
        };
        if self.rules.seed().is_some() {
            return Err(misuse("--seed and --seeds: give one of them"));
        }
        let text = input_file::read_text(path, MAX_SEEDS_BYTES)
            .map_err(|error| misuse(format!("--seeds: {error:#}")))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        Ok(Some(Seeds::Listed(lines.map(str::to_owned).collect())))
    }
}

/// A value of `--bot-memory`: a whole number, and a letter for its unit.
fn memory_size(text: &str) -> Result<u64, String> {
    let (number, unit) = match text.find(|character: char| !character.is_ascii_digit()) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        _ => None,
    };
    let number: Option<u64> = number.parse().ok();
    shift
        .zip(number)
        .and_then(|(shift, number)| number.checked_mul(1 << shift))
        .ok_or_else(|| "a size is a whole number and K, M or G, such as 512M or 2G".to_owned())
}

/// A value of `--bot`.
pub(super) fn bot(text: &str) -> BotSpec {
    let Some((name, command)) = text.split_once('=') else {
        return BotSpec::of_built_in(text.trim());
    };
    let (name, command) = (name.trim(), command.trim());
    if let Some(attends) = command.strip_prefix('@') {
        return BotSpec::of_attending(name, attends);
    }
    match NAMES.contains(&command.split('@').next().unwrap_or_default()) {
        true => BotSpec {
            built_in: Some(command.to_owned()),
            ..BotSpec::of_built_in(name)
        },
        false => BotSpec::of_command(name, command),
    }
}

fn read(path: &Path) -> anyhow::Result<ContestSpec> {
    let text = input_file::read_text(path, MAX_CONFIG_BYTES)
        .map_err(|error| misuse(format!("--config: {error:#}")))?;
    toml::from_str(&text).map_err(|error| misuse(format!("--config {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_of_memory_has_a_unit_or_is_in_bytes() {
        assert_eq!(memory_size("512M"), Ok(512 << 20));
        assert_eq!(memory_size("2g"), Ok(2 << 30));
        assert_eq!(memory_size("1048576"), Ok(1 << 20));
        for wrong in ["", "M", "1.5G", "-1", "512MB", "99999999999999G"] {
            assert!(memory_size(wrong).is_err(), "{wrong}");
        }
    }
}
