//! The report on a run, and the results of check scripts.

use std::{io, time::Duration};

use bridgemaster_bot_process::{BotProcess, Isolation};
use serde::{Serialize, Serializer};

/// The report on one bot's checks. In JSON, times are in ms.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The command that started the bot.
    pub command: Vec<String>,
    /// The bot, as described by its Hello.
    pub bot: BotInfo,
    /// The weakest isolation among the bot's processes; `None` if no process was started.
    pub isolation: Option<Isolation>,
    /// The checks, in the catalog's order.
    pub checks: Vec<CheckReport>,
    /// Total time of the run; whole ms in JSON.
    #[serde(rename = "duration_ms", serialize_with = "as_ms")]
    pub duration: Duration,
}

impl Report {
    /// Returns the number of failed checks.
    pub fn failed(&self) -> usize {
        let is_failure = |check: &&CheckReport| matches!(check.outcome, Outcome::Failed(_));
        self.checks.iter().filter(is_failure).count()
    }

    /// Returns the number of passed checks.
    pub fn passed(&self) -> usize {
        let is_pass = |check: &&CheckReport| matches!(check.outcome, Outcome::Passed);
        self.checks.iter().filter(is_pass).count()
    }
}

/// A bot, as described by its Hello.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BotInfo {
    /// The name in Hello.
    pub name: String,
    /// The bot's version; can be empty.
    pub version: String,
    /// Identifiers of the games that the bot plays; empty if it plays all games.
    pub games: Vec<String>,
}

/// The result of one check.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// The check's stable name.
    pub name: &'static str,
    /// The game's identifier; empty without a match.
    pub game: &'static str,
    /// The number of seats in the match; 0 without a match.
    pub seats: u8,
    /// A sentence that describes the checked behaviour.
    pub proves: &'static str,
    /// Whether the bot passed, with the reason if it did not.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The check's duration; whole ms in JSON.
    #[serde(rename = "duration_ms", serialize_with = "as_ms")]
    pub duration: Duration,
}

impl CheckReport {
    /// Formats the check's name, the game and the number of seats on one line.
    pub fn title(&self) -> String {
        match self.seats {
            0 => self.name.to_owned(),
            seats => format!("{} ({}, {seats} seats)", self.name, self.game),
        }
    }
}

/// Whether a check passed, failed or did not apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// The bot behaves as the protocol requires.
    Passed,
    /// The bot does not behave as the protocol requires.
    Failed(Failure),
    /// The check did not apply to the match.
    Skipped {
        /// Description of the situation that did not occur in the match.
        reason: String,
    },
}

/// The details of a failed check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The behaviour that the protocol requires.
    pub expected: String,
    /// The behaviour that the check observed.
    pub seen: String,
    /// The section of `proto/PROTOCOL.md` that requires the expected behaviour.
    pub section: &'static str,
    /// The last lines of the bot's standard error; can be empty.
    pub stderr: String,
}

fn as_ms<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// The result of a script or of one of its steps.
pub(super) type Verdict<T> = Result<T, StopReason>;

/// The reason why a script stopped early.
#[derive(Debug)]
pub(super) enum StopReason {
    /// The bot failed the check.
    Failed(Failure),
    /// The check did not apply to the match.
    Skipped(String),
    /// An error that the bot did not cause prevented the check.
    Broken(String),
}

/// Creates a failure that the bot caused. `section` is a heading in PROTOCOL.md.
pub(super) fn failed(
    expected: impl Into<String>,
    seen: impl Into<String>,
    section: &'static str,
) -> StopReason {
    StopReason::Failed(Failure {
        expected: expected.into(),
        seen: seen.into(),
        section,
        stderr: String::new(),
    })
}

/// Creates the error for a check that could not be run.
pub(super) fn broken_check(context: &str, error: impl std::fmt::Display) -> StopReason {
    StopReason::Broken(format!("{context}: {error}"))
}

impl From<io::Error> for StopReason {
    fn from(error: io::Error) -> Self {
        broken_check("cannot read the address of the check's server", error)
    }
}

impl StopReason {
    /// Adds the bot's standard error to a failure.
    pub(super) fn with_stderr_of(self, process: &BotProcess) -> Self {
        match self {
            Self::Failed(failure) => {
                Self::Failed(Failure { stderr: process.stderr_so_far(), ..failure })
            }
            other => other,
        }
    }

    /// Replaces the PROTOCOL.md section that a failure refers to.
    pub(super) fn with_section(self, section: &'static str) -> Self {
        match self {
            Self::Failed(failure) => Self::Failed(Failure { section, ..failure }),
            other => other,
        }
    }
}
