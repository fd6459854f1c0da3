//! The possible costs of a fault. The house is the server's own player, which decides in place of a
//! bot.

use std::fmt;

/// The cost of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultAction {
    /// The message is rejected and the clock keeps running.
    Refuse,
    /// A strike. Also acts as [`FaultAction::Refuse`] if possible, and otherwise as
    /// [`FaultAction::Substitute`]. The seat forfeits when it reaches the strike limit.
    Strike,
    /// The house answers this request, or every request until the bot is connected.
    Substitute,
    /// The seat forfeits. The house plays for the seat until the end, and the seat is placed last.
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
