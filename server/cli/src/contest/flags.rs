//! The flags that define a contest. [`ContestSpec`], [`MatchRules`] and their parts are flags
//! themselves; this file adds the flags that set several of their fields, or parts of one.

use std::path::{Path, PathBuf};

use bridgemaster_bot_process::check_variable;
use bridgemaster_bots::NAMES;
use bridgemaster_runner::{
    BotSpec, Bounds, ContestSpec, Format, MatchRules, Seeds, SequentialSpec, TestSpec,
};
use clap::{Args, ValueEnum};

use crate::{
    failure::misuse,
    files,
    match_flags::{ClockOf, MatchFlags},
};

/// Maximum size of a contest file with its game options, in bytes.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;
/// Maximum size of a seed file, in bytes. A million seeds take at most 65 MB.
const MAX_SEEDS_BYTES: u64 = 128 * 1024 * 1024;

/// Value of `--seeds` that does not name a file.
const SEEDS_PER_MATCH: &str = "per-match";

/// The number of rounds without `--rounds`.
const DEFAULT_ROUNDS: u32 = 10;

/// Ids of the flags and flag groups that define a contest and therefore conflict with `--config`
/// and `--resume`. Clap's error about a listed group names all of its flags instead of the given
/// ones, so the flags of [`ContestSpec`] and [`VerdictFlags`] are listed one by one. In clap, a
/// group with further groups has no members, so the members of these are listed, too.
pub(super) const DEFINING_FLAGS: [&str; 36] = [
    "bots",
    "clock_of",
    "bot_env",
    "candidate",
    "against",
    "format",
    "rounds",
    "seeds",
    "rules_version",
    "elo",
    "nelo",
    "alpha",
    "beta",
    "test",
    "groups",
    "max_groups",
    "level",
    "faults",
    "restarts",
    "require",
    "queue",
    "trust_remote",
    "reuse",
    "bot_memory_bytes",
    "affinity",
    "replay_mode",
    "bot_files",
    "max_output_bytes",
    "seats",
    "seed",
    "game",
    "house",
    "ask_forced",
    "GameOptions",
    "Clock",
    "FaultCosts",
];

#[derive(Args)]
pub(super) struct SpecFlags {
    /// Read the contest from this TOML file instead of flags (see docs/contest.md)
    #[arg(long, value_name = "FILE", conflicts_with_all = DEFINING_FLAGS)]
    config: Option<PathBuf>,
    /// Number of matches at once [default: number of cores minus one]
    #[arg(long, value_name = "N")]
    concurrency: Option<u32>,
    #[command(flatten)]
    defined: DefiningFlags,
}

#[derive(Args)]
struct DefiningFlags {
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
    /// Number of rounds with --format round-robin, gauntlet or swiss [default: 10]
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// File with one seed per line for each match group, or `per-match`
    ///
    /// With `per-match`, each match has its own seed, so no bot knows draws from another match.
    #[arg(long, value_name = "FILE|per-match")]
    seeds: Option<PathBuf>,
    /// Required version of the game's rules [default: the server's]
    #[arg(long, value_name = "N")]
    rules_version: Option<u32>,
    #[command(flatten)]
    options: ContestSpec,
    // Flags with a help heading come last, because the heading also applies to later flags.
    #[command(flatten)]
    verdict: VerdictFlags,
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

/// Flags of the test. A flag that is not given is `None`, so that a format without a test can
/// refuse it.
#[derive(Args)]
#[command(next_help_heading = "Verdict")]
struct VerdictFlags {
    /// Elo bounds of the test: rejects at LOWER, accepts at UPPER [default: 0,50]
    ///
    /// The test decides between two hypotheses: the candidate is better by LOWER, or by UPPER.
    #[arg(
        long,
        value_name = "LOWER,UPPER",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    elo: Option<Vec<f64>>,
    /// Bounds in normalised Elo, for which every game needs the same number of groups
    #[arg(
        long,
        value_name = "LOWER,UPPER",
        value_delimiter = ',',
        allow_negative_numbers = true,
        conflicts_with = "elo"
    )]
    nelo: Option<Vec<f64>>,
    /// Probability of accepting a candidate whose Elo is LOWER [default: 0.05]
    #[arg(long, value_name = "SHARE")]
    alpha: Option<f64>,
    /// Probability of rejecting a candidate whose Elo is UPPER [default: 0.05]
    #[arg(long, value_name = "SHARE")]
    beta: Option<f64>,
    /// Statistical test of the verdict [default: sequential]
    #[arg(long, value_enum)]
    test: Option<TestFlag>,
    /// Number of groups to play, without a test
    #[arg(long, value_name = "N",
        conflicts_with_all = ["elo", "nelo", "alpha", "beta", "test", "max_groups"])]
    groups: Option<u64>,
    /// Number of groups after which the contest stops without a verdict [default: 1000]
    #[arg(long, value_name = "N")]
    max_groups: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TestFlag {
    /// For any number of seats
    Sequential,
    /// For pairs of matches at two seats, as used for chess programs
    Pentanomial,
}

impl SpecFlags {
    /// Returns the contest that `--config` or the flags define.
    pub(super) fn spec(&self) -> anyhow::Result<ContestSpec> {
        let mut spec = match &self.config {
            Some(path) => read(path)?,
            None => self.defined.spec()?,
        };
        if self.concurrency.is_some() {
            spec.concurrency = self.concurrency;
        }
        Ok(spec)
    }
}

impl DefiningFlags {
    fn spec(&self) -> anyhow::Result<ContestSpec> {
        let bots = self.bots()?;
        let format = self.format(&bots)?;
        let seats = match self.rules.seats()? {
            Some(seats) => seats,
            None if format == Format::Series => {
                let given = format!("--format series with {} bots", bots.len());
                self.rules.check_seats(bots.len(), &given)?
            }
            None => self.rules.seats_or_min()?,
        };
        Ok(ContestSpec {
            rules: MatchRules {
                rules_version: self.rules_version,
                ..self.rules.rules(seats)?
            },
            test: self.verdict.test(&format)?,
            seeds: self.seeds()?,
            seeds_per_match: self.has_seeds_per_match(),
            bots,
            format,
            ..self.options.clone()
        })
    }

    /// Returns the bots that `--bot` flags define, then the built-in bots that only `--candidate`
    /// or `--against` names.
    fn bots(&self) -> anyhow::Result<Vec<BotSpec>> {
        let mut bots: Vec<BotSpec> = self.bots.iter().map(|text| bot(text)).collect();
        for name in self.candidate.iter().chain(&self.against) {
            if is_built_in(name) && !bots.iter().any(|bot| bot.name == *name) {
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
            bot.clock = *odds;
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

    /// Returns the format. Refuses the flags that it would ignore.
    fn format(&self, bots: &[BotSpec]) -> anyhow::Result<Format> {
        let has_candidate = matches!(self.format, FormatFlag::Candidate | FormatFlag::Gauntlet);
        let has_rounds = !matches!(self.format, FormatFlag::Candidate | FormatFlag::Series);
        if !has_candidate && self.candidate.is_some() {
            return Err(misuse("--candidate needs --format candidate or gauntlet"));
        }
        if self.format != FormatFlag::Candidate && !self.against.is_empty() {
            return Err(misuse("--against needs --format candidate"));
        }
        if !has_rounds && self.rounds.is_some() {
            return Err(misuse(
                "--rounds needs --format round-robin, gauntlet or swiss",
            ));
        }
        let first = bots.first().map(|bot| bot.name.clone()).unwrap_or_default();
        let candidate = self.candidate.clone().unwrap_or(first);
        let rounds = self.rounds.unwrap_or(DEFAULT_ROUNDS);
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
            FormatFlag::RoundRobin => Format::RoundRobin { rounds },
            FormatFlag::Gauntlet => Format::Gauntlet { candidate, rounds },
            FormatFlag::Swiss => Format::Swiss { rounds },
        })
    }

    fn has_seeds_per_match(&self) -> bool {
        self.seeds.as_deref() == Some(Path::new(SEEDS_PER_MATCH))
    }

    fn seeds(&self) -> anyhow::Result<Option<Seeds>> {
        let file = self.seeds.as_ref().filter(|_| !self.has_seeds_per_match());
        let Some(path) = file else {
            return Ok(self.rules.seed().map(|seed| Seeds::From(seed.to_string())));
        };
        if self.rules.seed().is_some() {
            return Err(misuse(
                "--seed conflicts with --seeds; use only one of them",
            ));
        }
        let text = files::read_text(path, MAX_SEEDS_BYTES)
            .map_err(|error| misuse(format!("--seeds: {error:#}")))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        Ok(Some(Seeds::Listed(lines.map(str::to_owned).collect())))
    }
}

impl VerdictFlags {
    /// Returns the test that decides the verdict; `None` for a format that has rounds, which
    /// refuses the flags of a test.
    fn test(&self, format: &Format) -> anyhow::Result<Option<TestSpec>> {
        if !matches!(format, Format::Series | Format::Candidate { .. }) {
            return match self.first_given() {
                Some(flag) => Err(misuse(format!(
                    "{flag} needs a test; with --format candidate or series there is one, and \
                     other formats play a number of --rounds"
                ))),
                None => Ok(None),
            };
        }
        if let Some(groups) = self.groups {
            return Ok(Some(TestSpec::Fixed { groups }));
        }
        let pair = |flag: &str, given: &[f64]| {
            <[f64; 2]>::try_from(given)
                .map_err(|_| misuse(format!("{flag} needs two numbers, such as {flag} 0,50")))
        };
        let default = SequentialSpec::default();
        let test = SequentialSpec {
            bounds: match (&self.elo, &self.nelo) {
                (None, None) => default.bounds,
                (Some(elo), _) => Bounds::Elo(pair("--elo", elo)?),
                (None, Some(nelo)) => Bounds::NormalizedElo(pair("--nelo", nelo)?),
            },
            alpha: self.alpha.unwrap_or(default.alpha),
            beta: self.beta.unwrap_or(default.beta),
            most_groups: self.max_groups.unwrap_or(default.most_groups),
        };
        Ok(Some(match self.test {
            None | Some(TestFlag::Sequential) => TestSpec::Sequential(test),
            Some(TestFlag::Pentanomial) => TestSpec::Pentanomial(test),
        }))
    }

    fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--elo", self.elo.is_some()),
            ("--nelo", self.nelo.is_some()),
            ("--alpha", self.alpha.is_some()),
            ("--beta", self.beta.is_some()),
            ("--test", self.test.is_some()),
            ("--groups", self.groups.is_some()),
            ("--max-groups", self.max_groups.is_some()),
        ];
        let mut given = given.into_iter().filter(|(_, is_given)| *is_given);
        given.next().map(|(flag, _)| flag)
    }
}

/// Returns whether a text is the name of a built-in bot, with or without a version.
pub(super) fn is_built_in(text: &str) -> bool {
    NAMES.contains(&text.split('@').next().unwrap_or_default())
}

/// Parses the value of a `--bot` flag.
pub(super) fn bot(text: &str) -> BotSpec {
    let Some((name, command)) = text.split_once('=') else {
        return BotSpec::built_in(text.trim());
    };
    let (name, command) = (name.trim(), command.trim());
    if let Some(key_name) = command.strip_prefix('@') {
        return BotSpec::attending(name, key_name);
    }
    if is_built_in(command) {
        BotSpec {
            built_in: Some(command.to_owned()),
            ..BotSpec::built_in(name)
        }
    } else {
        BotSpec::from_command(name, command)
    }
}

/// Adds the `--bot-env` variables to bots.
pub(super) fn pass_env(bots: &mut [BotSpec], passed: &[String]) -> anyhow::Result<()> {
    for text in passed {
        let (bot_name, name) = match text.split_once(':') {
            Some((bot_name, name)) => (Some(bot_name), name),
            None => (None, text.as_str()),
        };
        check_variable(name).map_err(|error| misuse(format!("--bot-env: {error}")))?;
        let mut is_used = false;
        for bot in &mut *bots {
            if bot.command.is_some() && bot_name.is_none_or(|name| name == bot.name) {
                is_used = true;
                bot.env.push(name.to_owned());
            }
        }
        if !is_used {
            let named = bot_name.map_or(String::new(), |name| format!(" {name:?}"));
            return Err(misuse(format!(
                "--bot-env {text}: no bot{named} has a command, so no bot would get the variable"
            )));
        }
    }
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<ContestSpec> {
    let text = files::read_text(path, MAX_CONFIG_BYTES)
        .map_err(|error| misuse(format!("--config: {error:#}")))?;
    toml::from_str(&text).map_err(|error| misuse(format!("--config {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser};

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        spec: SpecFlags,
    }

    fn spec(flags: &str) -> anyhow::Result<ContestSpec> {
        let line = format!("contest --bot greedy --bot random {flags}");
        Command::try_parse_from(line.split_whitespace())?
            .spec
            .spec()
    }

    #[test]
    fn a_flag_that_a_format_ignores_is_refused() {
        for flags in [
            "--rounds 2",
            "--format series --rounds 2",
            "--format series --candidate random",
            "--format gauntlet --against random",
            "--format swiss --elo 0,50",
            "--format round-robin --max-groups 9",
            "--format gauntlet --groups 9",
            "--groups 9 --alpha 0.1",
        ] {
            assert!(spec(flags).is_err(), "{flags}");
        }
        let swiss = spec("--format swiss").unwrap();
        assert_eq!(swiss.format, Format::Swiss { rounds: 10 });
        assert_eq!(swiss.test, None);
    }

    #[test]
    fn each_flag_of_the_spec_and_the_verdict_conflicts_with_a_file() {
        let command = Command::command();
        for name in ["ContestSpec", "VerdictFlags"] {
            let mut groups = command.get_groups();
            let group = groups.find(|group| group.get_id().as_str() == name);
            let ids: Vec<&str> = group.unwrap().get_args().map(|id| id.as_str()).collect();
            assert!(!ids.is_empty(), "{name}");
            for id in ids {
                assert!(DEFINING_FLAGS.contains(&id), "{id} of {name} is missing");
            }
        }
    }

    #[test]
    fn a_conflict_with_a_file_names_only_the_flags_given() {
        for (flag, other) in [("--level=0.9", "--restarts"), ("--alpha=0.1", "--beta")] {
            let parsed = Command::try_parse_from(["contest", "--config", "my.toml", flag]);
            let error = parsed.err().unwrap().to_string();
            let (name, _) = flag.split_once('=').unwrap();
            assert!(
                error.contains("--config") && error.contains(name),
                "{error}"
            );
            assert!(!error.contains(other), "{error}");
        }
    }

    #[test]
    fn flags_and_a_file_define_the_same_contest() {
        let of_flags = spec(
            "--elo=-5,5 --alpha 0.1 --test pentanomial --restarts 3 --bot-memory 1M \
             --require faults<=0 --cap-ms 500 --on-late forfeit --strikes 2 --house first \
             --ask-forced --replay-mode 0640 --faults exclude --level 0.9 --game carcassonne \
             --reuse",
        );
        let of_file: ContestSpec = toml::from_str(
            r#"
            test = { kind = "pentanomial", bounds = { elo = [-5, 5] }, alpha = 0.1 }
            restarts = 3
            bot_memory_bytes = 1048576
            require = ["faults<=0"]
            replay_mode = "0640"
            faults = "exclude"
            level = 0.9
            reuse = true
            bots = [{ name = "greedy" }, { name = "random" }]
            format = { kind = "candidate", candidate = "greedy", against = ["random"] }
            [match]
            game = "carcassonne"
            seats = 2
            clock = { cap_ms = 500 }
            fault_costs = { late = "forfeit", strikes_to_forfeit = 2 }
            house = "first"
            ask_forced = true
            "#,
        )
        .unwrap();
        assert_eq!(of_flags.unwrap(), of_file);
    }
}
