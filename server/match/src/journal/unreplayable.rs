//! Why a match in play cannot be replayed.

use thiserror::Error;

use super::FORMAT_VERSION;

/// Why a match in play cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unreplayable {
    /// It was written by another version of the journal's format.
    #[error("its journal has format version {found}, and this program reads {FORMAT_VERSION}")]
    FormatVersion {
        /// Its version.
        found: u32,
    },
    /// No game has its identifier.
    #[error("its game is {game_id:?}, and this program knows no such game")]
    UnknownGame {
        /// The identifier.
        game_id: String,
    },
    /// It was played by other rules.
    #[error(
        "it is played by version {found} of the rules of {game_id}, made by version \
         {server_version} of the program; this program plays version {known}"
    )]
    RulesVersion {
        /// The game.
        game_id: &'static str,
        /// The version of the rules that it is played by.
        found: u32,
        /// The version that this program plays.
        known: u32,
        /// Version of the program that made it.
        server_version: String,
    },
    /// A field of its header makes no sense.
    #[error("{field} of its header: {problem}")]
    Header {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// An entry of its journal makes no sense.
    #[error("entry {number} of its journal: {problem}")]
    Entry {
        /// Number of the entry, from 0.
        number: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// Replaying it leads elsewhere.
    #[error(
        "after entry {number} of its journal {what} is {replayed}, and was {written} when it was \
         played"
    )]
    Differs {
        /// Number of the entry, from 0.
        number: u64,
        /// What differs.
        what: &'static str,
        /// What it is now.
        replayed: String,
        /// What it was.
        written: String,
    },
}
