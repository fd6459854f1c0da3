//! Provides the records of a match in play, from which positions are computed.

use std::sync::Arc;

use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::MatchPhase;
use tokio::sync::watch;

use super::{
    super::{
        groups::group_running,
        hosted_match::{ReplayBytes, ReplaySource, ReplayUpdate},
        refusals::{cancelled, match_running},
        relay::Relay,
    },
    LiveMatch,
};
use crate::{journal::Gated, refusal::Refusal};

impl<G: WireGame> ReplaySource for LiveMatch<G> {
    fn changes(&self) -> Option<watch::Receiver<u64>> {
        let mut locked = self.lock();
        if locked.machine.referee().phase() == MatchPhase::Ended {
            return None;
        }
        Some(locked.subscribe_throttled())
    }

    fn updates_from(&self, from_bytes: usize) -> Gated<ReplayUpdate> {
        let locked = self.lock();
        locked.gated(ReplayUpdate {
            info: locked.machine.status_info(),
            records: locked.machine.public_records(from_bytes).to_vec(),
        })
    }

    fn head(&self) -> Option<v1::Replay> {
        let locked = self.lock();
        let is_over = locked.machine.referee().phase() == MatchPhase::Ended;
        (!is_over).then(|| locked.machine.replay_head())
    }

    fn full_replay(&self) -> ReplayBytes {
        let mut locked = self.lock();
        let replay = locked.machine.replay().map(Arc::clone);
        match (replay, locked.machine.cancellation()) {
            (None, Some(why)) => ReplayBytes::Unavailable(locked.gated(cancelled(&why.reason))),
            (None, None) => ReplayBytes::InProgress,
            (Some(bytes), _) => ReplayBytes::InMemory(locked.gated(bytes)),
        }
    }

    fn withheld_reason(&self) -> Option<Refusal> {
        let locked = self.lock();
        if locked.machine.referee().phase() != MatchPhase::Ended {
            return Some(match_running());
        }
        locked.machine.is_seed_withheld().then(group_running)
    }

    fn relay(&self) -> Option<&Relay> {
        Some(&self.shared.relay)
    }
}
