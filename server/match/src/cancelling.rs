//! Cancelling a match.

use std::sync::Arc;

use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{Input, MatchPhase};

use crate::{Cancellation, Effect, Match, Moment, NotCancelled, Report};

impl<G: WireGame> Match<G> {
    /// Cancels the match. What had been reported by then, and what had run out, comes first. Does
    /// nothing to one that was cancelled before.
    ///
    /// # Errors
    /// Why not.
    pub fn cancel(
        &mut self,
        (now, reports): (Moment, &mut Vec<Report>),
        cancellation: Cancellation,
        effects: &mut Vec<Effect>,
    ) -> Result<(), NotCancelled> {
        self.tick((now, reports), effects);
        if self.referee.phase() == MatchPhase::Ended {
            let cancelled = self.cancelled.as_ref();
            return cancelled.map(|_| ()).ok_or(NotCancelled::Ended);
        }
        if self.is_parked {
            return Err(NotCancelled::Parked);
        }
        self.cancelled = Some((now.time, Arc::new(cancellation)));
        self.handle(now.time, Input::Cancelled, effects);
        Ok(())
    }
}
