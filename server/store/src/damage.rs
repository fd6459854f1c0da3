//! What is damaged in a store, one value at a time.

use std::fmt;

use crate::{KeyId, MatchId};

/// A value that does not read back as it was written. It is not used; the others are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What is damaged.
    pub value: DamagedValue,
    /// What is wrong with it.
    pub detail: String,
}

/// A value that can be damaged by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamagedValue {
    /// The header of a match in play: it cannot go on.
    Header(MatchId),
    /// The journal of a match in play: it cannot go on.
    Journal(MatchId),
    /// The summary of a finished match, or one of its times.
    Summary(MatchId),
    /// The replay of a finished match.
    Replay(MatchId),
    /// The entry of a finished match in the lists of its parties.
    Party(MatchId),
    /// An API key, by its id or what stands in for it. It opens nothing.
    Key(KeyId),
    /// A secret of the server, by its name as far as that can be read.
    Secret(String),
    /// A note, by its name as far as that can be read.
    Note(String),
    /// A ladder, by its name as far as that can be read. It is not played.
    Ladder(String),
    /// A version of a bot of a ladder. It enters anew.
    LadderVersion {
        /// The ladder.
        ladder: String,
        /// Name of the bot, as far as it can be read.
        bot_name: String,
        /// The version, as far as it can be read.
        bot_version: String,
    },
    /// A match of a ladder. It does not count.
    LadderMatch {
        /// The ladder.
        ladder: String,
        /// Its number.
        number: u64,
    },
    /// A batch of the journal, by its number. The matches that it affects have damages of their
    /// own; without any, it affects no match in play.
    Batch(i64),
}

impl DamagedValue {
    /// The match that it belongs to.
    #[must_use]
    pub fn match_id(&self) -> Option<&MatchId> {
        match self {
            Self::Header(id)
            | Self::Journal(id)
            | Self::Summary(id)
            | Self::Replay(id)
            | Self::Party(id) => Some(id),
            Self::Key(_)
            | Self::Secret(_)
            | Self::Note(_)
            | Self::Ladder(_)
            | Self::LadderVersion { .. }
            | Self::LadderMatch { .. }
            | Self::Batch(_) => None,
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
            Self::Note(name) => write!(f, "the note {name:?}"),
            Self::Ladder(name) => write!(f, "the ladder {name:?}"),
            Self::LadderVersion {
                ladder,
                bot_name,
                bot_version,
            } => write!(
                f,
                "the version {bot_version:?} of the bot {bot_name:?} of the ladder {ladder:?}"
            ),
            Self::LadderMatch { ladder, number } => {
                write!(f, "match {number} of the ladder {ladder:?}")
            }
            Self::Batch(number) => write!(f, "batch {number} of the journal"),
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is damaged: {}", self.value, self.detail)
    }
}
