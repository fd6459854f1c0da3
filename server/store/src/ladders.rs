//! What the store keeps of ladders: bytes with names and numbers, never read by it.
//!
//! One process leads a ladder: it pairs its matches and counts them. Who leads has taken the
//! ladder's newest **term**, and every change names the term that it is made in. So of two
//! processes that both think that they lead, the older one changes nothing any more.

use async_trait::async_trait;

use crate::{Damage, LadderId, StoreError};

/// A change of a ladder, as part of [`Write::ChangeLadder`](crate::Write::ChangeLadder).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LadderChange {
    /// A ladder comes to be, in term 0, without versions and matches.
    Open {
        /// What it is, up to [`MAX_LADDER_BYTES`](crate::limits::MAX_LADDER_BYTES).
        value: Vec<u8>,
    },
    /// Somebody leads it from now on.
    Lead {
        /// One more than the term before.
        term: u64,
    },
    /// What it is has changed.
    Keep {
        /// Its term.
        term: u64,
        /// As in `Open`.
        value: Vec<u8>,
    },
    /// A version of a bot is kept, in place of what was kept of it.
    KeepVersion {
        /// Its term.
        term: u64,
        /// Name of the bot, up to
        /// [`MAX_LADDER_NAME_BYTES`](crate::limits::MAX_LADDER_NAME_BYTES).
        bot_name: String,
        /// The version, up to the same limit.
        bot_version: String,
        /// What is known of it, up to
        /// [`MAX_LADDER_VERSION_BYTES`](crate::limits::MAX_LADDER_VERSION_BYTES).
        value: Vec<u8>,
    },
    /// A match is paired, and not over.
    Pair {
        /// Its term.
        term: u64,
        /// The matches that the ladder has so far: 0 for the first.
        number: u64,
        /// Who plays it, up to
        /// [`MAX_LADDER_MATCH_BYTES`](crate::limits::MAX_LADDER_MATCH_BYTES).
        value: Vec<u8>,
    },
    /// A match is over. It stays so: nothing is counted twice.
    End {
        /// Its term.
        term: u64,
        /// A match that is not over.
        number: u64,
        /// Who played it and what came of it, up to the same limit.
        value: Vec<u8>,
    },
    /// The ladder is forgotten with its versions and matches, if there is one of this name,
    /// damaged or not.
    Drop,
}

/// A ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLadder {
    /// Its name.
    pub ladder_id: LadderId,
    /// The newest term that somebody led it in; 0 before the first.
    pub term: u64,
    /// What it is.
    pub value: Vec<u8>,
}

/// A version of a bot of a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLadderVersion {
    /// Name of the bot.
    pub bot_name: String,
    /// The version.
    pub bot_version: String,
    /// What is known of it.
    pub value: Vec<u8>,
}

/// A match of a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLadderMatch {
    /// Its number among those of the ladder, from 0, in the order of pairing.
    pub number: u64,
    /// Whether it is over.
    pub is_over: bool,
    /// Who plays it, and once it is over, what came of it.
    pub value: Vec<u8>,
}

/// Rows that were read, and those that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderRows<T> {
    /// In the order of their names or numbers.
    pub kept: Vec<T>,
    /// Those that cannot be read.
    pub damaged: Vec<Damage>,
    /// Where to go on; `None` at the end.
    pub next: Option<u64>,
}

impl<T> Default for LadderRows<T> {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            damaged: Vec::new(),
            next: None,
        }
    }
}

/// The ladders of a server. They are changed by [`Store::commit`](crate::Store::commit).
#[async_trait]
pub trait LadderStore: Send + Sync {
    /// Every ladder.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn ladders(&self) -> Result<LadderRows<StoredLadder>, StoreError>;

    /// Every version of every bot of a ladder; none if there is no such ladder.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn ladder_versions(
        &self,
        id: &LadderId,
    ) -> Result<LadderRows<StoredLadderVersion>, StoreError>;

    /// At most `limit` matches of a ladder, and never more than
    /// [`MAX_PAGE_LADDER_MATCHES`](crate::limits::MAX_PAGE_LADDER_MATCHES), from the number `from`
    /// on. A `limit` of 0 counts as 1. Matches that cannot be read count towards the page.
    ///
    /// # Errors
    /// A failure of the storage.
    async fn ladder_matches(
        &self,
        id: &LadderId,
        from: u64,
        limit: u32,
    ) -> Result<LadderRows<StoredLadderMatch>, StoreError>;

    /// The match of this number; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be read; or a failure of the storage.
    async fn ladder_match(
        &self,
        id: &LadderId,
        number: u64,
    ) -> Result<Option<StoredLadderMatch>, StoreError>;
}
