//! Ladders as stored: opaque bytes, identified by names and numbers.
//!
//! One process leads a ladder: it pairs the matches and counts their results. The leader has
//! started the newest **term** of the ladder, and every change contains the term of its writer. So
//! if two processes both act as leader, the changes of the older leader are refused.

use async_trait::async_trait;

use crate::{DamageReport, LadderId, StoreError};

/// A change to a ladder, as part of [`Write::ChangeLadder`](crate::Write::ChangeLadder).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LadderChange {
    /// Creates a ladder in term 0, without versions and matches.
    Open {
        /// Description of the ladder, at most [`MAX_LADDER_BYTES`](crate::limits::MAX_LADDER_BYTES)
        /// long.
        value: Vec<u8>,
    },
    /// Starts a term: the writer leads the ladder from now on.
    StartTerm {
        /// The new term: the current term plus 1.
        term: u64,
    },
    /// Replaces the ladder's description.
    Update {
        /// The current term of the ladder.
        term: u64,
        /// New description of the ladder, with the same size limit as in `Open`.
        value: Vec<u8>,
    },
    /// Inserts or replaces a bot version.
    PutVersion {
        /// The current term of the ladder.
        term: u64,
        /// Name of the bot, at most [`MAX_LADDER_NAME_BYTES`](crate::limits::MAX_LADDER_NAME_BYTES)
        /// long.
        bot_name: String,
        /// Name of the version, with the same length limit.
        bot_version: String,
        /// Stored record of the version, at most
        /// [`MAX_LADDER_VERSION_BYTES`](crate::limits::MAX_LADDER_VERSION_BYTES) long.
        value: Vec<u8>,
    },
    /// Adds a match that is paired, but has not ended yet.
    Pair {
        /// The current term of the ladder.
        term: u64,
        /// Number of the match: the number of matches that the ladder has so far, 0 for the first.
        number: u64,
        /// Pairing of the match, at most
        /// [`MAX_LADDER_MATCH_BYTES`](crate::limits::MAX_LADDER_MATCH_BYTES) long.
        value: Vec<u8>,
    },
    /// Ends a match. A match can end only once, so no match counts twice.
    End {
        /// The current term of the ladder.
        term: u64,
        /// A match that has not ended.
        number: u64,
        /// Pairing and result, with the same size limit.
        value: Vec<u8>,
    },
    /// Deletes the ladder with its versions and matches, even if it is damaged. Has no effect if
    /// the ladder does not exist.
    Drop,
}

/// A ladder, without versions and matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLadder {
    /// Unique name of the ladder.
    pub ladder_id: LadderId,
    /// The newest term that was started; 0 before the first.
    pub term: u64,
    /// Description of the ladder, opaque to the store.
    pub value: Vec<u8>,
}

/// A bot version on a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLadderVersion {
    /// Name of the bot, unique together with the version.
    pub bot_name: String,
    /// Name of the version, chosen by the author of the bot.
    pub bot_version: String,
    /// Stored record of the version, opaque to the store.
    pub value: Vec<u8>,
}

/// A ladder match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLadderMatch {
    /// Number of the match on the ladder, from 0, in pairing order.
    pub number: u64,
    /// True once the match has ended.
    pub is_over: bool,
    /// The pairing and, once the match has ended, the result; opaque to the store.
    pub value: Vec<u8>,
}

/// A ladder's readable rows, and the damage in its unreadable rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderRows<T> {
    /// Readable rows, ordered by name or number.
    pub intact: Vec<T>,
    /// Rows that cannot be read.
    pub damaged: Vec<DamageReport>,
    /// Start of the next page; `None` at the end.
    pub next: Option<u64>,
}

impl<T> Default for LadderRows<T> {
    fn default() -> Self {
        Self {
            intact: Vec::new(),
            damaged: Vec::new(),
            next: None,
        }
    }
}

/// Read access to a server's ladders. [`Store::commit`](crate::Store::commit) changes them.
#[async_trait]
pub trait LadderStore: Send + Sync {
    /// Returns every ladder.
    ///
    /// # Errors
    /// A storage failure.
    async fn ladders(&self) -> Result<LadderRows<StoredLadder>, StoreError>;

    /// Returns all bot versions on a ladder; no rows if the ladder does not exist.
    ///
    /// # Errors
    /// A storage failure.
    async fn ladder_versions(
        &self,
        id: &LadderId,
    ) -> Result<LadderRows<StoredLadderVersion>, StoreError>;

    /// Returns a page of a ladder's matches, starting at number `from`. The page has at most
    /// `limit` matches, clamped to
    /// `1..=`[`MAX_PAGE_LADDER_MATCHES`](crate::limits::MAX_PAGE_LADDER_MATCHES). Matches that
    /// cannot be read count towards the page.
    ///
    /// # Errors
    /// A storage failure.
    async fn ladder_matches(
        &self,
        id: &LadderId,
        from: u64,
        limit: u32,
    ) -> Result<LadderRows<StoredLadderMatch>, StoreError>;

    /// Returns the match with this number, if it exists.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the match cannot be read; or a storage failure.
    async fn ladder_match(
        &self,
        id: &LadderId,
        number: u64,
    ) -> Result<Option<StoredLadderMatch>, StoreError>;
}
