//! The numbers of the commits of a node: each is one more than the last, and is in the database with
//! what was committed. So a commit whose answer was lost is found by its number.

/// What a server knows of the commits of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commits {
    last: i64,
    is_unsure: bool,
}

/// Whether the last commit is there is not known: one of the same number would be taken for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsure;

impl Commits {
    /// The last one has this number.
    #[must_use]
    pub fn new(last: i64) -> Self {
        Self {
            last,
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

    /// The next one is committed.
    pub fn committed(&mut self) {
        self.last += 1;
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
}
