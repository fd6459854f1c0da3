//! Cancellation of a match.

use std::sync::Arc;

use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::{Input, MatchPhase};

use crate::{CancelError, Cancellation, Effect, Match, Report, ServerTime};

impl<G: WireGame> Match<G> {
    /// Cancels the match after handling earlier reports and expired deadlines. Has no effect on a
    /// match that is already cancelled.
    ///
    /// # Errors
    /// Returns an error if the match has ended or is parked.
    pub fn cancel(
        &mut self,
        (now, reports): (ServerTime, &mut Vec<Report>),
        cancellation: Cancellation,
        effects: &mut Vec<Effect>,
    ) -> Result<(), CancelError> {
        self.tick((now, reports), effects);
        if self.referee.phase() == MatchPhase::Ended {
            let cancelled = self.cancelled.as_ref();
            return cancelled.map(|_| ()).ok_or(CancelError::Ended);
        }
        if self.is_parked {
            return Err(CancelError::Parked);
        }
        self.cancelled = Some((now.time, Arc::new(cancellation)));
        self.handle(now.time, Input::Cancelled, effects);
        Ok(())
    }
}
