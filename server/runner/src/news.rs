//! What is told of a contest while it runs.

use crate::MatchRow;

/// News of a contest.
#[derive(Debug)]
pub enum News<'a> {
    /// It begins, or goes on after so many finished matches.
    Begun {
        /// Matches at once.
        concurrency: usize,
    },
    /// A match was played to its end, or annulled.
    Match(&'a MatchRow),
}
