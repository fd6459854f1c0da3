//! How a match in play goes, for those who look at its positions.

use std::sync::Arc;

use bridgemaster_proto::{games::WireGame, v1};
use bridgemaster_referee::MatchPhase;
use tokio::sync::watch;

use super::{
    super::{
        closing::{cancelled, is_running},
        groups::still_running,
        hosted_match::{Course, CourseNews, ReplayBytes},
        relay::Relay,
    },
    LiveMatch,
};
use crate::{journal::Gated, refusal::Refusal};

impl<G: WireGame> Course for LiveMatch<G> {
    fn changes(&self) -> Option<watch::Receiver<u64>> {
        let mut locked = self.lock();
        if locked.machine.referee().phase() == MatchPhase::Ended {
            return None;
        }
        Some(locked.follow_among_many())
    }

    fn news(&self, from_bytes: usize) -> Gated<CourseNews> {
        let locked = self.lock();
        locked.shown(CourseNews {
            standing: locked.machine.standing(),
            records: locked.machine.public_records(from_bytes).to_vec(),
        })
    }

    fn head(&self) -> Option<v1::Replay> {
        let locked = self.lock();
        let is_over = locked.machine.referee().phase() == MatchPhase::Ended;
        (!is_over).then(|| locked.machine.replay_head())
    }

    fn whole_replay(&self) -> ReplayBytes {
        let mut locked = self.lock();
        let replay = locked.machine.replay().map(Arc::clone);
        match (replay, locked.machine.cancellation()) {
            (None, Some(why)) => ReplayBytes::Never(locked.shown(cancelled(&why.reason))),
            (None, None) => ReplayBytes::Growing,
            (Some(bytes), _) => ReplayBytes::Here(locked.shown(bytes)),
        }
    }

    fn is_secret_for(&self) -> Option<Refusal> {
        let locked = self.lock();
        if locked.machine.referee().phase() != MatchPhase::Ended {
            return Some(is_running());
        }
        locked.machine.is_held_back().then(still_running)
    }

    fn relay(&self) -> Option<&Relay> {
        Some(&self.around.relay)
    }
}
