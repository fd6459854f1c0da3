//! The numbers of the commits of a node: each is one more than the last, and is in the database with
//! what was committed. So a commit whose answer was lost is found by its number.
//!
//! A commit may be flushed apart: it is made first, and a later transaction, on another connection,
//! brings it to the disk. The log of a database has an order, so a crash loses the last of the commits
//! that were not flushed and never one before them. Each is kept until it is flushed: those that a
//! crash has lost are made again, in their order, before anything else.

use std::ops::RangeInclusive;

/// What a server knows of the commits of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commits {
    last: i64,
    flushed: i64,
    is_unsure: bool,
}

/// Whether the last commit is there is not known: one of the same number would be taken for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsure;

/// The database has fewer commits than were flushed: it is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradicted;

impl Commits {
    /// The last one has this number, and is flushed.
    #[must_use]
    pub fn new(last: i64) -> Self {
        Self {
            last,
            flushed: last,
            is_unsure: false,
        }
    }

    /// The number of the last one.
    #[must_use]
    pub fn last(&self) -> i64 {
        self.last
    }

    /// The number of the next one.
    ///
    /// # Errors
    /// [`Unsure`] after a commit of unknown outcome: this server commits nothing more.
    pub fn next(&self) -> Result<i64, Unsure> {
        match self.is_unsure {
            true => Err(Unsure),
            false => Ok(self.last + 1),
        }
    }

    /// The next one is committed and flushed, and so are all before it.
    pub fn committed(&mut self) {
        self.last += 1;
        self.flushed = self.last;
    }

    /// The next one is committed, and a crash of the database may lose it.
    pub fn committed_unflushed(&mut self) {
        self.last += 1;
    }

    /// All up to this one are flushed.
    pub fn flushed(&mut self, number: i64) {
        self.flushed = self.flushed.max(number.min(self.last));
    }

    /// Whether a crash of the database cannot lose the one of this number any more.
    #[must_use]
    pub fn is_flushed(&self, number: i64) -> bool {
        number <= self.flushed
    }

    /// Which of them have to be made again, where the database has this newest one: to be asked once
    /// none of the tries before can be committed any more.
    ///
    /// # Errors
    /// [`Contradicted`] if one is missing that was flushed.
    pub fn missing(&self, newest: i64) -> Result<RangeInclusive<i64>, Contradicted> {
        match newest < self.flushed {
            true => Err(Contradicted),
            false => Ok(newest + 1..=self.last),
        }
    }

    /// Whether the next one is committed is not known, and it is not tried again.
    pub fn lost(&mut self) {
        self.is_unsure = true;
    }

    /// Whether the commit of a number is there, for the newest that the database has: to be asked when
    /// it is tried again, and none of its earlier tries can be committed any more.
    #[must_use]
    pub fn is_there(number: i64, newest: i64) -> bool {
        newest >= number
    }
}

/// What a flush has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flushed {
    /// All up to this one are flushed.
    UpTo(i64),
    /// The commit is not there: the database has crashed and lost it. It is to be made again.
    Missing,
    /// Another server has taken the node over.
    Superseded,
}

impl Flushed {
    /// What a flush says that was to bring the commit of this number to the disk. `newest` is what it
    /// read in its own transaction, before it ended: the number of the newest commit of the node;
    /// `None` if the node is in another epoch than that of the server. Without the number, a flush
    /// after a crash would tell of a commit that the crash has lost; without the epoch, it would take
    /// the commit of another server for it.
    #[must_use]
    pub fn of(number: i64, newest: Option<i64>) -> Self {
        match newest {
            None => Self::Superseded,
            Some(newest) if Commits::is_there(number, newest) => Self::UpTo(newest),
            Some(_) => Self::Missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_follows_a_commit_of_unknown_outcome() {
        let mut commits = Commits::new(7);
        assert_eq!(commits.next(), Ok(8));
        commits.committed();
        assert_eq!((commits.last(), commits.next()), (8, Ok(9)));
        assert!(Commits::is_there(9, 9) && !Commits::is_there(9, 8));
        commits.lost();
        assert_eq!((commits.last(), commits.next()), (8, Err(Unsure)));
    }

    #[test]
    fn what_a_crash_has_lost_is_made_again_and_what_was_flushed_is_never_missing() {
        let mut commits = Commits::new(7);
        for _ in 0..3 {
            commits.committed_unflushed();
        }
        assert_eq!(commits.next(), Ok(11));
        assert_eq!(commits.missing(7), Ok(8..=10));
        assert_eq!(commits.missing(9), Ok(10..=10));
        // The answer of the next one was lost.
        assert!(commits.missing(10).unwrap().is_empty());
        assert!(commits.missing(11).unwrap().is_empty());
        commits.flushed(9);
        assert!(commits.is_flushed(9) && !commits.is_flushed(10));
        assert_eq!(commits.missing(9), Ok(10..=10));
        assert_eq!(commits.missing(8), Err(Contradicted));
        // An older flush is told late; a newer one has seen a commit whose answer has not come yet.
        commits.flushed(8);
        assert_eq!(commits.missing(9), Ok(10..=10));
        commits.flushed(11);
        assert!(commits.is_flushed(10) && !commits.is_flushed(11));
        commits.committed();
        assert!(commits.is_flushed(11));
    }

    #[test]
    fn a_flush_says_which_commits_it_has_seen_in_the_epoch_of_the_server() {
        assert_eq!(Flushed::of(8, Some(8)), Flushed::UpTo(8));
        assert_eq!(Flushed::of(8, Some(10)), Flushed::UpTo(10));
        assert_eq!(Flushed::of(8, Some(7)), Flushed::Missing);
        assert_eq!(Flushed::of(8, None), Flushed::Superseded);
    }
}
