//! A ladder's rules and state.

use std::collections::BTreeSet;

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

/// A ladder's state.
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
