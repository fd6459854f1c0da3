//! What a ladder is.

use std::collections::BTreeSet;

/// The rules of a ladder, as far as pairing and rating ask for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// Seats of a match: 2 or more.
    pub seats: usize,
    /// Most matches at once.
    pub max_matches: usize,
    /// Most matches of a bot at once.
    pub max_slots: u32,
    /// Whether bots of one owner never meet, but for the validation of one of them.
    pub owners_apart: bool,
    /// Names of the bots of the house. New versions are validated against them.
    pub house_bots: BTreeSet<String>,
    /// When a closing round ends.
    pub closing: ClosingRule,
}

/// When a closing round ends: at the first of what is set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClosingRule {
    /// When the order of so many of the best holds with `confidence`; 0 for never.
    pub settled_top: usize,
    /// Share such as 0.95.
    pub confidence: f64,
    /// After so many matches of each bot in the round; 0 for never.
    pub max_matches_per_bot: u64,
}

/// Where a ladder stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Bots enter and play.
    Open,
    /// No version enters any more; the closing round is played.
    Frozen {
        /// Matches that the ladder had when it was frozen: those from this number on are of the
        /// round.
        at_match: u64,
    },
    /// Nothing is paired any more.
    Closed,
}
