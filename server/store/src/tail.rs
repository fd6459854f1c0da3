//! Whether the newest commits of a store are all there.

use std::fmt;

use crate::Damage;

/// What was found when a store was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// Whether the newest commits are all there.
    pub tail: Tail,
    /// What is damaged of the matches in play. Damage of other values is told when they are read.
    pub damages: Vec<Damage>,
    /// Whether damaged indexes were rebuilt. Nothing is lost by that.
    pub indexes_rebuilt: bool,
}

/// Whether the newest commits of a store are all there. The database alone cannot tell: if its log
/// is damaged, it simply ends with an earlier commit. So the number of commits is also written to a
/// file beside it, [`COMMITS_FILE`](crate::COMMITS_FILE), which may lag behind but is never ahead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tail {
    /// Nothing is known to be missing.
    #[default]
    Whole,
    /// Commits are missing that were made.
    Lost(LostTail),
    /// The file beside the database is missing or cannot be read.
    Unknown {
        /// What is wrong with it.
        detail: String,
    },
}

/// The newest commits are gone, and with them what was told to bots and callers after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostTail {
    /// Commits that the database has.
    pub found: u64,
    /// Commits that were made, at least.
    pub expected: u64,
}

impl LostTail {
    /// How many commits are gone, at least.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.expected.saturating_sub(self.found)
    }
}

impl fmt::Display for LostTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lost, expected) = (self.lost(), self.expected);
        match lost {
            1 => write!(f, "the last of {expected} commits is gone"),
            _ => write!(f, "the last {lost} of {expected} commits are gone"),
        }
    }
}
