//! Who watches a match.

use std::{
    collections::HashMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use bridgemaster_proto::v1::{RefusalReason, WatchMatchResponse};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::mpsc;
use tonic::codegen::Bytes;

use super::news::{SharedNews, ToSpectator, WatchReceiver, first};
use crate::{
    journal::{Gate, Gated},
    limits::Limits,
    refusal::Refusal,
    tally::{Taken, Tally},
    transport::{CallerId, Watcher},
};

/// A spectator who has read nothing for so long gives way to the next.
const UNREAD: Duration = Duration::from_secs(1);

/// Spectators that are told before others have their turn: to wake one costs well below a
/// microsecond, and a bot should not wait for hundreds of them.
const AT_ONCE: usize = 64;

/// The next news of somebody who has not begun.
const NOT_BEGUN: u64 = u64::MAX;

/// Those who watch one match. It has a lock of its own, so that the match never waits for it.
#[derive(Default)]
pub(in super::super) struct Audience {
    all: Mutex<Vec<Spectator>>,
    /// How many they are, to be seen without the lock.
    count: AtomicUsize,
}

struct Spectator {
    queue: mpsc::Sender<ToSpectator>,
    /// `None` for a spectator of a test.
    watcher: Option<Watcher>,
    /// The number of the news that it is told next.
    next: Arc<AtomicU64>,
}

/// Somebody who has a place, and has not begun to watch.
pub(in super::super) struct Entrant {
    queue: mpsc::Sender<ToSpectator>,
    next: Arc<AtomicU64>,
    receiver: WatchReceiver,
}

impl Audience {
    /// Whether nobody watches.
    pub(super) fn is_empty(&self) -> bool {
        // Who is about to begin says so under the lock of the match.
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Gives somebody a place. When there are too many, one gives way who reads nothing, or else one
    /// of the caller who has most of them.
    pub(in super::super) fn enter(
        &self,
        watcher: Option<Watcher>,
        limits: &Limits,
    ) -> Result<Entrant, Refusal> {
        let mut all = self.lock();
        all.retain(|spectator| !spectator.queue.is_closed());
        if all.len() >= limits.watchers_per_match {
            let most = limits.watchers_per_match;
            let full = || Refusal::limit("watchers_per_match", most);
            let place = gives_way(&all, watcher.as_ref()).ok_or_else(full)?;
            all.remove(place).let_go(slow());
        }
        // One place more than news may take, for the refusal of a spectator who reads too slowly.
        let (queue, receiver) = mpsc::channel(limits.watcher_queue + 1);
        let next = Arc::new(AtomicU64::new(NOT_BEGUN));
        all.push(Spectator {
            queue: queue.clone(),
            watcher,
            next: Arc::clone(&next),
        });
        self.changed(&all);
        Ok(Entrant {
            queue,
            next,
            receiver,
        })
    }

    /// Tells some of them these news, and whether all are told then. Who reads too slowly is let go
    /// with a reason.
    pub(super) fn tell_some(&self, news: &ToAll<'_>) -> bool {
        let mut all = self.lock();
        let is_due = |one: &Spectator| one.next.load(Ordering::Relaxed) <= news.number;
        let mut told = 0;
        all.retain(|spectator| {
            if told == AT_ONCE || !is_due(spectator) {
                return true;
            }
            told += 1;
            spectator.next.store(news.number + 1, Ordering::Relaxed);
            spectator.tell(news)
        });
        self.changed(&all);
        !all.iter().any(is_due)
    }

    /// Lets those go who have begun before the news of this number: for this reason, or because
    /// there are no more news.
    pub(super) fn end(&self, before: u64, why: Option<&Refusal>) {
        let mut all = self.lock();
        all.retain(|spectator| {
            let stays = spectator.next.load(Ordering::Relaxed) >= before;
            match why {
                Some(why) if !stays => spectator.let_go(why.clone()),
                _ => stays,
            }
        });
        self.changed(&all);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Spectator>> {
        self.all.lock()
    }

    fn changed(&self, all: &[Spectator]) {
        self.count.store(all.len(), Ordering::Relaxed);
    }
}

/// News for all who have not been told them.
pub(super) struct ToAll<'a> {
    number: u64,
    message: Bytes,
    bytes: &'a Arc<Tally>,
    /// What counts of them, once, if they wait behind others for anybody; `None` if there is no room.
    counted: OnceLock<Option<Arc<Taken>>>,
}

impl<'a> ToAll<'a> {
    /// The news of this number, whose bytes count against `bytes`.
    pub(super) fn new(number: u64, message: Bytes, bytes: &'a Arc<Tally>) -> Self {
        Self {
            number,
            message,
            bytes,
            counted: OnceLock::new(),
        }
    }

    fn counted(&self) -> Option<Arc<Taken>> {
        let count = || self.bytes.try_acquire(self.message.len()).map(Arc::new);
        self.counted.get_or_init(count).clone()
    }
}

impl Entrant {
    /// Begins to watch with `snapshot`, and goes on with the news of number `next`.
    pub(super) fn begin(
        self,
        snapshot: &WatchMatchResponse,
        gate: Option<Gate>,
        next: u64,
    ) -> WatchReceiver {
        // The queue is new and has room.
        let _ = self.queue.try_send(first(snapshot, gate));
        self.next.store(next, Ordering::Relaxed);
        self.receiver
    }
}

impl Spectator {
    /// Gives it news; tells whether it is still there.
    fn tell(&self, news: &ToAll<'_>) -> bool {
        let counted = match self.is_waited_for() {
            true => None,
            false if self.queue.capacity() <= 1 => return self.let_go(slow()),
            false => match news.counted() {
                None => return self.let_go(slow()),
                counted => counted,
            },
        };
        let shared = SharedNews::new(news.message.clone(), counted);
        self.queue.try_send(Gated::new(Ok(shared), None)).is_ok()
    }

    /// Whether it has been handed all news.
    fn is_waited_for(&self) -> bool {
        self.queue.capacity() == self.queue.max_capacity()
    }

    /// Tells it why there are no more news. Always `false`: it is no spectator any more.
    fn let_go(&self, why: Refusal) -> bool {
        // The last place is kept for this message, so the only failure is a closed queue.
        let _ = self.queue.try_send(Gated::new(Err(why.into()), None));
        false
    }
}

/// The refusal of a spectator who reads too slowly.
pub(super) fn slow() -> Refusal {
    Refusal::new(
        RefusalReason::SlowConsumer,
        "the news were not read in time; watch again",
    )
}

/// The place of the spectator who gives way to another.
fn gives_way(all: &[Spectator], to: Option<&Watcher>) -> Option<usize> {
    let unread_for = |place: &usize| {
        let unread = all[*place].watcher.as_ref()?.unread_for()?;
        (unread >= UNREAD).then_some(unread)
    };
    let deaf = (0..all.len())
        .filter(|place| unread_for(place).is_some())
        .max_by_key(unread_for);
    deaf.or_else(|| {
        let to = &to?.caller;
        let mut counts = HashMap::<&CallerId, usize>::new();
        for watcher in all.iter().filter_map(|one| one.watcher.as_ref()) {
            *counts.entry(&watcher.caller).or_default() += 1;
        }
        let of = |caller: &CallerId| counts.get(caller).copied().unwrap_or_default();
        let callers = (0..all.len()).filter_map(|place| {
            let caller = &all[place].watcher.as_ref()?.caller;
            Some((of(caller), place))
        });
        // Of equals the oldest.
        let (most, place) = callers.rev().max_by_key(|(count, _)| *count)?;
        (most > of(to) + 1).then_some(place)
    })
}
