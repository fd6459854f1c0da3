//! Reports of damaged values, which cannot be read back, and of missing commits.

use std::fmt;

use crate::{KeyId, MatchId};

/// A stored value that cannot be read back. The store ignores the value; other values are not
/// affected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamageReport {
    /// The damaged value.
    pub value: DamagedValue,
    /// Description of the damage, for people.
    pub detail: String,
}

/// The identity of a damaged value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamagedValue {
    /// The header of a match in play. The match cannot be resumed.
    Header(MatchId),
    /// The journal of a match in play. The match cannot be resumed.
    Journal(MatchId),
    /// The summary of a finished match, or one of its times.
    Summary(MatchId),
    /// The replay of a finished match.
    Replay(MatchId),
    /// A finished match's entry in the lists of its parties.
    Party(MatchId),
    /// An API key, identified by its id, or by a substitute id if the id is damaged too. The key
    /// grants no access.
    Key(KeyId),
    /// A secret of the server, identified by the readable part of its name.
    Secret(String),
    /// A record, identified by the readable part of its name.
    Record(String),
    /// A ladder, identified by the readable part of its name. No matches are played on the ladder.
    Ladder(String),
    /// A bot version on a ladder. The version has to enter again.
    LadderVersion {
        /// The ladder to which the version belongs.
        ladder: String,
        /// Name of the bot, as far as it is readable.
        bot_name: String,
        /// The version, as far as it is readable.
        bot_version: String,
    },
    /// A ladder match. The match does not count for the ratings.
    LadderMatch {
        /// The ladder to which the match belongs.
        ladder: String,
        /// Number of the match on the ladder, from 0.
        number: u64,
    },
    /// Rows of this table of the database, which are missing, or are not those that were committed.
    Table(&'static str),
    /// A batch of the journal, by its number. Each match in play that needs the batch is also
    /// reported as [`Journal`](Self::Journal).
    Batch(i64),
}

impl DamagedValue {
    /// Returns the match to which the value belongs, if any.
    #[must_use]
    pub fn match_id(&self) -> Option<&MatchId> {
        match self {
            Self::Header(id)
            | Self::Journal(id)
            | Self::Summary(id)
            | Self::Replay(id)
            | Self::Party(id) => Some(id),
            _ => None,
        }
    }
}

impl fmt::Display for DamagedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(id) => write!(f, "the header of match {id}"),
            Self::Journal(id) => write!(f, "the journal of match {id}"),
            Self::Summary(id) => write!(f, "the summary of match {id}"),
            Self::Replay(id) => write!(f, "the replay of match {id}"),
            Self::Party(id) => write!(f, "the entry of match {id} in the lists of its parties"),
            Self::Key(id) => write!(f, "the key {id}"),
            Self::Secret(name) => write!(f, "the secret {name:?}"),
            Self::Record(name) => write!(f, "the record {name:?}"),
            Self::Ladder(name) => write!(f, "the ladder {name:?}"),
            Self::LadderVersion { ladder, bot_name, bot_version } => write!(
                f,
                "the version {bot_version:?} of the bot {bot_name:?} on the ladder {ladder:?}"
            ),
            Self::LadderMatch { ladder, number } => {
                write!(f, "match {number} of the ladder {ladder:?}")
            }
            Self::Table(name) => write!(f, "the table {name}"),
            Self::Batch(number) => write!(f, "batch {number} of the journal"),
        }
    }
}

impl fmt::Display for DamageReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is damaged: {}", self.value, self.detail)
    }
}

/// The problems found while a store was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// Completeness of the newest commits.
    pub completeness: CommitCompleteness,
    /// Damage to matches in play. Damage to any other value is reported when the value is read.
    pub damage_reports: Vec<DamageReport>,
    /// True if damaged indexes were rebuilt. Rebuilding loses no data.
    pub indexes_rebuilt: bool,
}

/// Completeness of a store's newest commits. A database with a damaged log looks like a database
/// with fewer commits. So the number of commits is also written to a separate file,
/// [`COMMITS_FILE`](crate::COMMITS_FILE). The number in the file can be too small, but is never too
/// large.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CommitCompleteness {
    /// No commits are known to be missing.
    #[default]
    Complete,
    /// Some of the newest commits are missing.
    Missing(MissingCommits),
    /// The file beside the database is missing or unreadable.
    Unknown {
        /// Description of the problem, for people.
        detail: String,
    },
}

/// The newest commits are missing. Bots and clients might have seen their effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingCommits {
    /// The number of commits in the database.
    pub found: u64,
    /// A lower bound for the number of commits that were made.
    pub expected: u64,
}

impl MissingCommits {
    /// Returns a lower bound for the number of missing commits.
    #[must_use]
    pub fn min_lost(&self) -> u64 {
        self.expected.saturating_sub(self.found)
    }
}

impl fmt::Display for MissingCommits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lost, expected) = (self.min_lost(), self.expected);
        match lost {
            1 => write!(f, "the last of {expected} commits is missing"),
            _ => write!(f, "the last {lost} of {expected} commits are missing"),
        }
    }
}
