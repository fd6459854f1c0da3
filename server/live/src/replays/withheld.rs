//! Replays that are not public yet, because the match's group has not ended or spectators see the
//! match with a delay. Such replays are written to the folder once they are public.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use async_trait::async_trait;
use bridgemaster_edge::limits::{MAX_UNWRITTEN_REPLAY_BYTES, MAX_WITHHELD_REPLAYS};
use bridgemaster_store::MatchId;
use parking_lot::Mutex;
use thiserror::Error;

use super::folder::PendingReplay;

/// The reason why a replay is withheld: returns whether it no longer applies, as of the last
/// [`WithholdingPolicy::reload_groups`].
pub(crate) type WithholdReason = Box<dyn Fn() -> bool + Send + Sync>;

/// The error when the server cannot determine which replays are public.
#[derive(Debug, Error)]
#[error("cannot determine whether a replay is public yet")]
pub struct WithholdReasonUnknown;

/// Decides which replays are withheld.
#[async_trait]
pub trait WithholdingPolicy: Send + Sync {
    /// Returns the reason to withhold the replay of a finished match; `None` if the replay is
    /// public. Call [`reload_groups`](Self::reload_groups) first, once the end of the match is
    /// stored.
    async fn withhold_reason(
        &self,
        id: &MatchId,
    ) -> Result<Option<WithholdReason>, WithholdReasonUnknown>;

    /// Reloads the match groups, since other nodes might have changed them.
    async fn reload_groups(&self) -> Result<(), WithholdReasonUnknown>;
}

#[derive(Default)]
pub(super) struct WithheldSet(Mutex<WithheldState>);

#[derive(Default)]
struct WithheldState {
    replays: BTreeMap<MatchId, WithheldReplay>,
    bytes: usize,
}

struct WithheldReplay {
    withhold_reason: WithholdReason,
    /// The replay itself, on a server without a store.
    bytes: Option<Arc<[u8]>>,
}

#[derive(Debug, Error)]
#[error(
    "more than {MAX_WITHHELD_REPLAYS} replays wait until a match group or a delay has ended; close \
     abandoned groups with `bridgemaster match close-group`"
)]
pub(super) struct TooManyWithheld;

impl WithheldSet {
    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().replays.is_empty()
    }

    pub(super) fn contains(&self, id: &MatchId) -> bool {
        self.0.lock().replays.contains_key(id)
    }

    pub(super) fn ids(&self) -> BTreeSet<MatchId> {
        self.0.lock().replays.keys().cloned().collect()
    }

    /// Withholds the replay of a match. `bytes` is the replay file on a server without a store.
    pub(super) fn add(
        &self,
        id: MatchId,
        withhold_reason: WithholdReason,
        bytes: Option<Arc<[u8]>>,
    ) -> Result<(), TooManyWithheld> {
        let mut state = self.0.lock();
        let sum = state.bytes + bytes.as_ref().map_or(0, |bytes| bytes.len());
        if state.replays.len() >= MAX_WITHHELD_REPLAYS || sum > MAX_UNWRITTEN_REPLAY_BYTES {
            return Err(TooManyWithheld);
        }
        state.bytes = sum;
        state.replays.insert(id, WithheldReplay { withhold_reason, bytes });
        Ok(())
    }

    /// Removes and returns the replays that are public now: first the replays in the store, then
    /// the replays in memory.
    pub(super) fn take_released(&self) -> (Vec<MatchId>, Vec<PendingReplay>) {
        self.take_if(|replay| (replay.withhold_reason)())
    }

    /// Removes and returns all replays that are only in memory.
    pub(super) fn take_unstored(&self) -> Vec<PendingReplay> {
        self.take_if(|replay| replay.bytes.is_some()).1
    }

    fn take_if(
        &self,
        predicate: impl Fn(&WithheldReplay) -> bool,
    ) -> (Vec<MatchId>, Vec<PendingReplay>) {
        let mut state = self.0.lock();
        let taken = state.replays.extract_if(.., |_, replay| predicate(replay));
        let (mut stored, mut in_memory) = (Vec::new(), Vec::new());
        for (match_id, replay) in taken {
            match replay.bytes {
                Some(bytes) => in_memory.push(PendingReplay { match_id, bytes }),
                None => stored.push(match_id),
            }
        }
        state.bytes -= in_memory.iter().map(|replay| replay.bytes.len()).sum::<usize>();
        (stored, in_memory)
    }
}
