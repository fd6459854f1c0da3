//! A match of a ladder: paired, then over.

use crate::BotVersion;

/// What a match is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// It counts.
    Rated,
    /// Shows whether a new version works.
    Validation,
    /// Somebody asked for it.
    Requested,
}

/// A match that is to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// What it is for.
    pub purpose: Purpose,
    /// Who plays it, in seat order. A version that is validated may have several seats.
    pub seats: Vec<BotVersion>,
    /// The number of the annulled match that is played again by this one.
    pub replaces: Option<u64>,
}

/// What came of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It was played to its end, and its result holds.
    Played(Vec<SeatEnd>),
    /// It was played to its end, and the server's own troubles spoiled it: whoever led.
    Annulled(Vec<SeatEnd>),
    /// It was not played: the bots of these seats did not come to them. With no seat, nobody is to
    /// blame.
    Cancelled {
        /// From 0.
        absent: Vec<usize>,
    },
}

/// What came of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatEnd {
    /// Its place, 1 being the best; equal places are ties.
    pub place: u32,
    /// Its score, by the game's own measure.
    pub score: i32,
    /// Whether it lost its seat by its own faults.
    pub forfeited: bool,
}

/// When a match was played, in ms since any fixed moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// It was paired.
    pub began_ms: u64,
    /// It was over.
    pub over_ms: u64,
}
