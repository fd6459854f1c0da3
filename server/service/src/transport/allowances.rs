//! What callers may have of the server at once: calls in progress, and bytes of what they have not
//! read or not sent whole.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Semaphore;

use super::{caller_id::CallerId, crowd::Crowd, rules_allowance::RulesTallies, turns::Turns};
use crate::{limits::Limits, tally::Tally};

/// Bytes of one permit of a semaphore of bytes.
pub(super) const BYTES_PER_PERMIT: usize = 1024;
/// Callers that the table may have before those that are gone are looked for.
const KEPT_UNSWEPT: usize = 1_024;

/// The allowances of a server: in all, and of each caller.
pub(crate) struct Allowances {
    pub(super) limits: Limits,
    pub(super) in_all: Allowance,
    /// The calls that have places, but for streams of bots.
    pub(super) crowd: Arc<Crowd>,
    pub(super) turns: Turns,
    of_callers: Mutex<Callers>,
}

#[derive(Default)]
struct Callers {
    table: HashMap<CallerId, Weak<Allowance>>,
    /// So many entries make a sweep worth while.
    sweep_at: usize,
}

/// What the server, or one caller, may have at once.
pub(super) struct Allowance {
    pub(super) bot_streams: Arc<Tally>,
    /// Other calls.
    pub(super) calls: Arc<Tally>,
    /// Bytes of requests that are not there whole.
    pub(super) request_bytes: Arc<Tally>,
    /// Bytes of messages that wait for bots behind others.
    pub(super) bot_queue_bytes: Arc<Tally>,
    /// Calls of the rules, and positions of their sessions.
    pub(super) rules: RulesTallies,
    /// Permits for bytes of answers that are not read.
    pub(super) unread: Arc<Semaphore>,
    /// The number of these permits.
    pub(super) unread_permits: usize,
}

impl Allowance {
    fn in_all(limits: &Limits) -> Self {
        let unread_permits = permits(limits.unread_answer_bytes);
        Self {
            bot_streams: Tally::new(limits.bot_streams),
            calls: Tally::new(limits.other_calls),
            request_bytes: Tally::new(limits.unfinished_request_bytes),
            bot_queue_bytes: Tally::new(limits.bot_queue_bytes),
            rules: RulesTallies::new(limits.rules_calls, limits.rules_positions),
            unread: Arc::new(Semaphore::new(unread_permits)),
            unread_permits,
        }
    }

    fn of_one_caller(limits: &Limits) -> Self {
        let unread_permits = permits(limits.unread_answer_bytes_per_caller);
        Self {
            bot_streams: Tally::new(limits.bot_streams_per_caller),
            calls: Tally::new(limits.other_calls_per_caller),
            request_bytes: Tally::new(limits.unfinished_request_bytes_per_caller),
            bot_queue_bytes: Tally::new(limits.bot_queue_bytes_per_caller),
            rules: RulesTallies::new(
                limits.rules_calls_per_caller,
                limits.rules_positions_per_caller,
            ),
            unread: Arc::new(Semaphore::new(unread_permits)),
            unread_permits,
        }
    }
}

/// Permits for so many bytes.
pub(super) fn permits(bytes: usize) -> usize {
    bytes
        .div_ceil(BYTES_PER_PERMIT)
        .clamp(1, Semaphore::MAX_PERMITS)
}

impl Allowances {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            in_all: Allowance::in_all(&limits),
            crowd: Arc::default(),
            turns: Turns::new(),
            of_callers: Mutex::default(),
            limits,
        })
    }

    pub(super) fn of(&self, caller: &CallerId) -> Arc<Allowance> {
        let mut callers = self.of_callers();
        if let Some(known) = callers.table.get(caller).and_then(Weak::upgrade) {
            return known;
        }
        if callers.table.len() >= callers.sweep_at {
            callers.table.retain(|_, known| known.strong_count() > 0);
            callers.sweep_at = KEPT_UNSWEPT.max(2 * callers.table.len());
        }
        let fresh = Arc::new(Allowance::of_one_caller(&self.limits));
        callers.table.insert(caller.clone(), Arc::downgrade(&fresh));
        fresh
    }

    fn of_callers(&self) -> MutexGuard<'_, Callers> {
        self.of_callers.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_has_one_allowance_and_nothing_stays_of_those_that_left() {
        let allowances = Allowances::new(Limits::default());
        let caller = |n: u32| CallerId::Address(std::net::IpAddr::V4(n.into()).into());
        let held = allowances.of(&caller(0));
        assert!(Arc::ptr_eq(&held, &allowances.of(&caller(0))));
        for n in 1..=10 * KEPT_UNSWEPT {
            drop(allowances.of(&caller(u32::try_from(n).unwrap())));
        }
        assert!(allowances.of_callers().table.len() <= 2 * KEPT_UNSWEPT);
        assert!(Arc::ptr_eq(&held, &allowances.of(&caller(0))));
    }
}
