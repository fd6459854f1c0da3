//! Evicts calls when too many are in progress. Bots' streams are never evicted.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};

use super::CallerId;

/// The time after which a call that waits for its client can be evicted.
const MIN_CLIENT_WAIT: Duration = Duration::from_secs(1);
/// The minimum interval between two searches for calls to evict.
const SEARCH_INTERVAL: Duration = Duration::from_millis(20);
/// The divisor for the number of calls that one search evicts, of the caller with the most calls.
/// Several calls are evicted at once, so that not every new call needs a search.
const EVICTION_DIVISOR: usize = 16;

/// A call that can be evicted.
pub(super) trait EvictionCandidate: Send + Sync {
    /// The caller to whom the call is attributed.
    fn caller(&self) -> CallerId;
    /// The time for which the call has waited until its client reads or completes the request;
    /// `None` while the call waits for the server.
    fn waited_for_client(&self) -> Option<Duration>;
    /// Ends the call: its stream is reset.
    fn end(&self);
}

/// The calls in progress, oldest first.
#[derive(Default)]
pub(super) struct CallEvictor {
    state: Mutex<EvictorState>,
}

#[derive(Default)]
struct EvictorState {
    calls: BTreeMap<u64, Weak<dyn EvictionCandidate>>,
    last: u64,
    searched_at: Option<Instant>,
}

/// A call's registration, removed on drop.
pub(super) struct EvictorEntry {
    evictor: Arc<CallEvictor>,
    number: u64,
}

impl CallEvictor {
    pub(super) fn add(self: &Arc<Self>, call: Weak<dyn EvictionCandidate>) -> EvictorEntry {
        let mut state = self.state();
        state.last += 1;
        let number = state.last;
        state.calls.insert(number, call);
        drop(state);
        EvictorEntry { evictor: Arc::clone(self), number }
    }

    /// Evicts calls in favour of a new call: all calls that wait for their clients, or, if there
    /// are none, the oldest calls of the caller with the most calls, unless that caller made the
    /// new call. Returns whether any calls were evicted.
    pub(super) fn evict_calls_for(&self, newcomer: &CallerId) -> bool {
        let mut state = self.state();
        let is_due = |at: Instant| at.elapsed() >= SEARCH_INTERVAL;
        if !state.searched_at.is_none_or(is_due) {
            return false;
        }
        state.searched_at = Some(Instant::now());
        let calls: Vec<Arc<dyn EvictionCandidate>> =
            state.calls.values().filter_map(Weak::upgrade).collect();
        // Unlocked first, since an evicted call needs the lock to remove its registration.
        drop(state);
        let waiting = |call: &&Arc<dyn EvictionCandidate>| {
            call.waited_for_client().is_some_and(|time| time >= MIN_CLIENT_WAIT)
        };
        let mut evicted: Vec<&Arc<dyn EvictionCandidate>> = calls.iter().filter(waiting).collect();
        if evicted.is_empty() {
            let mut by_caller: HashMap<CallerId, Vec<&Arc<dyn EvictionCandidate>>> = HashMap::new();
            for call in &calls {
                by_caller.entry(call.caller()).or_default().push(call);
            }
            let own = by_caller.get(newcomer).map_or(0, Vec::len);
            let largest = by_caller.into_values().max_by_key(Vec::len);
            evicted = largest.filter(|largest| largest.len() > own + 1).unwrap_or_default();
            evicted.truncate(evicted.len().div_ceil(EVICTION_DIVISOR));
        }
        for call in &evicted {
            call.end();
        }
        !evicted.is_empty()
    }

    fn state(&self) -> MutexGuard<'_, EvictorState> {
        self.state.lock()
    }
}

impl Drop for EvictorEntry {
    fn drop(&mut self) {
        self.evictor.state().calls.remove(&self.number);
    }
}
