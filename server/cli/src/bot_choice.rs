//! The player of a seat: a built-in bot, or any other command, with its environment variables.

use std::{env, ffi::OsString};

use anyhow::Context as _;
use bridgemaster_bot_process::{BotCommand, BotProcess, CURRENT_EXE, program_path, read_variable};
use bridgemaster_bots::NAMES;
use bridgemaster_games::{MAX_SEED_CHARS, Seed};
use clap::Args;

use crate::{failure::misuse, output};

/// The player of a seat.
pub(super) enum BotChoice {
    /// The built-in bot with this name.
    BuiltIn(String),
    /// A program and its arguments.
    Command(Vec<String>),
}

impl BotChoice {
    /// Parses an entry of `--bots`.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let words = shell_words::split(text)
            .map_err(|error| misuse(format!("--bots: {text:?} is not a command: {error}")))?;
        Self::from_words("--bots", words)
    }

    /// Returns the player that the words of a command name. Errors name the flag.
    pub(super) fn from_words(flag: &str, words: Vec<String>) -> anyhow::Result<Self> {
        let names = NAMES.join(", ");
        match words.as_slice() {
            [] => Err(misuse(format!(
                "{flag}: an entry is empty; use a command or a built-in bot ({names})"
            ))),
            [name] if NAMES.contains(&name.as_str()) => Ok(Self::BuiltIn(name.clone())),
            [program, ..] if program_path(program).is_none() => Err(misuse(format!(
                "{flag}: {program:?} is neither a built-in bot ({names}) nor a program in PATH"
            ))),
            _ => Ok(Self::Command(words)),
        }
    }

    /// Returns the player's name for messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::BuiltIn(name) => name.clone(),
            Self::Command(words) => shell_words::join(words),
        }
    }

    /// Returns the command that starts the player for a seat. A built-in bot gets the match's seed,
    /// so that demos with the same seed play the same match.
    pub(super) fn command(&self, seat: u32, seed: Option<&Seed>) -> anyhow::Result<BotCommand> {
        match self {
            Self::BuiltIn(name) => {
                let program = env::current_exe().context("cannot find the path of this program")?;
                let mut command = bot_command(program).with(["bot", name]);
                command.has_working_copy = false;
                let Some(seed) = seed else {
                    return Ok(command);
                };
                let text = format!("bot{seat}.{seed}");
                let bot_seed: String = text.chars().take(MAX_SEED_CHARS).collect();
                Ok(command.with(["--seed", &bot_seed]))
            }
            Self::Command(words) => {
                let (program, arguments) = words.split_first().context("the command is empty")?;
                Ok(bot_command(program).with(arguments))
            }
        }
    }
}

/// Returns the command for a bot that runs below a supervisor.
pub(super) fn bot_command(program: impl Into<OsString>) -> BotCommand {
    BotCommand::new(program).supervised(CURRENT_EXE)
}

/// Waits until a bot's process ends. Returns a description of its failure; `None` after success.
pub(super) async fn failure_of(mut process: BotProcess) -> Option<String> {
    match process.ended().await {
        Ok(status) if status.success() => None,
        Ok(status) => {
            let stderr = process.final_stderr().await;
            Some(format!("{status}; {}", output::last_words(stderr.lines())))
        }
        Err(error) => Some(error.to_string()),
    }
}

#[derive(Args)]
pub(super) struct BotEnvFlag {
    /// Pass this environment variable to bots (repeatable)
    ///
    /// Bots get only PATH, LANG, LC_*, TZ, VIRTUAL_ENV and the variables of language runtimes, with
    /// a private HOME and TMPDIR, so that no secret reaches them. Name other variables that bots
    /// need, such as CUDA_VISIBLE_DEVICES. OMP_NUM_THREADS and similar variables are 1 unless
    /// passed.
    #[arg(long = "bot-env", value_name = "NAME")]
    names: Vec<String>,
}

impl BotEnvFlag {
    /// Reads the values of the variables.
    pub(super) fn read(&self) -> anyhow::Result<BotEnv> {
        let variables = self.names.iter().map(|name| {
            let value = read_variable(name);
            let value = value.map_err(|error| misuse(format!("--bot-env: {error}")))?;
            Ok((name.clone(), value))
        });
        Ok(BotEnv(variables.collect::<anyhow::Result<_>>()?))
    }
}

/// Variables for bots, with their values.
pub(super) struct BotEnv(Vec<(String, OsString)>);

impl BotEnv {
    /// Adds the variables to a bot's command.
    pub(super) fn pass_to(&self, command: BotCommand) -> BotCommand {
        let variables = self.0.iter();
        variables.fold(command, |command, (name, value)| command.with_variable(name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program_and_arguments(bot_choice: &BotChoice, seed: Option<&Seed>) -> Vec<String> {
        let command = bot_choice.command(2, seed).unwrap();
        command.command_line().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_built_in_bot_is_seeded_by_the_match() {
        let bot_choice = BotChoice::parse(" random ").unwrap();
        let seed = "s".repeat(MAX_SEED_CHARS).parse().unwrap();
        let words = program_and_arguments(&bot_choice, Some(&seed));
        assert_eq!(words[1..4], ["bot", "random", "--seed"]);
        assert!(words[4].starts_with("bot2.sss"));
        assert!(words[4].parse::<Seed>().is_ok(), "{}", words[4]);
        assert_eq!(program_and_arguments(&bot_choice, None)[1..], ["bot", "random"]);
    }

    #[test]
    fn anything_else_is_a_command_with_quoted_arguments() {
        let this = env::current_exe().unwrap();
        let text = format!("{} 'two words' x", shell_words::quote(&this.to_string_lossy()));
        let bot_choice = BotChoice::parse(&text).unwrap();
        assert_eq!(program_and_arguments(&bot_choice, None)[1..], ["two words", "x"]);
    }

    #[test]
    fn an_unknown_bot_is_rejected_with_the_names_of_the_built_in_ones() {
        for text in ["no-such-bot", "./no/such/bot.py", "", "'half"] {
            let error = BotChoice::parse(text).err().unwrap().to_string();
            assert!(error.starts_with("--bots: "), "{error}");
        }
        let error = BotChoice::parse("greddy").err().unwrap().to_string();
        assert!(NAMES.iter().all(|name| error.contains(name)), "{error}");
    }
}
