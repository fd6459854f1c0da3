//! Errors that prevent a match's recovery.

use thiserror::Error;

use super::FORMAT_VERSION;

/// The reason why a match in play cannot be recovered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unreplayable {
    /// The journal has an unsupported format version.
    #[error("journal format version {found} is not supported (supported: {FORMAT_VERSION})")]
    FormatVersion {
        /// The version found in the header.
        found: u32,
    },
    /// The game is unknown to this version.
    #[error("the game {game_id:?} is not supported by this version")]
    UnknownGame {
        /// The identifier found in the header.
        game_id: String,
    },
    /// The match was created with another version of the rules.
    #[error(
        "the match uses rules version {found} of {game_id}, which is not supported \
         (supported: {supported}); run version {server_version} of the program"
    )]
    RulesVersion {
        /// Identifier of the game.
        game_id: &'static str,
        /// The rules version of the match.
        found: u32,
        /// The supported rules version.
        supported: u32,
        /// Version of the program that created the match.
        server_version: String,
    },
    /// A field of the header is invalid.
    #[error("header field {field}: {problem}")]
    Header {
        /// Name of the field.
        field: &'static str,
        /// Description of the error.
        problem: String,
    },
    /// A journal entry is invalid.
    #[error("journal entry {number}: {problem}")]
    Entry {
        /// The entry's number, counted from 0.
        number: u64,
        /// Description of the error.
        problem: String,
    },
    /// Replaying an entry leads to a state that differs from the state in the journal.
    #[error(
        "after journal entry {number}, {what} is {replayed}, but was {written} when the match was \
         played"
    )]
    Differs {
        /// The entry's number, counted from 0.
        number: u64,
        /// Name of the value that differs.
        what: &'static str,
        /// The replayed match's value.
        replayed: String,
        /// The value that the journal has.
        written: String,
    },
}
