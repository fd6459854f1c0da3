//! What a fault costs.

use std::fmt;

/// What a fault costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultAction {
    /// The message is refused and the clock runs on.
    Refuse,
    /// A strike: as [`FaultAction::Refuse`] where that is possible, as
    /// [`FaultAction::Substitute`] elsewhere; the seat forfeits at the limit of strikes.
    Strike,
    /// The house decides this request, or every request until the bot is there.
    Substitute,
    /// The seat forfeits: the house plays it to the end, and it takes the last place.
    Forfeit,
}

impl fmt::Display for FaultAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refuse => "REFUSE",
            Self::Strike => "STRIKE",
            Self::Substitute => "SUBSTITUTE",
            Self::Forfeit => "FORFEIT",
        })
    }
}
