//! The flags that define a contest. [`ContestSpec`], [`MatchRules`] and their parts are themselves
//! sets of flags. This file adds flags that set several of their fields, or a part of one.

use std::path::{Path, PathBuf};

use bridgemaster_bot_process::check_variable;
use bridgemaster_bots::NAMES;
use bridgemaster_runner::{BotSpec, ContestSpec, Format, MatchRules, Seeds};
use clap::{Arg, Args, ValueEnum};

use crate::{
    contest::verdict_flags::VerdictFlags,
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

#[derive(Args)]
pub(super) struct SpecFlags {
    /// Resume the contest in this folder, without repeating finished matches
    #[arg(long, value_name = "DIR", conflicts_with_all = ["config", "concurrency"])]
    pub(super) resume: Option<PathBuf>,
    /// Read the contest from this TOML file instead of flags (see docs/reference/contest.md)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Number of matches at once [default: number of cores minus one]
    #[arg(long, value_name = "N")]
    concurrency: Option<u32>,
    #[command(flatten)]
    defined: DefiningFlags,
}

/// The flags of a command that precede [`DefiningFlags`]. clap passes them to
/// [`conflict_with_defined`] too, which must ignore them.
const EARLIER_FLAGS: [&str; 10] = [
    "folder",
    "plan",
    "quiet",
    "bot_changed",
    "isolation",
    "max_time",
    "show_output",
    "resume",
    "config",
    "concurrency",
];

/// Makes a flag that defines a contest conflict with the flags that select an existing definition.
fn conflict_with_defined(arg: Arg) -> Arg {
    if EARLIER_FLAGS.contains(&arg.get_id().as_str()) {
        return arg;
    }
    arg.conflicts_with_all(["config", "resume"])
}

#[derive(Args)]
#[command(mut_args(conflict_with_defined))]
struct DefiningFlags {
    /// Bot: NAME=COMMAND, a built-in bot, or NAME=@KEY (repeatable)
    ///
    /// A built-in bot can have a version, such as greedy@1. NAME=@KEY is a bot that waits in the
    /// --queue queue with the API key named KEY.
    #[arg(long = "bot", value_name = "BOT")]
    bots: Vec<String>,
    /// Give a bot its own time control (repeatable)
    ///
    /// These time odds apply to the bot in every seat. TIME is written as for --time-control.
    #[arg(long, value_name = "BOT=TIME")]
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
    /// With `per-match`, each match has its own seed, so a bot cannot know draws from an earlier
    /// match.
    #[arg(long, value_name = "FILE|per-match")]
    seeds: Option<PathBuf>,
    /// Required version of the game's rules [default: the server's]
    #[arg(long, value_name = "N")]
    rules_version: Option<u32>,
    #[command(flatten)]
    options: ContestSpec,
    // Flags with a help heading come last, since the heading applies to all later flags.
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
            rules: MatchRules { rules_version: self.rules_version, ..self.rules.rules(seats)? },
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
        for ClockOf { who, time_control } in &self.clock_of {
            let names: Vec<String> = bots.iter().map(|bot| bot.name.clone()).collect();
            let bot = bots.iter_mut().find(|bot| bot.name == *who);
            let bot = bot.ok_or_else(|| {
                let names = names.join(", ");
                misuse(format!("--clock-of {who}=...: unknown bot {who:?}; the bots are {names}"))
            })?;
            if bot.time_control.replace(*time_control).is_some() {
                return Err(misuse(format!("--clock-of {who}=... is given twice")));
            }
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
            return Err(misuse("--rounds needs --format round-robin, gauntlet or swiss"));
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
            return Err(misuse("--seed conflicts with --seeds; use only one of them"));
        }
        let text = files::read_text(path, MAX_SEEDS_BYTES)
            .map_err(|error| misuse(format!("--seeds: {error:#}")))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        Ok(Some(Seeds::Listed(lines.map(str::to_owned).collect())))
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
        BotSpec { built_in: Some(command.to_owned()), ..BotSpec::built_in(name) }
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
    use crate::contest::RunArgs;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        spec: SpecFlags,
    }

    #[derive(Parser)]
    struct RunCommand {
        #[command(flatten)]
        _run: RunArgs,
    }

    fn spec(flags: &str) -> anyhow::Result<ContestSpec> {
        let line = format!("contest --bot greedy --bot random {flags}");
        Command::try_parse_from(line.split_whitespace())?.spec.spec()
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
    fn each_flag_that_defines_a_contest_conflicts_with_a_defined_contest() {
        let command = RunCommand::command();
        let conflicts_with_both = |arg: &Arg| {
            let conflicts = command.get_arg_conflicts_with(arg);
            ["config", "resume"].iter().all(|id| conflicts.iter().any(|other| other.get_id() == id))
        };
        let arguments = command.get_arguments();
        let (defining, others): (Vec<&Arg>, Vec<&Arg>) =
            arguments.partition(|arg| conflicts_with_both(arg));
        assert!(defining.len() > 40);
        let others: Vec<&str> = others.iter().map(|arg| arg.get_id().as_str()).collect();
        let outputs_and_server = [
            "json",
            "junit",
            "markdown",
            "csv",
            "svg",
            "url",
            "key",
            "bot_key",
            "ca",
            "client_cert",
            "client_key",
        ];
        assert_eq!(others, [&EARLIER_FLAGS[..], &outputs_and_server].concat());
    }

    #[test]
    fn a_conflict_with_a_file_names_only_the_flags_given() {
        for (flag, other) in [("--level=0.9", "--restarts"), ("--alpha=0.1", "--beta")] {
            let parsed = Command::try_parse_from(["contest", "--config", "my.toml", flag]);
            let error = parsed.err().unwrap().to_string();
            let (name, _) = flag.split_once('=').unwrap();
            assert!(error.contains("--config") && error.contains(name), "{error}");
            assert!(!error.contains(other), "{error}");
        }
    }

    #[test]
    fn flags_and_a_file_define_the_same_contest() {
        let of_flags = spec(
            "--elo=-5,5 --alpha 0.1 --test pentanomial --restarts 3 --bot-memory 1M \
             --require faults<=0 --time-control 60/0.5 --on-late forfeit --strikes 2 --house first \
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
            clock = { time_control = "60/0.5" }
            fault_costs = { late = "forfeit", strikes_to_forfeit = 2 }
            house = "first"
            ask_forced = true
            "#,
        )
        .unwrap();
        assert_eq!(of_flags.unwrap(), of_file);
    }
}
