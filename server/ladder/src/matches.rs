//! A ladder's rules, and its matches: purpose, pairing and outcome.

use std::collections::BTreeSet;

use bridgemaster_contest::RatingMethodId;

use crate::BotVersion;

/// The reason why the ladder plays a match.
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
    /// The reason why the match is played.
    pub purpose: Purpose,
    /// The versions in seat order. A version that is being validated can have several seats.
    pub seats: Vec<BotVersion>,
    /// The number of the annulled match that this match repeats.
    pub replaces: Option<u64>,
}

/// How a match ended, with its results if it was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The match was played to its end, and the result is valid.
    Played(Vec<SeatEnd>),
    /// The match was played to its end, but annulled because of a server failure. Annulment does
    /// not depend on which bot was ahead.
    Annulled(Vec<SeatEnd>),
    /// The match is annulled by an organiser. It affects no bot, and is not repeated.
    Voided,
    /// The match was not played because the bots in these seats did not connect. The list is empty
    /// if no bot is to blame.
    Cancelled {
        /// The vacant seats, from 0.
        absent: Vec<usize>,
    },
}

/// The place and score of a seat in a finished match.
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

/// A ladder's rules for pairing and rating.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// The number of seats in a match; at least 2.
    pub seats: usize,
    /// The maximum number of concurrent matches.
    pub max_matches: usize,
    /// The maximum number of a bot's concurrent matches.
    pub max_slots: u32,
    /// Whether bots with the same owner are never paired, except in validations.
    pub owners_apart: bool,
    /// Names of the house bots, which the ladder's operator provides as opponents. New versions are
    /// validated against house bots.
    pub house_bots: BTreeSet<String>,
    /// The end condition of a closing round.
    pub closing: ClosingRule,
    /// The method that computes the ratings.
    pub rating_method: RatingMethodId,
}

/// A closing round's end conditions. The round ends when any of them is met.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClosingRule {
    /// The number of top ranks whose order must be certain with `confidence`; 0 disables this
    /// condition.
    pub settled_top: usize,
    /// The confidence that `settled_top` requires, such as 0.95.
    pub confidence: f64,
    /// The number of matches per bot in the round; 0 disables this condition.
    pub max_matches_per_bot: u64,
}

/// Determines whether new versions can enter and whether matches are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// New versions can enter, and matches are played.
    Open,
    /// No new version can enter, and only the closing round is played.
    Frozen {
        /// The number of matches that had been paired when the ladder was frozen. Matches from this
        /// number on belong to the closing round.
        at_match: u64,
    },
    /// No matches are paired.
    Closed,
}
