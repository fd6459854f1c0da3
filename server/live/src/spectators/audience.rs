//! The spectators of one match.

use std::{
    collections::HashMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use bridgemaster_edge::{
    limiter::{Limiter, Permit},
    limits::Limits,
    refusal::Refusal,
    transport::{CallerId, Watcher},
};
use bridgemaster_proto::v1::{RefusalReason, WatchMatchResponse};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::mpsc;
use tonic::codegen::Bytes;

use super::{SharedUpdate, SpectatorMessage, WatchReceiver, first_message};
use crate::journal::{CommitGate, Gated};

/// The time after which a spectator that has read nothing can be evicted in favour of a new
/// spectator.
const UNREAD_TIMEOUT: Duration = Duration::from_secs(1);

/// The number of spectators served between yields to other tasks. Waking a spectator takes less
/// than 1 µs, and a bot should not wait for hundreds of wakeups.
const BATCH_SIZE: usize = 64;

/// The number of the next update for a spectator that has not started yet.
const NOT_STARTED: u64 = u64::MAX;

/// The spectators of one match. They have a separate lock, so that the match never waits for them.
#[derive(Default)]
pub(crate) struct Audience {
    all: Mutex<Vec<Spectator>>,
    /// The number of spectators, readable without the lock.
    count: AtomicUsize,
}

struct Spectator {
    queue: mpsc::Sender<SpectatorMessage>,
    /// `None` only in unit tests.
    watcher: Option<Watcher>,
    /// The number of the next update to send.
    next: Arc<AtomicU64>,
}

/// A spectator that has a slot and has not started yet.
pub(crate) struct Reservation {
    queue: mpsc::Sender<SpectatorMessage>,
    next: Arc<AtomicU64>,
    receiver: WatchReceiver,
}

impl Audience {
    pub(super) fn is_empty(&self) -> bool {
        // Spectators are added under the lock of the match, so a relaxed load suffices.
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Reserves a slot. If no slot is free, evicts a spectator that reads nothing, or else a
    /// spectator of the caller with the most spectators.
    pub(crate) fn reserve(
        &self,
        watcher: Option<Watcher>,
        limits: &Limits,
    ) -> Result<Reservation, Refusal> {
        let mut all = self.lock();
        all.retain(|spectator| !spectator.queue.is_closed());
        if all.len() >= limits.watchers_per_match {
            let max = limits.watchers_per_match;
            let full = || Refusal::limit("watchers_per_match", max);
            let index = eviction_candidate(&all, watcher.as_ref()).ok_or_else(full)?;
            all.remove(index).close(slow_consumer());
        }
        // The queue has one slot more than updates can use, for the refusal that a slow spectator
        // receives.
        let (queue, receiver) = mpsc::channel(limits.watcher_queue + 1);
        let next = Arc::new(AtomicU64::new(NOT_STARTED));
        all.push(Spectator { queue: queue.clone(), watcher, next: Arc::clone(&next) });
        self.update_count(&all);
        Ok(Reservation { queue, next, receiver })
    }

    /// Sends an update to a batch of spectators, and returns whether all have received it. A
    /// spectator that reads too slowly is closed with a refusal.
    pub(super) fn send_batch(&self, update: &SharedMessage<'_>) -> bool {
        let mut all = self.lock();
        let is_due = |one: &Spectator| one.next.load(Ordering::Relaxed) <= update.number;
        let mut sent = 0;
        all.retain(|spectator| {
            if sent == BATCH_SIZE || !is_due(spectator) {
                return true;
            }
            sent += 1;
            spectator.next.store(update.number + 1, Ordering::Relaxed);
            spectator.send(update)
        });
        self.update_count(&all);
        !all.iter().any(is_due)
    }

    /// Closes the streams of spectators that started before the update with this number, optionally
    /// with a refusal.
    pub(super) fn close_before(&self, before: u64, why: Option<&Refusal>) {
        let mut all = self.lock();
        all.retain(|spectator| {
            let stays = spectator.next.load(Ordering::Relaxed) >= before;
            match why {
                Some(why) if !stays => spectator.close(why.clone()),
                _ => stays,
            }
        });
        self.update_count(&all);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Spectator>> {
        self.all.lock()
    }

    fn update_count(&self, all: &[Spectator]) {
        self.count.store(all.len(), Ordering::Relaxed);
    }
}

/// An update that is sent to all spectators.
pub(super) struct SharedMessage<'a> {
    number: u64,
    message: Bytes,
    bytes: &'a Arc<Limiter>,
    /// The permit for the update's bytes, acquired when the update is first queued behind earlier
    /// updates. The inner `None` means that the budget was exhausted.
    permit: OnceLock<Option<Arc<Permit>>>,
}

impl<'a> SharedMessage<'a> {
    /// Creates the update with this number. The update's length counts against the budget `bytes`.
    pub(super) fn new(number: u64, message: Bytes, bytes: &'a Arc<Limiter>) -> Self {
        Self { number, message, bytes, permit: OnceLock::new() }
    }

    fn permit(&self) -> Option<Arc<Permit>> {
        let count = || self.bytes.try_acquire(self.message.len()).map(Arc::new);
        self.permit.get_or_init(count).clone()
    }
}

impl Reservation {
    /// Starts the stream with `snapshot`, and continues the stream with update number `next`.
    pub(super) fn start(
        self,
        snapshot: &WatchMatchResponse,
        gate: Option<CommitGate>,
        next: u64,
    ) -> WatchReceiver {
        // The queue is new and has capacity.
        let _ = self.queue.try_send(first_message(snapshot, gate));
        self.next.store(next, Ordering::Relaxed);
        self.receiver
    }
}

impl Spectator {
    /// Sends an update, and returns whether the spectator is still connected.
    fn send(&self, update: &SharedMessage<'_>) -> bool {
        let permit = if self.has_read_all() {
            None
        } else if self.queue.capacity() <= 1 {
            return self.close(slow_consumer());
        } else {
            match update.permit() {
                None => return self.close(slow_consumer()),
                permit => permit,
            }
        };
        let shared = SharedUpdate::new(update.message.clone(), permit);
        self.queue.try_send(Gated::new(Ok(shared), None)).is_ok()
    }

    /// Returns whether the spectator has received all updates.
    fn has_read_all(&self) -> bool {
        self.queue.capacity() == self.queue.max_capacity()
    }

    /// Sends the refusal that closes the stream. Always returns `false`, since the stream is no
    /// longer a spectator.
    fn close(&self, why: Refusal) -> bool {
        // The last place in the queue is reserved for this message, so sending fails only if the
        // queue is closed.
        let _ = self.queue.try_send(Gated::new(Err(why.into()), None));
        false
    }
}

/// The refusal for a spectator that reads too slowly.
pub(super) fn slow_consumer() -> Refusal {
    Refusal::new(RefusalReason::SlowConsumer, "updates were not read in time; watch again")
}

/// Returns the index of the spectator to evict for a new one.
fn eviction_candidate(all: &[Spectator], to: Option<&Watcher>) -> Option<usize> {
    let unread_for = |index: &usize| {
        let unread = all[*index].watcher.as_ref()?.unread_for()?;
        (unread >= UNREAD_TIMEOUT).then_some(unread)
    };
    let idle = (0..all.len()).filter(|index| unread_for(index).is_some()).max_by_key(unread_for);
    idle.or_else(|| {
        let to = &to?.caller;
        let mut counts = HashMap::<&CallerId, usize>::new();
        for watcher in all.iter().filter_map(|one| one.watcher.as_ref()) {
            *counts.entry(&watcher.caller).or_default() += 1;
        }
        let of = |caller: &CallerId| counts.get(caller).copied().unwrap_or_default();
        let callers = (0..all.len()).filter_map(|index| {
            let caller = &all[index].watcher.as_ref()?.caller;
            Some((of(caller), index))
        });
        // If several callers have the most spectators, the oldest of their spectators is evicted.
        let (max, index) = callers.rev().max_by_key(|(count, _)| *count)?;
        (max > of(to) + 1).then_some(index)
    })
}
