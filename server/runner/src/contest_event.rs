//! Events of a running contest.

use crate::MatchRow;

/// An event of a running contest.
#[derive(Debug)]
pub enum ContestEvent<'a> {
    /// The contest starts or resumes.
    Started {
        /// The maximum number of concurrent matches.
        concurrency: usize,
    },
    /// A match was finished or annulled, and has been stored.
    MatchFinished(&'a MatchRow),
}
