//! What the store keeps of matches: bytes with an id and times, never read by it.

use std::{collections::BTreeMap, fmt, num::ParseIntError, str::FromStr};

use crate::{Damage, KeyName, LadderChange, LadderId, MatchId};

/// One change of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// A match comes into play, with an empty journal.
    OpenMatch {
        /// An id that no match of the store has, in play or finished.
        match_id: MatchId,
        /// The moment, in milliseconds since 1970 UTC.
        opened_at_unix_ms: i64,
        /// What is needed to begin it, up to
        /// [`MAX_HEADER_BYTES`](crate::limits::MAX_HEADER_BYTES).
        header: Vec<u8>,
    },
    /// One more entry of a journal.
    Append {
        /// A match in play.
        match_id: MatchId,
        /// The entries that the match has so far: 0 for the first.
        number: u64,
        /// What happened, up to [`MAX_ENTRY_BYTES`](crate::limits::MAX_ENTRY_BYTES).
        entry: Vec<u8>,
    },
    /// A match leaves play. Its header and its journal are dropped; the summary and the replay
    /// stay.
    FinishMatch {
        /// A match in play.
        match_id: MatchId,
        /// The moment, in milliseconds since 1970 UTC.
        ended_at_unix_ms: i64,
        /// What lists show of it, up to
        /// [`MAX_SUMMARY_BYTES`](crate::limits::MAX_SUMMARY_BYTES).
        summary: Vec<u8>,
        /// Its record, up to [`MAX_REPLAY_BYTES`](crate::limits::MAX_REPLAY_BYTES); empty if it
        /// has none.
        replay: Vec<u8>,
        /// Whose match it is: the key that made it and the bots that are named after keys, each
        /// once or more, up to [`MAX_PARTIES`](crate::limits::MAX_PARTIES). By these names
        /// [`Store::finished`](crate::Store::finished) finds it.
        parties: Vec<KeyName>,
    },
    /// The replay of a finished match is kept no more; the match stays. One that is kept no more
    /// already stays so.
    ForgetReplay {
        /// A finished match.
        match_id: MatchId,
    },
    /// A match is forgotten with all that is kept of it: one in play that ends without a
    /// result, or a finished one that has been kept long enough. Its id is free again.
    DropMatch {
        /// A match in play or finished.
        match_id: MatchId,
    },
    /// A note is kept, in place of an older one of its name: something small that the server must
    /// find again by a name, and that changes together with matches.
    KeepNote {
        /// 1 to [`MAX_NOTE_NAME_BYTES`](crate::limits::MAX_NOTE_NAME_BYTES) bytes.
        name: String,
        /// Up to [`MAX_NOTE_BYTES`](crate::limits::MAX_NOTE_BYTES).
        value: Vec<u8>,
    },
    /// A note is forgotten, if there is one of this name.
    DropNote {
        /// Its name.
        name: String,
    },
    /// A ladder changes.
    ChangeLadder {
        /// The ladder.
        ladder_id: LadderId,
        /// How.
        change: LadderChange,
    },
}

/// The notes whose names begin alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// By their names.
    pub kept: BTreeMap<String, Vec<u8>>,
    /// Those that cannot be read.
    pub damaged: Vec<Damage>,
}

impl Write {
    /// The match that it changes, if it changes one.
    #[must_use]
    pub fn match_id(&self) -> Option<&MatchId> {
        match self {
            Self::OpenMatch { match_id, .. }
            | Self::Append { match_id, .. }
            | Self::FinishMatch { match_id, .. }
            | Self::ForgetReplay { match_id }
            | Self::DropMatch { match_id } => Some(match_id),
            Self::KeepNote { .. } | Self::DropNote { .. } | Self::ChangeLadder { .. } => None,
        }
    }
}

/// A match in play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenMatch {
    /// Its id.
    pub match_id: MatchId,
    /// When it was opened, in milliseconds since 1970 UTC.
    pub opened_at_unix_ms: i64,
    /// Its header.
    pub header: Vec<u8>,
    /// The entries of its journal: number 0 first, no gap.
    pub journal: Vec<Vec<u8>>,
}

/// A finished match, without its replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedMatch {
    /// Its id.
    pub match_id: MatchId,
    /// When it was opened, in milliseconds since 1970 UTC.
    pub opened_at_unix_ms: i64,
    /// When it ended, in milliseconds since 1970 UTC.
    pub ended_at_unix_ms: i64,
    /// What lists show of it.
    pub summary: Vec<u8>,
}

/// A place in the list of finished matches. It stays true while matches are finished and
/// dropped: what came after it still comes after it. Its text can travel as a page token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FinishedCursor(pub(crate) i64);

impl fmt::Display for FinishedCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for FinishedCursor {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        text.parse().map(Self)
    }
}

/// Part of the list of finished matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedPage {
    /// The one that finished last comes first, whatever the clocks said.
    pub matches: Vec<FinishedMatch>,
    /// Matches of this part of the list that cannot be read.
    pub damaged: Vec<Damage>,
    /// Where the next page begins; `None` after the last match.
    pub next: Option<FinishedCursor>,
}

/// A replay that is kept, of a finished match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptReplay {
    /// The match.
    pub match_id: MatchId,
    /// When it ended, in milliseconds since 1970 UTC.
    pub ended_at_unix_ms: i64,
    /// Size of its replay.
    pub bytes: u64,
    /// Its place in the list of finished matches.
    pub place: FinishedCursor,
}

/// How many matches the store holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchCounts {
    /// Matches in play.
    pub open: u64,
    /// Finished matches.
    pub finished: u64,
}
