//! Notifications about matches, for the lobby and the ladders.

use bridgemaster_games::Seat;
use bridgemaster_match::MatchId;

use super::{HostedMatch, Ticket};
use crate::journal::Gate;

/// Receives notifications about matches, to offer their seats or to count their results. Methods
/// are called without the lock of any match, and must not block.
pub(crate) trait MatchListener: Send + Sync {
    /// A new match, or a match from an earlier server, is now hosted and stored. `ticket` returns
    /// the tickets of the match's offered seats.
    fn on_hosted(&self, hosted: &dyn HostedMatch, ticket: &dyn Fn(Seat) -> Ticket, is_new: bool);

    /// A bot has joined or rejoined a seat.
    fn on_joined(&self, id: &MatchId, seat: Seat);

    /// A match has ended or was cancelled. The end must not become visible before `gate` is open.
    fn on_over(&self, id: &MatchId, gate: Option<&Gate>);
}
