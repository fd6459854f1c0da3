//! A ladder's matches: purpose, pairing and outcome.

use crate::BotVersion;

/// A match's purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The match counts for the ratings.
    Rated,
    /// The match checks that a new version works.
    Validation,
    /// A user requested the match, which does not count.
    Requested,
}

/// A match that is to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The match's purpose.
    pub purpose: Purpose,
    /// The versions in seat order. A version that is being validated can have several seats.
    pub seats: Vec<BotVersion>,
    /// The number of the annulled match that this match repeats.
    pub replaces: Option<u64>,
}

/// A match's outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The match was played to its end, and the result is valid.
    Played(Vec<SeatEnd>),
    /// The match was played to its end, but annulled because of a server failure. Annulment does
    /// not depend on which bot was ahead.
    Annulled(Vec<SeatEnd>),
    /// The match was not played because the bots in these seats did not connect. The list is empty
    /// if no bot is to blame.
    Cancelled {
        /// The vacant seats, from 0.
        absent: Vec<usize>,
    },
}

/// A seat's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatEnd {
    /// The place, 1 for the best. Tied seats share a place.
    pub place: u32,
    /// The score in the game.
    pub score: i32,
    /// Whether the bot lost its seat because of its faults.
    pub forfeited: bool,
}

/// The start and end of a match, in ms since a fixed epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The time at which the match was paired.
    pub started_ms: u64,
    /// The time at which the match ended.
    pub ended_ms: u64,
}
