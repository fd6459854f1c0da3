//! The levels of public reading on a server with keys.

/// Read access without a key on a server with keys. Each level includes all lower levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PublicRead {
    /// No access: each call needs a key.
    #[default]
    None,
    /// Ladders: standings, head-to-head results, and results of matches.
    Results,
    /// In addition, match lists, and matches in play.
    Matches,
    /// In addition, replays of ended matches.
    All,
}
