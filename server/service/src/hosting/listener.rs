//! Who is told what becomes of matches.

use bridgemaster_games::Seat;
use bridgemaster_match::MatchId;

use super::{HostedMatch, Ticket};
use crate::journal::Gate;

/// Somebody above the matches who is told what becomes of them: who offers their seats, or counts
/// their results. It is called outside of every lock of a match, and must not wait.
pub(crate) trait MatchListener: Send + Sync {
    /// A match is there, and stored: a new one, or one of an earlier server that goes on. `ticket`
    /// gives those of its offered seats.
    fn hosted(&self, hosted: &dyn HostedMatch, ticket: &dyn Fn(Seat) -> Ticket, is_new: bool);

    /// A bot has come to a seat, for the first time or again.
    fn joined(&self, id: &MatchId, seat: Seat);

    /// A match has ended or was cancelled. Nobody is to be told of it before `gate` is open.
    fn over(&self, id: &MatchId, gate: Option<&Gate>);
}
