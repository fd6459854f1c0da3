//! What came of the checks.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// What came of checking one bot. As JSON: this object, times in ms.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The command that started the bot.
    pub command: Vec<String>,
    /// Who the bot said it is.
    pub bot: BotInfo,
    /// The checks, in the order of the catalogue.
    pub checks: Vec<CheckReport>,
    /// Time of the whole run; as JSON in whole ms.
    #[serde(rename = "duration_ms", serialize_with = "as_ms")]
    pub duration: Duration,
}

impl Report {
    /// Number of checks that failed.
    pub fn failed(&self) -> usize {
        let is_failure = |check: &&CheckReport| matches!(check.outcome, Outcome::Failed(_));
        self.checks.iter().filter(is_failure).count()
    }

    /// Number of checks that passed.
    pub fn passed(&self) -> usize {
        let is_pass = |check: &&CheckReport| matches!(check.outcome, Outcome::Passed);
        self.checks.iter().filter(is_pass).count()
    }
}

/// Who a bot says it is, in its Hello.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BotInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The games that it plays; empty for all.
    pub games: Vec<String>,
}

/// What came of one check.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// The stable name of the check.
    pub name: &'static str,
    /// The game that was played; empty when none was.
    pub game: &'static str,
    /// Number of seats of the match, within the range of the game; 0 when none was played.
    pub seats: u8,
    /// What the check proves.
    pub proves: &'static str,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// How long it took; as JSON in whole ms.
    #[serde(rename = "duration_ms", serialize_with = "as_ms")]
    pub duration: Duration,
}

impl CheckReport {
    /// Name, game and seats on one line.
    pub fn title(&self) -> String {
        match self.seats {
            0 => self.name.to_owned(),
            seats => format!("{} ({}, {seats} seats)", self.name, self.game),
        }
    }
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// The bot does what the check asks for.
    Passed,
    /// It does not.
    Failed(Failure),
    /// The match gave no occasion for it.
    Skipped {
        /// What did not happen.
        reason: String,
    },
}

/// Why a check failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// What the bot should have done.
    pub expected: String,
    /// What it did.
    pub seen: String,
    /// The section of `proto/PROTOCOL.md` that says so.
    pub section: &'static str,
    /// The end of the bot's standard error, as text; empty when it wrote nothing.
    pub stderr: String,
}

fn as_ms<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}
