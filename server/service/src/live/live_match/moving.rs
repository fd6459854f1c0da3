//! Hands a match off to another node while this server still runs.

use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::MatchPhase;

use super::{
    super::{hosted_match::MatchView as _, outbound::Closing},
    LiveMatch,
};
use crate::refusal::Refusal;

impl<G: WireGame> LiveMatch<G> {
    /// Returns whether bots play the match and nothing binds it to this node. Matches with offers
    /// or withheld seeds belong to the leader, and a delayed view stays on its node.
    pub(super) fn can_resume_remotely(&self) -> bool {
        let origin = &self.shared.origin;
        let needs_leader = origin.is_seed_withheld() || !origin.offered.is_empty();
        let has_spectator_delay = origin.spectators.is_some_and(|rules| rules.delay_ms > 0);
        if needs_leader || has_spectator_delay || self.is_over() {
            return false;
        }
        self.lock().streams.iter().any(Option::is_some)
    }

    /// Parks the match, so that no more of its entries are stored. Returns `false` if the match is
    /// over.
    pub(super) fn park_machine(&self) -> bool {
        let mut locked = self.lock();
        if locked.machine.referee().phase() == MatchPhase::Ended {
            return false;
        }
        locked.machine.park();
        true
    }

    /// Closes all streams after their queued messages, and refuses new bots and spectators.
    pub(super) fn close_streams(&self) {
        let mut locked = self.lock();
        // The token is cancelled under the lock. So a joining bot either sees the cancelled token,
        // or has a stream that is closed here.
        self.shared.moved.cancel();
        let gate = locked.gates.gate_for(locked.machine.uncommitted());
        for stream in &mut locked.streams {
            if let Some((_, sender)) = stream.take() {
                sender.close(Closing::Refused(Refusal::stopping()), gate.clone());
            }
        }
        locked.publisher.close(Refusal::stopping());
    }

    /// Checks that the match was not handed off to another node.
    ///
    /// # Errors
    /// The refusal of a stopping server, if the match was handed off.
    pub(super) fn check_not_moved(&self) -> Result<(), Refusal> {
        if self.shared.moved.is_cancelled() {
            Err(Refusal::stopping())
        } else {
            Ok(())
        }
    }
}
