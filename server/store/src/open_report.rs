//! Completeness of a store's newest commits.

use std::fmt;

use crate::DamageReport;

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

/// Completeness of a store's newest commits. A database with a damaged log simply ends with an
/// earlier commit. So the number of commits is also written to a separate file,
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

/// The newest commits are missing, although bots and clients might have seen their effects.
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
