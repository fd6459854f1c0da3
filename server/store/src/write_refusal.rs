//! Reasons why a write in a batch is refused.

use thiserror::Error;

use crate::{
    LadderId, MatchId,
    limits::{MAX_RECORD_BYTES, MAX_RECORD_NAME_BYTES},
};

/// The reason why a write contradicts the stored state.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WriteRefusal {
    /// The name of a record is empty or too long, or its value is too large.
    #[error(
        "the record {name:?} has a name of {name_bytes} bytes and a value of {bytes} bytes; a name \
         has 1 to {MAX_RECORD_NAME_BYTES} bytes, and a value at most {MAX_RECORD_BYTES}"
    )]
    RecordTooLarge {
        /// The first characters of the record's name.
        name: String,
        /// Length of the name, in bytes.
        name_bytes: usize,
        /// Length of the value, in bytes.
        bytes: usize,
    },
    /// The id of the match that the write opens is already in use.
    #[error("match {0} already exists")]
    MatchExists(MatchId),
    /// No match has this id.
    #[error("match {0} does not exist")]
    UnknownMatch(MatchId),
    /// The match is still in play.
    #[error("match {0} is in play")]
    MatchInPlay(MatchId),
    /// The match is no longer in play.
    #[error("match {0} has finished")]
    MatchFinished(MatchId),
    /// The match cannot be read, so it can only be dropped.
    #[error("match {0} is damaged; drop it, or restore a backup")]
    MatchDamaged(MatchId),
    /// The entry would leave a gap in the journal, or repeat an entry number.
    #[error("the next entry of match {match_id} is number {expected}, not {number}")]
    NumberOutOfOrder {
        /// Id of the match, as given in the write.
        match_id: MatchId,
        /// The entry number in the write.
        number: u64,
        /// The next entry number in the journal.
        expected: u64,
    },
    /// A part of a match exceeds its limit.
    #[error("the {part} of match {match_id} has {bytes} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Id of the match, as given in the write.
        match_id: MatchId,
        /// One of `header`, `entry`, `summary` and `replay`.
        part: &'static str,
        /// Size of the part, in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The name of the ladder that the write opens is already in use.
    #[error("ladder {0} already exists")]
    LadderExists(LadderId),
    /// No ladder has this name.
    #[error("ladder {0} does not exist")]
    UnknownLadder(LadderId),
    /// The ladder cannot be read, so it can only be dropped. Or the number of its last match cannot
    /// be read, so no match can be added.
    #[error("ladder {0} is damaged; drop it, or restore a backup")]
    LadderDamaged(LadderId),
    /// The change contains a term that is not the current one.
    #[error("ladder {ladder_id} is in term {expected}, not in {term}")]
    LadderTermEnded {
        /// The ladder that was to change.
        ladder_id: LadderId,
        /// The term that the change names.
        term: u64,
        /// The current term of the ladder.
        expected: u64,
    },
    /// The match number would leave a gap on its ladder, or is already in use.
    #[error("the next match of ladder {ladder_id} is number {expected}, not {number}")]
    LadderMatchOutOfOrder {
        /// Name of the ladder.
        ladder_id: LadderId,
        /// The match number in the write.
        number: u64,
        /// The next match number on the ladder.
        expected: u64,
    },
    /// The ladder match that the write ends has already ended, is unknown, or is unreadable.
    #[error("match {number} of ladder {ladder_id} is not open")]
    LadderMatchNotOpen {
        /// Name of the ladder.
        ladder_id: LadderId,
        /// The match number in the write.
        number: u64,
    },
    /// The organisers' action that the write adds exists.
    #[error("action {number} of ladder {ladder_id} exists")]
    LadderActionExists {
        /// Name of the ladder.
        ladder_id: LadderId,
        /// The action number in the write.
        number: u64,
    },
    /// A part of a ladder exceeds its limit.
    #[error("the {part} of ladder {ladder_id} has {bytes} bytes, more than the limit of {limit}")]
    LadderPartTooLarge {
        /// The ladder that was to change.
        ladder_id: LadderId,
        /// One of `rules`, `bot name`, `bot version`, `version` and `match`.
        part: &'static str,
        /// Size of the part, in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The match has too many parties, or too many index keys.
    #[error("match {match_id} has {parties} parties or index keys, more than the limit of {limit}")]
    TooManyParties {
        /// Id of the match, as given in the write.
        match_id: MatchId,
        /// The number of parties or index keys in the write.
        parties: usize,
        /// Maximum number.
        limit: usize,
    },
}
