//! What a server with keys shows without one.

/// What everybody may look at on a server with keys. Each includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PublicRead {
    /// Nothing: each call needs a key.
    #[default]
    None,
    /// Ladders: how their bots stand, who met whom, and what came of it.
    Results,
    /// Matches too: lists, and matches as they are played.
    Matches,
    /// Replays too.
    All,
}
