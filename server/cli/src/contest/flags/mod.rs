//! Flags and files that define a contest.

mod bots;
mod verdict;

use std::path::{Path, PathBuf};

use bridgemaster_bots::NAMES;
use bridgemaster_runner::{BotSpec, ContestSpec, FaultCounting, Format, MatchRules, Seeds};
use bridgemaster_whole_file::FileMode;
use clap::{Args, ValueEnum};

pub(super) use self::bots::{bot, pass_env};
use self::verdict::VerdictFlags;
use crate::{
    failure::misuse,
    input_file,
    match_flags::{ClockOf, MatchFlags},
};

/// Maximum size of a contest file with its game options, in bytes.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;
/// Maximum size of a seed file, in bytes. A million seeds take at most 65 MB.
const MAX_SEEDS_BYTES: u64 = 128 * 1024 * 1024;

/// Value of `--seeds` that does not name a file.
const SEEDS_PER_MATCH: &str = "per-match";

/// Ids of the flags and flag groups that define a contest and therefore conflict with `--config`
/// and `--resume`.
pub(super) const DEFINING_FLAGS: [&str; 35] = [
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
    "reuse",
    "seeds",
    "bot_memory",
    "affinity",
    "replay_mode",
    "bot_files",
    "max_output",
    "clock_of",
    "bot_env",
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
    /// Read the contest from this TOML file instead of flags (see docs/contest.md)
    #[arg(long, value_name = "FILE", conflicts_with_all = DEFINING_FLAGS)]
    config: Option<PathBuf>,
    /// Bot: NAME=COMMAND, a built-in bot, or NAME=@KEY (repeatable)
    ///
    /// A built-in bot can have a version, such as greedy@1. NAME=@KEY is a bot that waits in the
    /// --queue queue with the API key named KEY.
    #[arg(long = "bot", value_name = "BOT")]
    bots: Vec<String>,
    /// Give a bot its own time bank, increment or cap (repeatable)
    ///
    /// These time odds apply to the bot in every seat.
    #[arg(long, value_name = "BOT=bank_ms:MS,increment_ms:MS,cap_ms:MS")]
    clock_of: Vec<ClockOf>,
    /// Environment variable to pass to BOT, or to every bot with a command (repeatable)
    #[arg(long, value_name = "[BOT:]NAME")]
    bot_env: Vec<String>,
    /// Bot to judge [default: the first bot]
    #[arg(long, value_name = "NAME")]
    candidate: Option<String>,
    /// Opponents of the candidate, comma-separated [default: all other bots]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    against: Vec<String>,
    /// Pairing of the bots
    #[arg(long, value_enum, default_value_t = FormatFlag::Candidate)]
    format: FormatFlag,
    /// Number of rounds with --format round-robin, gauntlet or swiss
    #[arg(long, value_name = "N", default_value_t = 10)]
    rounds: u32,
    #[command(flatten)]
    verdict: VerdictFlags,
    /// Treatment of matches in which a bot has a fault
    #[arg(long, value_enum, default_value_t = FaultsFlag::Count)]
    faults: FaultsFlag,
    /// Maximum restarts of a bot per match, 0 to 10 [default: 1; 0 with --faults fail]
    ///
    /// A bot is restarted when its process dies in a match.
    #[arg(long, value_name = "N")]
    restarts: Option<u32>,
    /// Let each bot process play many matches, each with its own seed
    #[arg(long)]
    reuse: bool,
    /// File with one seed per line for each match group, or `per-match`
    ///
    /// With `per-match`, each match has its own seed, so no bot knows draws from another match.
    #[arg(long, value_name = "FILE|per-match")]
    seeds: Option<PathBuf>,
    /// Number of matches at once [default: number of cores minus one]
    #[arg(long, value_name = "N")]
    concurrency: Option<u32>,
    /// Memory limit of a bot, such as 512M or 2G [default: none]
    ///
    /// Limits the data memory of each process, and the total resident memory of a bot's processes.
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    bot_memory: Option<u64>,
    /// Pin each bot to its own core
    ///
    /// Without --concurrency, the number of concurrent matches is limited by the number of cores.
    #[arg(long)]
    affinity: bool,
    /// Bot files to watch for changes, such as "my_bot/**/*.py" (repeatable)
    ///
    /// The contest stops when a watched file changes. A bot's program and the files in its command
    /// are always watched. Files that a program imports or opens are not watched unless named here.
    #[arg(long, value_name = "GLOB")]
    bot_files: Vec<String>,
    /// Maximum size of the bots' stored standard error, such as 256M [default: 64M]
    ///
    /// The beginning and the end of each file are kept. If the candidate has a fault in a match,
    /// the files of that match are kept whole while the limit allows.
    #[arg(long, value_name = "SIZE", value_parser = memory_size)]
    max_output: Option<u64>,
    /// Permissions of replay files, in octal, such as 0640 [default: 0600]
    ///
    /// With 0640 the owner's group can list the folder and read the replays; with 0644 all users
    /// can. Other files of the folder are readable only by the current user.
    #[arg(long, value_name = "MODE")]
    replay_mode: Option<FileMode>,
    /// Queue on --server in which bots of NAME=@KEY wait [default: contest]
    #[arg(long, value_name = "NAME", help_heading = "Server")]
    queue: Option<String>,
    /// Share seeds in match groups even if attending bots might remember matches
    #[arg(long, help_heading = "Server")]
    trust_remote: bool,
    /// Required version of the game's rules [default: the server's]
    #[arg(long, value_name = "N")]
    rules_version: Option<u32>,
    #[command(flatten)]
    rules: MatchFlags,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatFlag {
    /// The candidate plays each opponent in turn
    Candidate,
    /// All bots play at one table
    Series,
    /// Every combination of bots plays
    RoundRobin,
    /// The candidate plays each other bot; all bots are ranked
    Gauntlet,
    /// Bots with similar standings play each other
    Swiss,
}

#[derive(Clone, Copy, ValueEnum)]
enum FaultsFlag {
    /// Count these matches with the result of the referee
    Count,
    /// Exclude these matches and their match groups
    Exclude,
    /// Stop the contest at the first of these matches
    Fail,
}

impl SpecFlags {
    /// Returns the contest that `--config` or the flags define.
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
            None => self.rules.seats_or_min()?,
        };
        let has_test = matches!(format, Format::Series | Format::Candidate { .. });
        let rules = MatchRules {
            rules_version: self.rules_version,
            ..self.rules.contest_rules(seats)?
        };
        Ok(ContestSpec {
            test: has_test.then(|| self.verdict.test()).transpose()?,
            level: self.verdict.level,
            faults: match self.faults {
                FaultsFlag::Count => FaultCounting::Count,
                FaultsFlag::Exclude => FaultCounting::Exclude,
                FaultsFlag::Fail => FaultCounting::Fail,
            },
            restarts: self.restarts,
            reuse: self.reuse,
            require: self.verdict.requirements()?,
            seeds: self.seeds_of()?,
            seeds_per_match: self.has_seeds_per_match(),
            concurrency: self.concurrency,
            queue: self.queue.clone(),
            trust_remote: self.trust_remote,
            bot_memory_bytes: self.bot_memory,
            affinity: self.affinity,
            replay_mode: self.replay_mode.unwrap_or_default(),
            bot_files: self.bot_files.clone(),
            max_output_bytes: self.max_output,
            ..ContestSpec::new(rules, bots, format)
        })
    }

    /// Returns the bots that `--bot` flags define, then the built-in bots that only `--candidate`
    /// or `--against` names.
    fn bots(&self) -> anyhow::Result<Vec<BotSpec>> {
        let mut bots: Vec<BotSpec> = self.bots.iter().map(|text| bot(text)).collect();
        for name in self.candidate.iter().chain(&self.against) {
            let is_built_in = NAMES.contains(&name.split('@').next().unwrap_or_default());
            if is_built_in && !bots.iter().any(|bot| bot.name == *name) {
                bots.push(BotSpec::built_in(name));
            }
        }
        for ClockOf { who, odds } in &self.clock_of {
            let names: Vec<String> = bots.iter().map(|bot| bot.name.clone()).collect();
            let bot = bots.iter_mut().find(|bot| bot.name == *who);
            let bot = bot.ok_or_else(|| {
                let names = names.join(", ");
                misuse(format!(
                    "--clock-of {who}=...: unknown bot {who:?}; the bots are {names}"
                ))
            })?;
            if !bot.clock.is_even() {
                return Err(misuse(format!(
                    "--clock-of {who}=... is given twice; combine the times in one flag"
                )));
            }
            bot.clock = (*odds).into();
        }
        pass_env(&mut bots, &self.bot_env)?;
        match bots.len() {
            0 => Err(misuse(
                "no bots given; add bots, such as --bot \"mine=python3 bot.py\" --against greedy",
            )),
            1 => Err(misuse(format!(
                "{} has no opponent; add an opponent, such as --against greedy",
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
            return Err(misuse("--candidate needs --format candidate or gauntlet"));
        }
        if self.format != FormatFlag::Candidate && !self.against.is_empty() {
            return Err(misuse("--against needs --format candidate"));
        }
        Ok(match self.format {
            FormatFlag::Candidate => {
                let others = bots.iter().map(|bot| bot.name.clone());
                let against = if self.against.is_empty() {
                    others.filter(|name| *name != candidate).collect()
                } else {
                    self.against.clone()
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

    fn has_seeds_per_match(&self) -> bool {
        self.seeds.as_deref() == Some(Path::new(SEEDS_PER_MATCH))
    }

    fn seeds_of(&self) -> anyhow::Result<Option<Seeds>> {
        let file = self.seeds.as_ref().filter(|_| !self.has_seeds_per_match());
        let Some(path) = file else {
            return Ok(self.rules.seed().map(|seed| Seeds::From(seed.to_string())));
        };
        if self.rules.seed().is_some() {
            return Err(misuse(
                "--seed conflicts with --seeds; use only one of them",
            ));
        }
        let text = input_file::read_text(path, MAX_SEEDS_BYTES)
            .map_err(|error| misuse(format!("--seeds: {error:#}")))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        Ok(Some(Seeds::Listed(lines.map(str::to_owned).collect())))
    }
}

/// Parses a size in bytes: a whole number and an optional unit, K, M or G.
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
        .ok_or_else(|| "expected a whole number with K, M or G, such as 512M or 2G".to_owned())
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
    fn a_size_has_a_unit_or_is_in_bytes() {
        assert_eq!(memory_size("512M"), Ok(512 << 20));
        assert_eq!(memory_size("2g"), Ok(2 << 30));
        assert_eq!(memory_size("1048576"), Ok(1 << 20));
        for wrong in ["", "M", "1.5G", "-1", "512MB", "99999999999999G"] {
            assert!(memory_size(wrong).is_err(), "{wrong}");
        }
    }
}
