//! The numbers of a node's commits.
//!
//! Commits are numbered consecutively, and each transaction stores its commit number. If the
//! response to a commit was lost, the stored number shows whether the database has that commit.
//!
//! A commit can be flushed separately: a later transaction on another connection makes it durable.
//! The database log is ordered, so a crash loses the newest unflushed commits and never an older
//! one. Commits are kept in memory until they are flushed. If a crash loses some of them, the node
//! repeats them in order before any other commit.

use std::ops::RangeInclusive;

/// The numbers of a node's commits, and which commits are known to be durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitNumbers {
    last: i64,
    flushed: i64,
    is_outcome_unknown: bool,
}

/// The outcome of the last commit is unknown, so its number must not be reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutcomeUnknown;

/// The database lacks a commit that was flushed. The database is therefore a different one, or it
/// was restored from an outdated backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlushedCommitMissing;

impl CommitNumbers {
    /// Creates the state after commit number `last`. That commit must be flushed.
    #[must_use]
    pub fn new(last: i64) -> Self {
        Self { last, flushed: last, is_outcome_unknown: false }
    }

    /// Returns the number of the last commit.
    #[must_use]
    pub fn last(&self) -> i64 {
        self.last
    }

    /// Returns the number of the next commit.
    ///
    /// # Errors
    /// Returns [`OutcomeUnknown`] after a commit with an unknown outcome. The server must not
    /// commit any more.
    pub fn next(&self) -> Result<i64, OutcomeUnknown> {
        if self.is_outcome_unknown { Err(OutcomeUnknown) } else { Ok(self.last + 1) }
    }

    /// Marks the next commit as committed and flushed. All earlier commits are then flushed, too.
    pub fn mark_committed(&mut self) {
        self.last += 1;
        self.flushed = self.last;
    }

    /// Marks the next commit as committed but not flushed, so a database crash can still lose it.
    pub fn mark_committed_unflushed(&mut self) {
        self.last += 1;
    }

    /// Marks all commits up to this number as flushed.
    pub fn mark_flushed(&mut self, number: i64) {
        self.flushed = self.flushed.max(number.min(self.last));
    }

    /// Returns whether the commit with this number survives a database crash.
    #[must_use]
    pub fn is_flushed(&self, number: i64) -> bool {
        number <= self.flushed
    }

    /// Returns the numbers of the commits to repeat, given the newest commit in the database. Must
    /// be called only when no earlier attempt can be committed any more.
    ///
    /// # Errors
    /// Returns [`FlushedCommitMissing`] if a flushed commit is missing.
    pub fn missing(&self, newest: i64) -> Result<RangeInclusive<i64>, FlushedCommitMissing> {
        if newest < self.flushed { Err(FlushedCommitMissing) } else { Ok(newest + 1..=self.last) }
    }

    /// Marks the outcome of the next commit as unknown, because the last retry has failed.
    pub fn mark_unknown(&mut self) {
        self.is_outcome_unknown = true;
    }

    /// Returns whether a commit is in the database, given the newest commit in the database. Must
    /// be called before a retry, when no earlier attempt can be committed any more.
    #[must_use]
    pub fn is_committed(number: i64, newest: i64) -> bool {
        newest >= number
    }
}

/// The outcome of a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlushOutcome {
    /// All commits up to this number are flushed.
    UpTo(i64),
    /// The database has crashed and lost the commit, so the commit must be repeated.
    Missing,
    /// Another server has taken over the node.
    Superseded,
}

impl FlushOutcome {
    /// Determines the outcome of flushing the commit with this number. `newest` is the node's
    /// newest commit, as read by the flush transaction; `None` if the node's epoch has changed. A
    /// smaller number means that a crash has lost the commit, and a changed epoch means that
    /// another server has taken over the node.
    #[must_use]
    pub fn from_newest(number: i64, newest: Option<i64>) -> Self {
        match newest {
            None => Self::Superseded,
            Some(newest) if CommitNumbers::is_committed(number, newest) => Self::UpTo(newest),
            Some(_) => Self::Missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_follows_a_commit_of_unknown_outcome() {
        let mut commits = CommitNumbers::new(7);
        assert_eq!(commits.next(), Ok(8));
        commits.mark_committed();
        assert_eq!((commits.last(), commits.next()), (8, Ok(9)));
        assert!(CommitNumbers::is_committed(9, 9) && !CommitNumbers::is_committed(9, 8));
        commits.mark_unknown();
        assert_eq!((commits.last(), commits.next()), (8, Err(OutcomeUnknown)));
    }

    #[test]
    fn commits_lost_in_a_crash_are_repeated_and_flushed_ones_cannot_be_lost() {
        let mut commits = CommitNumbers::new(7);
        for _ in 0..3 {
            commits.mark_committed_unflushed();
        }
        assert_eq!(commits.next(), Ok(11));
        assert_eq!(commits.missing(7), Ok(8..=10));
        assert_eq!(commits.missing(9), Ok(10..=10));
        // The commit succeeded, but its response was lost.
        assert!(commits.missing(10).unwrap().is_empty());
        assert!(commits.missing(11).unwrap().is_empty());
        commits.mark_flushed(9);
        assert!(commits.is_flushed(9) && !commits.is_flushed(10));
        assert_eq!(commits.missing(9), Ok(10..=10));
        assert_eq!(commits.missing(8), Err(FlushedCommitMissing));
        // The response to the first flush arrives late. The second flush includes a commit whose
        // response has not arrived yet.
        commits.mark_flushed(8);
        assert_eq!(commits.missing(9), Ok(10..=10));
        commits.mark_flushed(11);
        assert!(commits.is_flushed(10) && !commits.is_flushed(11));
        commits.mark_committed();
        assert!(commits.is_flushed(11));
    }

    #[test]
    fn the_outcome_of_a_flush_follows_from_the_newest_commit_and_the_epoch() {
        assert_eq!(FlushOutcome::from_newest(8, Some(8)), FlushOutcome::UpTo(8));
        assert_eq!(FlushOutcome::from_newest(8, Some(10)), FlushOutcome::UpTo(10));
        assert_eq!(FlushOutcome::from_newest(8, Some(7)), FlushOutcome::Missing);
        assert_eq!(FlushOutcome::from_newest(8, None), FlushOutcome::Superseded);
    }
}
