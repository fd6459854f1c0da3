//! How a match leaves this server while that still runs, for another one to go on with it.

use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::MatchPhase;

use super::{
    super::{hosted_match::ShownMatch as _, outbound::Closing},
    LiveMatch,
};
use crate::refusal::Refusal;

impl<G: WireGame> LiveMatch<G> {
    /// Whether bots play it, and nothing is kept here for it that goes at the end of the server only:
    /// what spans matches moves with the lead, and what spectators see late is shown here until then.
    pub(super) fn can_go_on_elsewhere(&self) -> bool {
        let origin = &self.around.origin;
        let spans_matches = origin.is_held_back() || !origin.offered.is_empty();
        let is_seen_late = origin.spectators.is_some_and(|rules| rules.delay_ms > 0);
        if spans_matches || is_seen_late || self.is_over() {
            return false;
        }
        self.lock().streams.iter().any(Option::is_some)
    }

    /// Has it stand still from now on: nothing more is stored of it. `false` if it is over.
    pub(super) fn park(&self) -> bool {
        let mut locked = self.lock();
        if locked.machine.referee().phase() == MatchPhase::Ended {
            return false;
        }
        locked.machine.park();
        true
    }

    /// Ends its streams, after what is on its way to them. Nobody joins it or watches it any more.
    pub(super) fn end_streams(&self) {
        let mut locked = self.lock();
        // Under the lock: who joins either finds this, or has a stream that ends here.
        self.around.left.cancel();
        let gate = locked.gates.before(locked.machine.unsettled());
        for stream in &mut locked.streams {
            if let Some((_, sender)) = stream.take() {
                sender.close(Closing::Refused(Refusal::stopping()), gate.clone());
            }
        }
        locked.teller.let_go(Refusal::stopping());
    }

    /// Makes sure that no other server goes on with it.
    ///
    /// # Errors
    /// As for every match of a server that stops.
    pub(super) fn check_is_here(&self) -> Result<(), Refusal> {
        match self.around.left.is_cancelled() {
            true => Err(Refusal::stopping()),
            false => Ok(()),
        }
    }
}
