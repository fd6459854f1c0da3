//! The part of the spec that describes the bots.

use bridgemaster_bot_process::check_variable;
use serde::{Deserialize, Serialize};

use bridgemaster_referee::TimeControl;

use super::rules::time_control_text;
use crate::SpecError;

/// The maximum length of a bot's name, in characters. A name must fit into a table column.
const MAX_NAME_CHARS: usize = 32;

/// A bot in a contest, and how it is run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotSpec {
    /// Name in the contest, which becomes part of file names: 1 to 32 letters, digits, `.`, `_`,
    /// `-`, `+` or `@`.
    pub name: String,
    /// The command that starts the bot, split into words as a shell does. If omitted, the bot is
    /// built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The built-in bot, such as `greedy@1`; the newest version if omitted. If this field and the
    /// command are omitted, `name` is the name of the built-in bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built_in: Option<String>,
    /// For a bot that attends the contest's queue instead of being started: the name of its API
    /// key. On a server without keys, the name with which it attends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attends: Option<String>,
    /// Names of additional environment variables to pass on from the contest's environment. Only
    /// for a bot with a command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    /// Time odds: the bot's own time control, in any seat. Default: the time control of the match.
    #[serde(default, with = "time_control_text", skip_serializing_if = "Option::is_none")]
    pub time_control: Option<TimeControl>,
}

/// The way to run a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Player {
    /// Start a program with these words as its command line.
    Command(Vec<String>),
    /// Play with a built-in bot.
    BuiltIn {
        /// The built-in bot's name.
        name: String,
        /// The built-in bot's version; `None` for the newest version.
        version: Option<u32>,
    },
    /// Wait for a bot that attends the contest's queue under this name.
    Attending(String),
}

impl BotSpec {
    /// Creates a bot that is started by a command.
    pub fn from_command(name: impl Into<String>, command: impl Into<String>) -> Self {
        Self { name: name.into(), command: Some(command.into()), ..Self::default() }
    }

    /// Creates a bot that attends the contest's queue under the name `attends`.
    pub fn attending(name: impl Into<String>, attends: impl Into<String>) -> Self {
        Self { name: name.into(), attends: Some(attends.into()), ..Self::default() }
    }

    /// Creates a built-in bot whose name in the contest is its own name.
    pub fn built_in(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Returns the way to run the bot.
    ///
    /// # Errors
    /// Returns an error if the command cannot be split, or the version is not a number.
    pub fn player(&self) -> Result<Player, SpecError> {
        let problem = |problem: String| self.invalid(problem);
        if let Some(attends) = &self.attends {
            if attends.is_empty() {
                return Err(problem("attends: the name is empty".to_owned()));
            }
            return Ok(Player::Attending(attends.clone()));
        }
        let Some(command) = &self.command else {
            let built_in = self.built_in.as_ref().unwrap_or(&self.name);
            let Some((name, version)) = built_in.split_once('@') else {
                return Ok(Player::BuiltIn { name: built_in.clone(), version: None });
            };
            let version = version.parse().ok().filter(|version| *version > 0);
            return Ok(Player::BuiltIn {
                name: name.to_owned(),
                version: Some(version.ok_or_else(|| {
                    problem(format!("built_in: {built_in:?} has no version such as {name}@1"))
                })?),
            });
        };
        let words = shell_words::split(command)
            .map_err(|error| problem(format!("cannot parse the command {command:?}: {error}")))?;
        if words.is_empty() {
            return Err(problem("the command is empty".to_owned()));
        }
        Ok(Player::Command(words))
    }

    /// Creates the error for an invalid bot.
    pub(crate) fn invalid(&self, problem: impl Into<String>) -> SpecError {
        SpecError::invalid(format!("bot {:?}", self.name), problem)
    }

    pub(super) fn validate(&self) -> Result<(), SpecError> {
        let problem = |problem: &str| Err(self.invalid(problem));
        let is_fit = |character: char| {
            character.is_ascii_alphanumeric() || ['.', '_', '-', '+', '@'].contains(&character)
        };
        let length = self.name.chars().count();
        if !(1..=MAX_NAME_CHARS).contains(&length)
            || !self.name.chars().all(is_fit)
            || self.name.starts_with('.')
        {
            return problem(
                "a name must have 1 to 32 letters, digits, '.', '_', '-', '+' or '@', and must not \
                 start with '.'",
            );
        }
        let ways = [&self.command, &self.built_in, &self.attends];
        if ways.into_iter().flatten().count() > 1 {
            return problem("`command`, `built_in` and `attends` exclude each other; set only one");
        }
        if self.command.is_none() && !self.env.is_empty() {
            return problem("`env` requires a command; only bots with a command get variables");
        }
        for name in &self.env {
            check_variable(name).or_else(|error| problem(&format!("env: {error}")))?;
        }
        self.player().map(drop)
    }
}
