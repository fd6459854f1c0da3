//! The calls in progress other than streams of bots, and which of them give way when there are too
//! many.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};

use super::caller_id::CallerId;

/// A call that has waited for its peer for so long gives way.
const WAITED: Duration = Duration::from_secs(1);
/// Least time between two searches for calls that give way.
const SEARCH_INTERVAL: Duration = Duration::from_millis(20);
/// The part of the largest caller's calls that gives way at once, so that not each newcomer needs
/// a search.
const PART: usize = 16;

/// A call, as far as the crowd cares.
pub(super) trait CrowdMember: Send + Sync {
    /// Whose it is.
    fn caller(&self) -> CallerId;
    /// How long it has waited for its peer, to send the rest of the request or to read; `None` when
    /// it waits for the server.
    fn waits_for_peer(&self) -> Option<Duration>;
    /// Ends it: its stream is reset.
    fn end(&self);
}

/// The calls, by the order of their beginning.
#[derive(Default)]
pub(super) struct Crowd {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    calls: BTreeMap<u64, Weak<dyn CrowdMember>>,
    last: u64,
    searched_at: Option<Instant>,
}

/// A call's place among them, given up when it is dropped.
pub(super) struct CrowdPlace {
    crowd: Arc<Crowd>,
    number: u64,
}

impl Crowd {
    pub(super) fn add(self: &Arc<Self>, call: Weak<dyn CrowdMember>) -> CrowdPlace {
        let mut state = self.state();
        state.last += 1;
        let number = state.last;
        state.calls.insert(number, call);
        drop(state);
        CrowdPlace {
            crowd: Arc::clone(self),
            number,
        }
    }

    /// Ends calls for a newcomer: those that wait for their peers, or else the oldest of the caller
    /// who has most of them, if that is not the newcomer. Tells whether any end.
    pub(super) fn give_way(&self, newcomer: &CallerId) -> bool {
        let mut state = self.state();
        let is_due = |at: Instant| at.elapsed() >= SEARCH_INTERVAL;
        if !state.searched_at.is_none_or(is_due) {
            return false;
        }
        state.searched_at = Some(Instant::now());
        let calls: Vec<Arc<dyn CrowdMember>> =
            state.calls.values().filter_map(Weak::upgrade).collect();
        // What ends gives its place up, for which it needs the lock.
        drop(state);
        let waiting =
            |call: &&Arc<dyn CrowdMember>| call.waits_for_peer().is_some_and(|time| time >= WAITED);
        let mut ending: Vec<&Arc<dyn CrowdMember>> = calls.iter().filter(waiting).collect();
        if ending.is_empty() {
            let mut by_caller: HashMap<CallerId, Vec<&Arc<dyn CrowdMember>>> = HashMap::new();
            for call in &calls {
                by_caller.entry(call.caller()).or_default().push(call);
            }
            let own = by_caller.get(newcomer).map_or(0, Vec::len);
            let largest = by_caller.into_values().max_by_key(Vec::len);
            ending = largest
                .filter(|largest| largest.len() > own + 1)
                .unwrap_or_default();
            ending.truncate(ending.len().div_ceil(PART));
        }
        for call in &ending {
            call.end();
        }
        !ending.is_empty()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Drop for CrowdPlace {
    fn drop(&mut self) {
        self.crowd.state().calls.remove(&self.number);
    }
}
