//! One call: the caller to whom it is attributed, the quotas that it uses, and the progress of its
//! response.

use std::{
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::RefusalReason;
use bridgemaster_store::KeyId;
use parking_lot::{Mutex, MutexGuard};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::AbortHandle,
};
use tonic::Status;

use super::{
    CallerId, Origin,
    answer::Answer,
    evictor::{EvictionCandidate, EvictorEntry},
    fair_queue::QueuePlace,
    quotas::{
        AnswerPermit, Quota, Quotas, ReplaySlot, RequestBytes, RulesBudget, acquire_answer_bytes,
        permits,
    },
};
use crate::{
    limiter::{Limiter, Permit},
    refusal::Refusal,
};

tokio::task_local! {
    /// The call that the current task serves.
    pub(super) static CURRENT_CALL: Arc<Call>;
}

/// The kinds of calls that the transport distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    /// A bot's stream: `PlayService.Play`, or `WatchSeat` once its ticket is known.
    BotStream,
    /// A spectator's stream of updates.
    Watch,
    /// Any other call.
    Other,
}

/// State that the calls of one connection share.
pub(super) struct ConnectionContext {
    quotas: Arc<Quotas>,
    origin: Origin,
    /// The quota of the caller's address.
    address: Arc<Quota>,
    unread: Arc<Semaphore>,
    /// The number of calls in progress.
    open_calls: Arc<AtomicUsize>,
}

impl ConnectionContext {
    pub(super) fn new(quotas: &Arc<Quotas>, origin: Origin) -> Arc<Self> {
        let unread = permits(quotas.limits.unread_answer_bytes_per_connection);
        Arc::new(Self {
            address: quotas.for_caller(&CallerId::Address(origin)),
            quotas: Arc::clone(quotas),
            origin,
            unread: Arc::new(Semaphore::new(unread)),
            open_calls: Arc::default(),
        })
    }

    /// The number of calls in progress, which changes over time.
    pub(super) fn open_calls(&self) -> &Arc<AtomicUsize> {
        &self.open_calls
    }

    /// Creates a place in the fair queue for one task.
    pub(super) fn queue_place(&self) -> QueuePlace {
        self.quotas.fair_queue.place()
    }

    /// The time after which an unread response is aborted.
    pub(super) fn unread_time(&self) -> Duration {
        self.quotas.limits.unread_time
    }
}

/// A call in progress, with the resources that it uses.
pub struct Call {
    connection: Arc<ConnectionContext>,
    held: Mutex<CallResources>,
    started_at: Instant,
    /// Whether the call is a bot's stream, which bypasses the fair queue.
    is_bot_stream: AtomicBool,
    is_request_complete: AtomicBool,
    /// Aborts the call's task.
    task: OnceLock<AbortHandle>,
    pub(super) answer: Answer,
}

/// The resources that a call holds.
struct CallResources {
    kind: CallKind,
    caller: CallerId,
    quota: Arc<Quota>,
    server_permit: Option<Permit>,
    caller_permit: Option<Permit>,
    eviction_entry: Option<EvictorEntry>,
    /// Permits for bytes of the response, from the connection, the caller and the server.
    answer_permits: Vec<OwnedSemaphorePermit>,
}

/// Identifies a spectator's call, and reports whether the spectator reads its stream.
#[derive(Clone)]
pub struct Watcher {
    /// The caller to whom the spectator's resources are charged.
    pub caller: CallerId,
    call: Weak<Call>,
}

impl Watcher {
    /// The time since the spectator last read something; `None` if it has read everything.
    pub fn unread_for(&self) -> Option<Duration> {
        let since = self.call.upgrade()?.answer.unread_since()?;
        Some(since.elapsed())
    }
}

/// The budget for messages that are queued for a bot.
#[derive(Clone)]
pub struct QueueBudget {
    of_caller: Arc<Limiter>,
    of_server: Arc<Limiter>,
}

impl QueueBudget {
    /// Reserves `bytes` bytes; `None` if fewer are available.
    pub fn reserve(&self, bytes: usize) -> Option<[Permit; 2]> {
        Some([self.of_caller.try_acquire(bytes)?, self.of_server.try_acquire(bytes)?])
    }
}

impl Call {
    pub(super) fn new(connection: Arc<ConnectionContext>) -> Arc<Self> {
        let held = CallResources {
            kind: CallKind::Other,
            caller: CallerId::Address(connection.origin),
            quota: Arc::clone(&connection.address),
            server_permit: None,
            caller_permit: None,
            eviction_entry: None,
            answer_permits: Vec::new(),
        };
        connection.open_calls.fetch_add(1, Ordering::Relaxed);
        Arc::new(Self {
            connection,
            held: Mutex::new(held),
            started_at: Instant::now(),
            is_bot_stream: AtomicBool::new(false),
            is_request_complete: AtomicBool::new(false),
            task: OnceLock::new(),
            answer: Answer::default(),
        })
    }

    /// Returns the call that the current task serves; `None` if the task serves no call.
    pub fn current() -> Option<Arc<Self>> {
        CURRENT_CALL.try_with(Arc::clone).ok()
    }

    /// Acquires one permit of the server and one of the caller. The caller is the `key` that the
    /// call presents, or otherwise the address, so other calls from an address do not count against
    /// the holder of a key. A bot's stream acquires no permits here, since its seat is unknown.
    ///
    /// # Errors
    /// Returns an error if the server or the caller has too many calls in progress.
    pub(super) fn start(
        self: &Arc<Self>,
        kind: CallKind,
        key: Option<KeyId>,
    ) -> Result<(), Refusal> {
        let mut held = self.held();
        held.kind = kind;
        if let Some(key) = key {
            held.attribute_to(key, &self.connection.quotas);
        }
        if kind == CallKind::BotStream {
            self.is_bot_stream.store(true, Ordering::Relaxed);
            return Ok(());
        }
        held.acquire_caller_permit()?;
        let quotas = &self.connection.quotas;
        let calls = &quotas.server.calls;
        held.server_permit = if let Some(permit) = calls.try_acquire(1) {
            Some(permit)
        } else {
            let caller = held.caller.clone();
            // Unlocked first, since the evictor locks every call.
            drop(held);
            let has_evicted = quotas.evictor.evict_calls_for(&caller);
            held = self.held();
            Some(if has_evicted {
                // The evicted calls end soon. Until then the number of calls exceeds the limit by
                // one.
                calls.acquire_over_limit(1)
            } else {
                acquire_of_server(calls, "other_calls")?
            })
        };
        let candidate: Weak<Self> = Arc::downgrade(self);
        held.eviction_entry = Some(quotas.evictor.add(candidate));
        Ok(())
    }

    /// Attributes the call to the caller at `origin`, for whom another server forwarded the call.
    pub(super) fn set_origin(&self, origin: Origin) {
        let mut held = self.held();
        held.caller = CallerId::Address(origin);
        held.quota = self.connection.quotas.for_caller(&held.caller);
    }

    /// Marks the call as a seat's stream, as [`Call::mark_bot_stream_of`] does, for the caller to
    /// whom the call is attributed.
    ///
    /// # Errors
    /// Returns the errors of `Call::attribute_to`.
    pub fn mark_bot_stream(&self) -> Result<(), Refusal> {
        match self.caller_id() {
            CallerId::Key(key) => self.mark_bot_stream_of(Some(&key)),
            CallerId::Address(_) => self.mark_bot_stream_of(None),
        }
    }

    /// Returns whether the call is known to be a bot's stream.
    pub(super) fn is_bot_stream(&self) -> bool {
        self.is_bot_stream.load(Ordering::Relaxed)
    }

    /// Sets the call's task, once the task has started.
    pub(super) fn set_task(&self, task: AbortHandle) {
        // The handle is set once, when the task starts, so setting it cannot fail.
        let _ = self.task.set(task);
    }

    /// Records that the request is complete.
    pub(crate) fn mark_request_complete(&self) {
        self.is_request_complete.store(true, Ordering::Relaxed);
    }

    /// Attributes the call to the authenticated `key`, or to the address on a server without keys.
    /// A bot's stream never counts against an address, because other callers at the address must
    /// not keep the bot from its seat. These streams are limited by the number of tickets.
    ///
    /// # Errors
    /// Returns an error if the caller, or for a bot's stream the server, has too many calls in
    /// progress.
    pub(crate) fn attribute_to(&self, key: Option<&KeyId>) -> Result<(), Refusal> {
        let mut held = self.held();
        if let Some(key) = key {
            held.attribute_to(key.clone(), &self.connection.quotas);
        }
        let counts = key.is_some() || held.kind != CallKind::BotStream;
        if counts && held.caller_permit.is_none() {
            held.acquire_caller_permit()?;
        }
        if held.server_permit.is_none() {
            let bot_streams = &self.connection.quotas.server.bot_streams;
            held.server_permit = Some(acquire_of_server(bot_streams, "bot_streams")?);
        }
        Ok(())
    }

    /// Marks the call as a seat's stream: releases the permits of an ordinary call, and counts the
    /// call as a bot's stream.
    ///
    /// # Errors
    /// Returns the errors of `Call::attribute_to`.
    pub fn mark_bot_stream_of(&self, key: Option<&KeyId>) -> Result<(), Refusal> {
        self.is_bot_stream.store(true, Ordering::Relaxed);
        let mut held = self.held();
        held.kind = CallKind::BotStream;
        let released =
            (held.server_permit.take(), held.caller_permit.take(), held.eviction_entry.take());
        // Dropped after this lock is released: the evictor acquires this lock while it holds its
        // own.
        drop(held);
        drop(released);
        self.attribute_to(key)
    }

    /// Reserves response memory of `bytes` bytes for the current call, or the whole budget if it is
    /// smaller. Waits until the memory is free. Must be called before the response is built. The
    /// call holds the permits until it ends, or until a smaller response releases some of them.
    ///
    /// # Errors
    /// Returns an error if previous responses stay unread. The error names the limit.
    pub async fn reserve_answer(bytes: usize) -> Result<(), Refusal> {
        if let Some(call) = Self::current() {
            let permits = call.acquire_answer_permits(bytes).await?;
            call.held().answer_permits.extend(permits);
        }
        Ok(())
    }

    /// Reserves memory for a buffer from which a stream is produced, until the permit is dropped.
    ///
    /// # Errors
    /// Returns the errors of [`Call::reserve_answer`].
    pub async fn reserve_buffer(bytes: usize) -> Result<AnswerPermit, Refusal> {
        let permits = match Self::current() {
            Some(call) => call.acquire_answer_permits(bytes).await?,
            None => Vec::new(),
        };
        Ok(AnswerPermit::from_permits(permits))
    }

    async fn acquire_answer_permits(
        &self,
        bytes: usize,
    ) -> Result<Vec<OwnedSemaphorePermit>, Refusal> {
        let limits = &self.connection.quotas.limits;
        let (of_caller, caller_permits) = {
            let held = self.held();
            (Arc::clone(&held.quota.unread), held.quota.unread_permits)
        };
        let server = &self.connection.quotas.server;
        let parts = [
            (
                &self.connection.unread,
                permits(limits.unread_answer_bytes_per_connection),
                "unread_answer_bytes_per_connection",
            ),
            (&of_caller, caller_permits, "unread_answer_bytes_per_caller"),
            (&server.unread, server.unread_permits, "unread_answer_bytes"),
        ];
        acquire_answer_bytes(parts, bytes, limits.unread_time).await
    }

    /// Releases the permits that a response of `bytes` bytes does not need.
    pub(super) fn shrink_answer(&self, bytes: usize) {
        let mut held = self.held();
        for permit in &mut held.answer_permits {
            let spare = permit.num_permits().saturating_sub(permits(bytes));
            drop(permit.split(spare));
        }
    }

    /// Acquires a permit for received bytes of the request that are not processed yet.
    ///
    /// # Errors
    /// Returns an error if there are too many such bytes.
    pub fn request_bytes(&self, bytes: usize) -> Result<RequestBytes, Refusal> {
        let of_caller = Arc::clone(&self.held().quota.request_bytes);
        let of_server = &self.connection.quotas.server.request_bytes;
        RequestBytes::acquire(&of_caller, of_server, bytes)
    }

    /// Acquires a slot for a replay file: first one of the caller's, so that one caller cannot
    /// occupy all slots, and then one of the server's. While the file waits for a slot,
    /// `uploaded_bytes` bytes count as an unfinished request. A file of the store has no such
    /// bytes.
    ///
    /// # Errors
    /// Returns an error if no slot is free within `hello_time`, or too many bytes wait. The error
    /// names the limit.
    pub async fn acquire_replay_slot(&self, uploaded_bytes: usize) -> Result<ReplaySlot, Refusal> {
        let of_caller = Arc::clone(&self.held().quota);
        let quotas = &self.connection.quotas;
        if let Some(slot) = ReplaySlot::try_acquire(&of_caller, &quotas.server) {
            return Ok(slot);
        }
        let _waiting = self.request_bytes(uploaded_bytes)?;
        ReplaySlot::acquire(&of_caller, &quotas.server, quotas.limits.hello_time).await
    }

    /// The budget for messages that are queued for the call's bot.
    pub fn queue_budget(&self) -> QueueBudget {
        QueueBudget {
            of_caller: Arc::clone(&self.held().quota.bot_queue_bytes),
            of_server: Arc::clone(&self.connection.quotas.server.bot_queue_bytes),
        }
    }

    /// The caller's `RulesService` budget.
    pub fn rules_budget(&self) -> RulesBudget {
        RulesBudget {
            of_caller: self.held().quota.rules.clone(),
            of_server: self.connection.quotas.server.rules.clone(),
        }
    }

    /// The caller to whom the call is attributed.
    pub fn caller_id(&self) -> CallerId {
        self.held().caller.clone()
    }

    /// Returns the handle by which the audience identifies this spectator's call.
    pub fn watcher(self: &Arc<Self>) -> Watcher {
        Watcher { caller: self.held().caller.clone(), call: Arc::downgrade(self) }
    }

    /// Aborts an unread response. If the client continues to read, it receives the reason.
    pub(super) fn abort_unread(&self) {
        let (permits, kind) = {
            let mut held = self.held();
            (std::mem::take(&mut held.answer_permits), held.kind)
        };
        let time_ms = self.connection.unread_time().as_millis();
        let refusal = match kind {
            CallKind::BotStream | CallKind::Watch => Refusal::new(
                RefusalReason::SlowConsumer,
                format!("the client read nothing for {time_ms} ms (limit unread_time)"),
            ),
            CallKind::Other => Refusal::new(
                RefusalReason::LimitReached,
                format!(
                    "the client did not read the response within {time_ms} ms (limit \
                     unread_time)"
                ),
            ),
        };
        let refusal = refusal.with("limit", "unread_time").with("value", time_ms.to_string());
        self.answer.abort(Status::from(refusal));
        drop(permits);
    }

    /// The time by which the client has to continue reading; `None` if nothing is unread.
    pub(super) fn read_deadline(&self) -> Option<Instant> {
        Some(self.answer.unread_since()? + self.connection.unread_time())
    }

    fn held(&self) -> MutexGuard<'_, CallResources> {
        self.held.lock()
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.connection.open_calls.fetch_sub(1, Ordering::Relaxed);
    }
}

impl EvictionCandidate for Call {
    fn caller(&self) -> CallerId {
        self.held().caller.clone()
    }

    fn waited_for_client(&self) -> Option<Duration> {
        if !self.is_request_complete.load(Ordering::Relaxed) {
            return Some(self.started_at.elapsed());
        }
        Some(self.answer.unread_since()?.elapsed())
    }

    fn end(&self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }
}

impl CallResources {
    /// Attributes the call to a key from now on.
    fn attribute_to(&mut self, key: KeyId, quotas: &Quotas) {
        let caller = CallerId::Key(key);
        if self.caller != caller {
            self.quota = quotas.for_caller(&caller);
            self.caller = caller;
            self.caller_permit = None;
        }
    }

    fn acquire_caller_permit(&mut self) -> Result<(), Refusal> {
        self.caller_permit = Some(match self.kind {
            CallKind::BotStream => acquire(&self.quota.bot_streams, "bot_streams_per_caller")?,
            _ => acquire(&self.quota.calls, "other_calls_per_caller")?,
        });
        Ok(())
    }
}

fn acquire(limiter: &Arc<Limiter>, limit: &'static str) -> Result<Permit, Refusal> {
    limiter.try_acquire(1).ok_or_else(|| Refusal::limit(limit, limiter.limit()))
}

fn acquire_of_server(limiter: &Arc<Limiter>, limit: &'static str) -> Result<Permit, Refusal> {
    limiter.try_acquire(1).ok_or_else(|| Refusal::server_limit(limit, limiter.limit()))
}
