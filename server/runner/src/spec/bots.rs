//! The bots of a contest.

use serde::{Deserialize, Serialize};

use super::Odds;
use crate::SpecError;

/// Longest name of a bot, in characters: a column of a table.
const LONGEST_NAME: usize = 32;

/// A bot of a contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotSpec {
    /// Its name in the contest: 1 to 32 of letters, digits, `.`, `_`, `-`, `+` and `@`. It is part
    /// of the names of files.
    pub name: String,
    /// The command that starts it, with its arguments, as a shell would split them. Not given: the
    /// built-in bot of the name `built_in`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The built-in bot, such as `greedy@1`; without a version the newest. Not given, nor a
    /// command: the built-in bot of the name `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built_in: Option<String>,
    /// The name of the API key whose bot attends the queue of the contest and is not started; on a
    /// server that asks for no keys, the name by which the bot attends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attends: Option<String>,
    /// How its clock differs from that of the match, in whatever seat it sits.
    #[serde(default, skip_serializing_if = "Odds::is_even")]
    pub clock: Odds,
}

/// Who plays for a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Player {
    /// A program and its arguments.
    Command(Vec<String>),
    /// A built-in bot.
    BuiltIn {
        /// Its name.
        name: String,
        /// Its version; none for the newest.
        version: Option<u32>,
    },
    /// A bot that attends the queue of the contest, by this name.
    Attending(String),
}

impl BotSpec {
    /// A bot that a command starts.
    pub fn of_command(name: impl Into<String>, command: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            command: Some(command.into()),
            built_in: None,
            attends: None,
            clock: Odds::default(),
        }
    }

    /// A bot that attends the queue of the contest by the name `attends`.
    pub fn of_attending(name: impl Into<String>, attends: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            command: None,
            built_in: None,
            attends: Some(attends.into()),
            clock: Odds::default(),
        }
    }

    /// A built-in bot, called as it is.
    pub fn of_built_in(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            command: None,
            built_in: None,
            attends: None,
            clock: Odds::default(),
        }
    }

    /// Who plays for it.
    ///
    /// # Errors
    /// [`SpecError::Bot`] for a command that cannot be split, or a version that is no number.
    pub fn player(&self) -> Result<Player, SpecError> {
        let problem = |problem: String| SpecError::Bot {
            bot: self.name.clone(),
            problem,
        };
        if let Some(attends) = &self.attends {
            return match attends.is_empty() {
                true => Err(problem("the name by which it attends is empty".to_owned())),
                false => Ok(Player::Attending(attends.clone())),
            };
        }
        let Some(command) = &self.command else {
            let built_in = self.built_in.as_ref().unwrap_or(&self.name);
            let Some((name, version)) = built_in.split_once('@') else {
                return Ok(Player::BuiltIn {
                    name: built_in.clone(),
                    version: None,
                });
            };
            let version = version.parse().ok().filter(|version| *version > 0);
            return Ok(Player::BuiltIn {
                name: name.to_owned(),
                version: Some(version.ok_or_else(|| {
                    problem(format!("{built_in:?} has no version such as {name}@1"))
                })?),
            });
        };
        let words = shell_words::split(command)
            .map_err(|error| problem(format!("the command {command:?} cannot be read: {error}")))?;
        match words.is_empty() {
            true => Err(problem("its command is empty".to_owned())),
            false => Ok(Player::Command(words)),
        }
    }

    pub(super) fn check(&self) -> Result<(), SpecError> {
        let problem = |problem: &str| {
            Err(SpecError::Bot {
                bot: self.name.clone(),
                problem: problem.to_owned(),
            })
        };
        let is_fit = |character: char| {
            character.is_ascii_alphanumeric() || ['.', '_', '-', '+', '@'].contains(&character)
        };
        let length = self.name.chars().count();
        if !(1..=LONGEST_NAME).contains(&length)
            || !self.name.chars().all(is_fit)
            || self.name.starts_with('.')
        {
            return problem(
                "a name has 1 to 32 letters, digits, '.', '_', '-', '+' and '@', and does not \
                 begin with '.'",
            );
        }
        let ways = [&self.command, &self.built_in, &self.attends];
        if ways.into_iter().flatten().count() > 1 {
            return problem(
                "it has more than one of a command, a built-in bot and a name by which it attends; \
                 give one of them",
            );
        }
        self.player().map(drop)
    }
}
