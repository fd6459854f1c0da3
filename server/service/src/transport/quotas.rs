//! Quotas on concurrent calls, and on buffered bytes of unread responses and incomplete requests.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Semaphore;

use super::{
    caller_id::CallerId, evictor::Evictor, fair_queue::FairQueue, rules_budget::RulesLimiters,
};
use crate::{limiter::Limiter, limits::Limits};

/// The number of bytes per permit of a byte semaphore.
pub(super) const BYTES_PER_PERMIT: usize = 1024;
/// The number of table entries below which abandoned callers are not swept.
const MIN_SWEEP_SIZE: usize = 1_024;

/// A server's quotas: in total, and per caller.
pub(crate) struct Quotas {
    pub(super) limits: Limits,
    pub(super) server: Quota,
    /// The calls that can be evicted: all except bots' streams.
    pub(super) evictor: Arc<Evictor>,
    pub(super) fair_queue: FairQueue,
    by_caller: Mutex<Callers>,
}

#[derive(Default)]
struct Callers {
    table: HashMap<CallerId, Weak<Quota>>,
    /// The number of entries at which the next sweep is due.
    sweep_at: usize,
}

/// Limits on the resources that are in use at any time, by the whole server or by one caller.
pub(super) struct Quota {
    pub(super) bot_streams: Arc<Limiter>,
    /// Calls other than bots' streams.
    pub(super) calls: Arc<Limiter>,
    /// Bytes of incomplete requests.
    pub(super) request_bytes: Arc<Limiter>,
    /// Bytes of messages that are queued for bots.
    pub(super) bot_queue_bytes: Arc<Limiter>,
    /// `RulesService` calls, and the positions in their sessions.
    pub(super) rules: RulesLimiters,
    /// Permits for bytes of unread responses.
    pub(super) unread: Arc<Semaphore>,
    /// The total number of permits in `unread`.
    pub(super) unread_permits: usize,
}

impl Quota {
    fn of_server(limits: &Limits) -> Self {
        let unread_permits = permits(limits.unread_answer_bytes);
        Self {
            bot_streams: Limiter::new(limits.bot_streams),
            calls: Limiter::new(limits.other_calls),
            request_bytes: Limiter::new(limits.unfinished_request_bytes),
            bot_queue_bytes: Limiter::new(limits.bot_queue_bytes),
            rules: RulesLimiters::new(limits.rules_calls, limits.rules_positions),
            unread: Arc::new(Semaphore::new(unread_permits)),
            unread_permits,
        }
    }

    fn of_one_caller(limits: &Limits) -> Self {
        let unread_permits = permits(limits.unread_answer_bytes_per_caller);
        Self {
            bot_streams: Limiter::new(limits.bot_streams_per_caller),
            calls: Limiter::new(limits.other_calls_per_caller),
            request_bytes: Limiter::new(limits.unfinished_request_bytes_per_caller),
            bot_queue_bytes: Limiter::new(limits.bot_queue_bytes_per_caller),
            rules: RulesLimiters::new(
                limits.rules_calls_per_caller,
                limits.rules_positions_per_caller,
            ),
            unread: Arc::new(Semaphore::new(unread_permits)),
            unread_permits,
        }
    }
}

/// Returns the number of permits for `bytes` bytes.
pub(super) fn permits(bytes: usize) -> usize {
    bytes
        .div_ceil(BYTES_PER_PERMIT)
        .clamp(1, Semaphore::MAX_PERMITS)
}

impl Quotas {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            server: Quota::of_server(&limits),
            evictor: Arc::default(),
            fair_queue: FairQueue::new(),
            by_caller: Mutex::default(),
            limits,
        })
    }

    /// Returns a caller's quota, which all of the caller's calls share.
    pub(super) fn of(&self, caller: &CallerId) -> Arc<Quota> {
        let mut callers = self.by_caller();
        if let Some(existing) = callers.table.get(caller).and_then(Weak::upgrade) {
            return existing;
        }
        if callers.table.len() >= callers.sweep_at {
            callers.table.retain(|_, quota| quota.strong_count() > 0);
            callers.sweep_at = MIN_SWEEP_SIZE.max(2 * callers.table.len());
        }
        let fresh = Arc::new(Quota::of_one_caller(&self.limits));
        callers.table.insert(caller.clone(), Arc::downgrade(&fresh));
        fresh
    }

    fn by_caller(&self) -> MutexGuard<'_, Callers> {
        self.by_caller.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_has_one_quota_and_quotas_of_gone_callers_are_swept() {
        let quotas = Quotas::new(Limits::default());
        let caller = |n: u32| CallerId::Address(std::net::IpAddr::V4(n.into()).into());
        let held = quotas.of(&caller(0));
        assert!(Arc::ptr_eq(&held, &quotas.of(&caller(0))));
        for n in 1..=10 * MIN_SWEEP_SIZE {
            drop(quotas.of(&caller(u32::try_from(n).unwrap())));
        }
        assert!(quotas.by_caller().table.len() <= 2 * MIN_SWEEP_SIZE);
        assert!(Arc::ptr_eq(&held, &quotas.of(&caller(0))));
    }
}
