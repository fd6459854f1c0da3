//! Who plays a seat: a built-in bot, or any command.

use std::env;

use anyhow::Context as _;
use bridgemaster_bot_process::{BotCommand, is_program};
use bridgemaster_bots::NAMES;
use bridgemaster_games::{MAX_SEED_CHARS, Seed};

use crate::failure::misuse;

/// Who plays a seat.
pub(super) enum Entrant {
    /// The built-in bot of this name.
    BuiltIn(String),
    /// A program and its arguments.
    Command(Vec<String>),
}

impl Entrant {
    /// Reads an entry of `--bots`.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let text = text.trim();
        if NAMES.contains(&text) {
            return Ok(Self::BuiltIn(text.to_owned()));
        }
        let names = NAMES.join(", ");
        let words = shell_words::split(text)
            .map_err(|error| misuse(format!("--bots: {text:?} cannot be read: {error}")))?;
        match words.first() {
            None => Err(misuse(format!(
                "--bots: an entry is empty; built-in bots are: {names}"
            ))),
            Some(program) if !is_program(program) => Err(misuse(format!(
                "--bots: {program:?} is neither a built-in bot ({names}) nor a program that is found"
            ))),
            Some(_) => Ok(Self::Command(words)),
        }
    }

    /// What it is called in messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::BuiltIn(name) => name.clone(),
            Self::Command(words) => shell_words::join(words),
        }
    }

    /// The command that starts it for a seat. `seed` is the seed of the match, which also seeds a
    /// built-in bot, so that a demo with a seed can be repeated.
    pub(super) fn command(&self, seat: u32, seed: Option<&Seed>) -> anyhow::Result<BotCommand> {
        match self {
            Self::BuiltIn(name) => {
                let program = env::current_exe().context("this program cannot find itself")?;
                let command = BotCommand::new(program).with(["bot", name]);
                let Some(seed) = seed else {
                    return Ok(command);
                };
                let text = format!("bot{seat}.{seed}");
                let cut: String = text.chars().take(MAX_SEED_CHARS).collect();
                Ok(command.with(["--seed", &cut]))
            }
            Self::Command(words) => {
                let (program, arguments) = words.split_first().context("the command is empty")?;
                Ok(BotCommand::new(program).with(arguments))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program_and_arguments(entrant: &Entrant, seed: Option<&Seed>) -> Vec<String> {
        let command = entrant.command(2, seed).unwrap();
        command
            .words()
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn the_name_of_a_built_in_bot_is_one_whose_chance_follows_from_the_seed() {
        let entrant = Entrant::parse(" random ").unwrap();
        let seed = "s".repeat(MAX_SEED_CHARS).parse().unwrap();
        let words = program_and_arguments(&entrant, Some(&seed));
        assert_eq!(words[1..4], ["bot", "random", "--seed"]);
        assert!(words[4].starts_with("bot2.sss"));
        assert!(words[4].parse::<Seed>().is_ok(), "{}", words[4]);
        assert_eq!(
            program_and_arguments(&entrant, None)[1..],
            ["bot", "random"]
        );
    }

    #[test]
    fn anything_else_is_a_command_with_quoted_arguments() {
        let this = env::current_exe().unwrap();
        let text = format!(
            "{} 'two words' x",
            shell_words::quote(&this.to_string_lossy())
        );
        let entrant = Entrant::parse(&text).unwrap();
        assert_eq!(
            program_and_arguments(&entrant, None)[1..],
            ["two words", "x"]
        );
    }

    #[test]
    fn what_is_neither_is_refused_with_the_names_of_the_built_in_bots() {
        for text in ["no-such-bot", "./no/such/bot.py", "", "'half"] {
            let error = Entrant::parse(text).err().unwrap().to_string();
            assert!(error.starts_with("--bots: "), "{error}");
        }
        let error = Entrant::parse("greddy").err().unwrap().to_string();
        assert!(NAMES.iter().all(|name| error.contains(name)), "{error}");
    }
}
