//! Matches as stored: opaque bytes with an id and times.

use std::collections::BTreeMap;

use xxhash_rust::xxh64::xxh64;

use crate::{DamageReport, KeyName, LadderChange, LadderId, MatchId};

/// One change in a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Opens a match, with an empty journal.
    OpenMatch {
        /// Id of the match. No other match in the store, in play or finished, may have the same id.
        match_id: MatchId,
        /// Opening time, in milliseconds since 1970 UTC.
        opened_at_unix_ms: i64,
        /// The data needed to start the match, at most
        /// [`MAX_HEADER_BYTES`](crate::limits::MAX_HEADER_BYTES) long.
        header: Vec<u8>,
    },
    /// Appends one entry to a journal.
    Append {
        /// Id of a match in play.
        match_id: MatchId,
        /// Number of the entry: the number of entries that the match has so far, from 0.
        number: u64,
        /// The event, at most [`MAX_ENTRY_BYTES`](crate::limits::MAX_ENTRY_BYTES) long.
        entry: Vec<u8>,
    },
    /// Finishes a match. The match's header and journal are deleted; the summary and the replay are
    /// stored.
    FinishMatch {
        /// Id of a match in play.
        match_id: MatchId,
        /// End time, in milliseconds since 1970 UTC.
        ended_at_unix_ms: i64,
        /// The match's entry in lists, at most
        /// [`MAX_SUMMARY_BYTES`](crate::limits::MAX_SUMMARY_BYTES) long.
        summary: Vec<u8>,
        /// The replay, at most [`MAX_REPLAY_BYTES`](crate::limits::MAX_REPLAY_BYTES) long; empty if
        /// there is none.
        replay: Vec<u8>,
        /// Names of the keys that created and played the match, at most
        /// [`MAX_PARTIES`](crate::limits::MAX_PARTIES) names. Duplicates are allowed.
        /// [`Store::list`](crate::Store::list) finds the match by these names.
        parties: Vec<KeyName>,
        /// Properties by which lists find the match, at most
        /// [`MAX_INDEX_KEYS`](crate::limits::MAX_INDEX_KEYS). Duplicates are allowed.
        index_keys: Vec<IndexKey>,
    },
    /// Deletes the replay of a finished match, but not the match. Has no effect if the replay was
    /// already deleted.
    ForgetReplay {
        /// Id of a finished match.
        match_id: MatchId,
    },
    /// Deletes a match with all of its data. A match in play then ends without a result. Finished
    /// matches are usually dropped after their retention period. The id can be reused.
    DropMatch {
        /// Id of a match in play or finished.
        match_id: MatchId,
    },
    /// Inserts or replaces a record. A record is a small named value that can change in the same
    /// commit as matches.
    PutRecord {
        /// Name of the record, with a length of 1 to
        /// [`MAX_RECORD_NAME_BYTES`](crate::limits::MAX_RECORD_NAME_BYTES) bytes.
        name: String,
        /// Value of the record, at most [`MAX_RECORD_BYTES`](crate::limits::MAX_RECORD_BYTES) long.
        value: Vec<u8>,
    },
    /// Deletes a record, if it exists.
    RemoveRecord {
        /// The name of the record.
        name: String,
    },
    /// Changes one ladder. The change is refused if its term is not the current term of the ladder.
    ChangeLadder {
        /// The ladder that changes.
        ladder_id: LadderId,
        /// The requested change.
        change: LadderChange,
    },
}

/// A key under which a finished match is indexed: the name of a party, or a property such as the
/// game. A key of a property is short whatever the value, so two values can have the same key: the
/// caller checks the matches that it finds by the key of a property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexKey(String);

impl IndexKey {
    /// Returns the key of a property with this name and value.
    #[must_use]
    pub fn of_property(name: &str, value: &str) -> Self {
        // No name of a party begins with a control character.
        let hash = xxh64(value.as_bytes(), xxh64(name.as_bytes(), 0));
        Self(format!("\u{1}{hash:016x}"))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&KeyName> for IndexKey {
    fn from(party: &KeyName) -> Self {
        Self(party.to_string())
    }
}

/// Records whose names have a common prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// The readable records, by name.
    pub intact: BTreeMap<String, Vec<u8>>,
    /// Records that cannot be read.
    pub damaged: Vec<DamageReport>,
}

impl Write {
    /// Returns the match that the write changes, if any.
    #[must_use]
    pub fn match_id(&self) -> Option<&MatchId> {
        match self {
            Self::OpenMatch { match_id, .. }
            | Self::Append { match_id, .. }
            | Self::FinishMatch { match_id, .. }
            | Self::ForgetReplay { match_id }
            | Self::DropMatch { match_id } => Some(match_id),
            Self::PutRecord { .. } | Self::RemoveRecord { .. } | Self::ChangeLadder { .. } => None,
        }
    }
}

/// A match in play, with its journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenMatch {
    /// Unique id of the match.
    pub match_id: MatchId,
    /// Opening time, in milliseconds since 1970 UTC.
    pub opened_at_unix_ms: i64,
    /// The data needed to start the match.
    pub header: Vec<u8>,
    /// The entries in the match's journal, from number 0 without gaps.
    pub journal: Vec<Vec<u8>>,
}

/// A finished match, without its replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedMatch {
    /// Unique id of the match.
    pub match_id: MatchId,
    /// Opening time, in milliseconds since 1970 UTC.
    pub opened_at_unix_ms: i64,
    /// End time, in milliseconds since 1970 UTC.
    pub ended_at_unix_ms: i64,
    /// The match's entry in lists, opaque to the store.
    pub summary: Vec<u8>,
}

/// A position in the order in which matches finished. The position stays valid when matches are
/// finished or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FinishedCursor(pub(crate) i64);

/// A page of the list of finished matches. The list is ordered by id, highest first, so a match
/// has the same position before and after its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPage {
    /// The matches of the page.
    pub matches: Vec<FinishedMatch>,
    /// Matches on this page that cannot be read. Only `data check` finds a match that was put in a
    /// wrong place because its stored id is damaged.
    pub damaged: Vec<DamageReport>,
    /// The next page has lower ids than this one; `None` after the last match.
    pub next: Option<MatchId>,
}

/// A page of finished matches, in the order in which they finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedPage {
    /// Matches in the order in which they finished, newest first. The order does not depend on
    /// clocks.
    pub matches: Vec<FinishedMatch>,
    /// Matches on this page that cannot be read.
    pub damaged: Vec<DamageReport>,
    /// Start of the next page; `None` after the last match.
    pub next: Option<FinishedCursor>,
    /// Number of matches at the start of [`matches`](Self::matches) that are unsettled: further
    /// matches may still appear next to them. The rest of the list below them is final.
    pub unsettled: usize,
}

/// A stored replay, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayMetadata {
    /// Id of the finished match.
    pub match_id: MatchId,
    /// End time of the match, in milliseconds since 1970 UTC.
    pub ended_at_unix_ms: i64,
    /// Size of the replay, in bytes.
    pub bytes: u64,
    /// The match's position in the order in which matches finished.
    pub cursor: FinishedCursor,
}
