//! Why a write of a batch is refused.

use thiserror::Error;

use crate::{
    LadderId, MatchId,
    limits::{MAX_NOTE_BYTES, MAX_NOTE_NAME_BYTES},
};

/// Why a write does not fit what is stored.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WriteRefusal {
    /// A note has no name, or it or its name is too large.
    #[error(
        "the note {name:?} has a name of {name_bytes} bytes and a value of {bytes}; a name has 1 to \
         {MAX_NOTE_NAME_BYTES} bytes and a value at most {MAX_NOTE_BYTES}"
    )]
    NoteTooLarge {
        /// The beginning of its name.
        name: String,
        /// Bytes of its name.
        name_bytes: usize,
        /// Bytes of its value.
        bytes: usize,
    },
    /// The id of a match to be opened belongs to a match in play or finished.
    #[error("there is a match {match_id} already")]
    MatchExists {
        /// The match.
        match_id: MatchId,
    },
    /// No match has this id.
    #[error("there is no match {match_id}")]
    UnknownMatch {
        /// The id.
        match_id: MatchId,
    },
    /// The match is still in play.
    #[error("the match {match_id} is in play")]
    MatchInPlay {
        /// The match.
        match_id: MatchId,
    },
    /// The match is not in play any more.
    #[error("the match {match_id} is finished")]
    MatchFinished {
        /// The match.
        match_id: MatchId,
    },
    /// The match cannot be read: it can only be dropped.
    #[error("the match {match_id} is damaged: drop it, or restore a backup")]
    MatchDamaged {
        /// The match.
        match_id: MatchId,
    },
    /// The entry would leave a gap in the journal, or repeat a number.
    #[error("the next entry of match {match_id} is number {expected}, not {number}")]
    NumberOutOfOrder {
        /// The match.
        match_id: MatchId,
        /// The number of the entry.
        number: u64,
        /// The number that comes next.
        expected: u64,
    },
    /// A part is larger than its limit.
    #[error("the {part} of match {match_id} has {bytes} bytes, and at most {limit} are stored")]
    TooLarge {
        /// The match.
        match_id: MatchId,
        /// `header`, `entry`, `summary` or `replay`.
        part: &'static str,
        /// Its size.
        bytes: usize,
        /// Its limit.
        limit: usize,
    },
    /// The name of a ladder to be opened belongs to another.
    #[error("there is a ladder {ladder_id} already")]
    LadderExists {
        /// The ladder.
        ladder_id: LadderId,
    },
    /// No ladder has this name.
    #[error("there is no ladder {ladder_id}")]
    UnknownLadder {
        /// The name.
        ladder_id: LadderId,
    },
    /// The ladder cannot be read: it can only be dropped.
    #[error("the ladder {ladder_id} is damaged: drop it, or restore a backup")]
    LadderDamaged {
        /// The ladder.
        ladder_id: LadderId,
    },
    /// Somebody else leads the ladder by now, or nobody has led it yet.
    #[error("the ladder {ladder_id} is led in term {expected} by now, not in {term}")]
    LadderTermOver {
        /// The ladder.
        ladder_id: LadderId,
        /// The term of the change.
        term: u64,
        /// The term that it would have to name.
        expected: u64,
    },
    /// The match would leave a gap among those of its ladder, or repeat a number.
    #[error("the next match of the ladder {ladder_id} is number {expected}, not {number}")]
    LadderMatchOutOfOrder {
        /// The ladder.
        ladder_id: LadderId,
        /// The number of the match.
        number: u64,
        /// The number that comes next.
        expected: u64,
    },
    /// The match is over, unknown, or cannot be read.
    #[error("match {number} of the ladder {ladder_id} is not one that can end")]
    LadderMatchNotOpen {
        /// The ladder.
        ladder_id: LadderId,
        /// The number of the match.
        number: u64,
    },
    /// A part of a ladder is larger than its limit.
    #[error(
        "the {part} of the ladder {ladder_id} has {bytes} bytes, and at most {limit} are stored"
    )]
    LadderPartTooLarge {
        /// The ladder.
        ladder_id: LadderId,
        /// `rules`, `bot name`, `bot version`, `version` or `match`.
        part: &'static str,
        /// Its size.
        bytes: usize,
        /// Its limit.
        limit: usize,
    },
    /// The match has more parties than are stored.
    #[error("the match {match_id} has {parties} parties, and at most {limit} are stored")]
    TooManyParties {
        /// The match.
        match_id: MatchId,
        /// How many it has.
        parties: usize,
        /// The limit.
        limit: usize,
    },
}
