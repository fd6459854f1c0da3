//! Quotas: concurrent calls, buffered bytes of unread responses and incomplete requests, and the
//! calls and positions of `RulesService`.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_rules::Problem;
use parking_lot::{Mutex, MutexGuard};
use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{CallerId, evictor::CallEvictor, fair_queue::FairQueue};
use crate::{
    limiter::{Limiter, Permit},
    limits::{Limits, MAX_OPENED_REPLAYS, MAX_OPENED_REPLAYS_PER_CALLER},
    refusal::Refusal,
};

/// The number of bytes per permit of a byte semaphore.
pub(super) const BYTES_PER_PERMIT: usize = 1024;
/// The number of table entries below which abandoned callers are not swept.
const MIN_SWEEP_SIZE: usize = 1_024;

/// A server's quotas: in total, and per caller.
pub struct Quotas {
    pub(super) limits: Limits,
    pub(super) server: Quota,
    /// The calls that can be evicted: all except bots' streams.
    pub(super) evictor: Arc<CallEvictor>,
    pub(super) fair_queue: FairQueue,
    by_caller: Mutex<CallerQuotas>,
}

#[derive(Default)]
struct CallerQuotas {
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
    /// Slots for replay files that are verified or streamed.
    pub(super) replay_slots: Arc<Semaphore>,
    /// Permits for bytes of unread responses.
    pub(super) unread: Arc<Semaphore>,
    /// The total number of permits in `unread`.
    pub(super) unread_permits: usize,
}

impl Quota {
    fn for_server(limits: &Limits) -> Self {
        let unread_permits = permits(limits.unread_answer_bytes);
        Self {
            bot_streams: Limiter::new(limits.bot_streams),
            calls: Limiter::new(limits.other_calls),
            request_bytes: Limiter::new(limits.unfinished_request_bytes),
            bot_queue_bytes: Limiter::new(limits.bot_queue_bytes),
            rules: RulesLimiters::new(limits.rules_calls, limits.rules_positions),
            replay_slots: Arc::new(Semaphore::new(MAX_OPENED_REPLAYS)),
            unread: Arc::new(Semaphore::new(unread_permits)),
            unread_permits,
        }
    }

    fn for_one_caller(limits: &Limits) -> Self {
        let unread_permits = permits(limits.unread_answer_bytes_per_caller);
        Self {
            bot_streams: Limiter::new(limits.bot_streams_per_caller),
            calls: Limiter::new(limits.other_calls_per_caller),
            request_bytes: Limiter::new(limits.unfinished_request_bytes_per_caller),
            bot_queue_bytes: Limiter::new(limits.bot_queue_bytes_per_caller),
            rules: RulesLimiters::new(
                limits.rules_calls_per_caller,
                limits.rules_positions_per_caller(),
            ),
            replay_slots: Arc::new(Semaphore::new(MAX_OPENED_REPLAYS_PER_CALLER)),
            unread: Arc::new(Semaphore::new(unread_permits)),
            unread_permits,
        }
    }
}

/// Returns the number of permits for `bytes` bytes.
pub(super) fn permits(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_PERMIT).clamp(1, Semaphore::MAX_PERMITS)
}

impl Quotas {
    /// Creates quotas with nothing in use.
    pub fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            server: Quota::for_server(&limits),
            evictor: Arc::default(),
            fair_queue: FairQueue::new(),
            by_caller: Mutex::default(),
            limits,
        })
    }

    /// Returns a caller's quota, which all of the caller's calls share.
    pub(super) fn for_caller(&self, caller: &CallerId) -> Arc<Quota> {
        let mut callers = self.by_caller();
        if let Some(existing) = callers.table.get(caller).and_then(Weak::upgrade) {
            return existing;
        }
        if callers.table.len() >= callers.sweep_at {
            callers.table.retain(|_, quota| quota.strong_count() > 0);
            callers.sweep_at = MIN_SWEEP_SIZE.max(2 * callers.table.len());
        }
        let fresh = Arc::new(Quota::for_one_caller(&self.limits));
        callers.table.insert(caller.clone(), Arc::downgrade(&fresh));
        fresh
    }

    fn by_caller(&self) -> MutexGuard<'_, CallerQuotas> {
        self.by_caller.lock()
    }
}

/// A permit to verify one replay file and to stream its positions.
pub struct ReplaySlot {
    _permits: [OwnedSemaphorePermit; 2],
}

impl ReplaySlot {
    /// Acquires a slot of the caller and one of the server; `None` if either has to be waited for.
    pub(super) fn try_acquire(of_caller: &Quota, of_server: &Quota) -> Option<Self> {
        let own = Arc::clone(&of_caller.replay_slots).try_acquire_owned().ok()?;
        let shared = Arc::clone(&of_server.replay_slots).try_acquire_owned().ok()?;
        Some(Self { _permits: [own, shared] })
    }

    /// Waits at most `time` for a slot of the caller, and then for one of the server.
    pub(super) async fn acquire(
        of_caller: &Quota,
        of_server: &Quota,
        time: Duration,
    ) -> Result<Self, Refusal> {
        let mut full = Refusal::limit("opened_replays_per_caller", MAX_OPENED_REPLAYS_PER_CALLER);
        let acquiring = async {
            let own = Arc::clone(&of_caller.replay_slots).acquire_owned().await?;
            full = Refusal::server_limit("opened_replays", MAX_OPENED_REPLAYS);
            let shared = Arc::clone(&of_server.replay_slots).acquire_owned().await?;
            Ok::<_, AcquireError>([own, shared])
        };
        match timeout(time, acquiring).await {
            Ok(Ok(_permits)) => Ok(Self { _permits }),
            // The semaphores are never closed.
            Ok(Err(_)) => Err(Refusal::stopping()),
            Err(_) => Err(full),
        }
    }
}

/// A permit for the buffers from which a stream is produced.
pub struct AnswerPermit {
    _permits: Vec<OwnedSemaphorePermit>,
}

impl AnswerPermit {
    pub(super) fn from_permits(permits: Vec<OwnedSemaphorePermit>) -> Self {
        Self { _permits: permits }
    }
}

/// Acquires permits for `bytes` bytes from each semaphore, or all permits of a semaphore that has
/// fewer. Waits at most `timeout_after`. Each semaphore comes with its total number of permits and
/// the name of its limit.
pub(super) async fn acquire_answer_bytes<const PARTS: usize>(
    parts: [(&Arc<Semaphore>, usize, &'static str); PARTS],
    bytes: usize,
    timeout_after: Duration,
) -> Result<Vec<OwnedSemaphorePermit>, Refusal> {
    let mut limit = "";
    let mut acquired = Vec::new();
    let waiting = async {
        for (semaphore, total, name) in parts {
            limit = name;
            let count = u32::try_from(permits(bytes).min(total)).unwrap_or(u32::MAX);
            let permit = Arc::clone(semaphore).acquire_many_owned(count).await?;
            acquired.push(permit);
        }
        Ok::<_, AcquireError>(())
    };
    let waited = timeout(timeout_after, waiting).await;
    // The semaphores are never closed.
    waited.map(|_| acquired).map_err(|_| {
        Refusal::new(
            RefusalReason::LimitReached,
            format!("the server's limit {limit} is reached; read previous responses first"),
        )
        .with("limit", limit)
    })
}

const CALLER_LIMIT_NAME: &str = "unfinished_request_bytes_per_caller";
const SERVER_LIMIT_NAME: &str = "unfinished_request_bytes";

/// A permit for bytes of an incomplete request, beyond the bytes that every call may buffer.
pub struct RequestBytes {
    of_caller: Permit,
    of_server: Permit,
}

impl RequestBytes {
    /// Acquires a permit for `bytes` bytes.
    ///
    /// # Errors
    /// Returns an error if a limit is reached. The error names the limit.
    pub(super) fn acquire(
        of_caller: &Arc<Limiter>,
        of_server: &Arc<Limiter>,
        bytes: usize,
    ) -> Result<Self, Refusal> {
        let of_caller = of_caller.try_acquire(bytes);
        let of_caller = of_caller.ok_or_else(|| too_many_bytes(CALLER_LIMIT_NAME))?;
        let of_server = of_server.try_acquire(bytes);
        let of_server = of_server.ok_or_else(|| too_many_bytes(SERVER_LIMIT_NAME))?;
        Ok(Self { of_caller, of_server })
    }

    /// Extends the permit by `bytes` bytes.
    ///
    /// # Errors
    /// Returns an error if a limit is reached. The error names the limit.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Refusal> {
        if !self.of_caller.grow(bytes) {
            return Err(too_many_bytes(CALLER_LIMIT_NAME));
        }
        if !self.of_server.grow(bytes) {
            return Err(too_many_bytes(SERVER_LIMIT_NAME));
        }
        Ok(())
    }
}

fn too_many_bytes(limit: &'static str) -> Refusal {
    Refusal::new(
        RefusalReason::LimitReached,
        format!("too many incomplete requests: the server's limit {limit} is reached; retry later"),
    )
    .with("limit", limit)
}

/// One caller's budget and the server's budget.
#[derive(Clone)]
pub struct RulesBudget {
    pub(super) of_caller: RulesLimiters,
    pub(super) of_server: RulesLimiters,
}

/// Limits on concurrent calls and on positions of sessions.
#[derive(Clone)]
pub(crate) struct RulesLimiters {
    calls: Arc<Limiter>,
    positions: Arc<Limiter>,
}

/// A permit for a call or for a position, released on drop.
pub struct RulesPermit {
    _permits: [Permit; 2],
}

impl RulesLimiters {
    /// Creates limiters for this number of calls and this number of positions.
    pub(crate) fn new(calls: usize, positions: usize) -> Self {
        Self { calls: Limiter::new(calls), positions: Limiter::new(positions) }
    }
}

impl RulesBudget {
    /// Creates a budget without limits, for a server that only callers on the same machine use.
    pub fn unlimited() -> Self {
        let limiters = RulesLimiters::new(usize::MAX, usize::MAX);
        Self { of_caller: limiters.clone(), of_server: limiters }
    }

    /// Acquires a permit for a call.
    ///
    /// # Errors
    /// Returns an error if the caller or the server has too many calls.
    pub fn acquire_call(&self) -> Result<RulesPermit, Refusal> {
        let (own, all) = (&self.of_caller.calls, &self.of_server.calls);
        let own = own
            .try_acquire(1)
            .ok_or_else(|| Refusal::limit("rules_calls_per_caller", own.limit()))?;
        let all =
            all.try_acquire(1).ok_or_else(|| Refusal::server_limit("rules_calls", all.limit()))?;
        Ok(RulesPermit { _permits: [own, all] })
    }

    /// Acquires a permit for one more position.
    ///
    /// # Errors
    /// Returns an error if the caller or the server has too many positions.
    pub fn acquire_position(&self) -> Result<RulesPermit, Problem> {
        let full = |limit: &str, limiter: &Limiter| {
            let detail = format!(
                "the server's limit {limit} = {} is reached; release positions that are not needed",
                limiter.limit()
            );
            Problem::new(RefusalReason::LimitReached, "", detail)
        };
        let (own, all) = (&self.of_caller.positions, &self.of_server.positions);
        let own = own.try_acquire(1).ok_or_else(|| full("rules_positions_per_caller", own))?;
        let all = all.try_acquire(1).ok_or_else(|| full("rules_positions", all))?;
        Ok(RulesPermit { _permits: [own, all] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_has_one_quota_and_quotas_of_gone_callers_are_swept() {
        let quotas = Quotas::new(Limits::default());
        let caller = |n: u32| CallerId::Address(std::net::IpAddr::V4(n.into()).into());
        let held = quotas.for_caller(&caller(0));
        assert!(Arc::ptr_eq(&held, &quotas.for_caller(&caller(0))));
        for n in 1..=10 * MIN_SWEEP_SIZE {
            drop(quotas.for_caller(&caller(u32::try_from(n).unwrap())));
        }
        assert!(quotas.by_caller().table.len() <= 2 * MIN_SWEEP_SIZE);
        assert!(Arc::ptr_eq(&held, &quotas.for_caller(&caller(0))));
    }

    #[tokio::test]
    async fn a_caller_gets_only_a_share_of_the_replay_slots() {
        let quotas = Quotas::new(Limits::default());
        let [one, two, three] = [1, 2, 3].map(|number: u32| {
            let address = std::net::IpAddr::V4(number.into());
            quotas.for_caller(&CallerId::Address(address.into()))
        });
        let slot = async |caller: &Quota| {
            let slot = ReplaySlot::acquire(caller, &quotas.server, Duration::ZERO).await;
            slot.map_err(|refusal| refusal.message().to_owned())
        };
        let mut held = Vec::new();
        for caller in [&one, &one, &two] {
            held.push(slot(caller).await.unwrap());
        }
        assert!(slot(&one).await.err().unwrap().contains("opened_replays_per_caller"));
        held.push(ReplaySlot::try_acquire(&two, &quotas.server).unwrap());
        assert!(ReplaySlot::try_acquire(&three, &quotas.server).is_none());
        assert!(slot(&three).await.err().unwrap().contains("opened_replays ="));
        held.clear();
        assert!(slot(&one).await.is_ok());
    }
}
