//! The spectators of one match.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use bridgemaster_proto::v1::{RefusalReason, WatchMatchResponse};
use prost::Message as _;
use tokio::sync::mpsc;
use tonic::Status;

use crate::{
    journal::{Gate, Gated},
    limits::Limits,
    refusal::Refusal,
    tally::{Taken, Tally},
    transport::{CallerId, Watcher},
};

/// A spectator who has read nothing for so long gives way to the next.
const UNREAD: Duration = Duration::from_secs(1);

/// Something for one spectator: news, or why there are no more.
pub(super) type News = Gated<Result<SharedNews, Status>>;

/// News for one spectator.
pub(crate) type WatchReceiver = mpsc::Receiver<News>;

/// News that all spectators share.
pub(crate) struct SharedNews {
    message: Arc<WatchMatchResponse>,
    /// Where they wait behind others.
    _counted: Option<Arc<Taken>>,
}

impl SharedNews {
    /// A message of its own for the one who reads.
    pub(crate) fn into_message(self) -> WatchMatchResponse {
        Arc::unwrap_or_clone(self.message)
    }
}

/// The spectators of one match. Dropping it ends their streams.
#[derive(Default)]
pub(super) struct Spectators {
    all: Vec<Spectator>,
}

struct Spectator {
    queue: mpsc::Sender<News>,
    /// `None` for a spectator of a test.
    watcher: Option<Watcher>,
}

impl Spectators {
    /// Whether nobody watches.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds a spectator, who first gets `snapshot`. When there are too many, one gives way who
    /// reads nothing, or else one of the caller who has most of them.
    pub(super) fn add(
        &mut self,
        watcher: Option<Watcher>,
        snapshot: WatchMatchResponse,
        gate: Option<Gate>,
        limits: &Limits,
    ) -> Result<WatchReceiver, Refusal> {
        self.all.retain(|spectator| !spectator.queue.is_closed());
        if self.all.len() >= limits.watchers_per_match {
            let most = limits.watchers_per_match;
            let full = || Refusal::limit("watchers_per_match", most);
            let place = self.gives_way(watcher.as_ref()).ok_or_else(full)?;
            self.all.remove(place).let_go();
        }
        // One place more than news may take, for the refusal of a spectator who reads too slowly.
        let (queue, receiver) = mpsc::channel(limits.watcher_queue + 1);
        let spectator = Spectator { queue, watcher };
        // The queue is new and has room.
        let _ = spectator.send(Arc::new(snapshot), None, gate);
        self.all.push(spectator);
        Ok(receiver)
    }

    /// Tells all of them when `gate` is open; who reads too slowly is let go with a reason. News
    /// that wait behind others count against `bytes`, once.
    pub(super) fn tell(
        &mut self,
        news: WatchMatchResponse,
        gate: Option<&Gate>,
        bytes: &Arc<Tally>,
    ) {
        let news = Arc::new(news);
        let counted = LazyLock::new(|| bytes.try_acquire(news.encoded_len()).map(Arc::new));
        self.all.retain(|spectator| {
            let counted = match spectator.is_waited_for() {
                true => None,
                false if spectator.queue.capacity() <= 1 => return spectator.let_go(),
                false => match &*counted {
                    Some(counted) => Some(Arc::clone(counted)),
                    None => return spectator.let_go(),
                },
            };
            spectator.send(Arc::clone(&news), counted, gate.cloned())
        });
    }

    /// Lets all of them go.
    pub(super) fn dismiss(&mut self) {
        self.all.clear();
    }

    /// The place of the spectator who gives way to another.
    fn gives_way(&self, to: Option<&Watcher>) -> Option<usize> {
        let unread_for = |place: &usize| {
            let unread = self.all[*place].watcher.as_ref()?.unread_for()?;
            (unread >= UNREAD).then_some(unread)
        };
        let deaf = (0..self.all.len())
            .filter(|place| unread_for(place).is_some())
            .max_by_key(unread_for);
        deaf.or_else(|| {
            let to = &to?.caller;
            let of = |caller: &CallerId| {
                let callers = self.all.iter().filter_map(|one| one.watcher.as_ref());
                callers.filter(|watcher| watcher.caller == *caller).count()
            };
            let callers = (0..self.all.len()).filter_map(|place| {
                let caller = &self.all[place].watcher.as_ref()?.caller;
                Some((of(caller), place))
            });
            // Of equals the oldest.
            let (most, place) = callers.rev().max_by_key(|(count, _)| *count)?;
            (most > of(to) + 1).then_some(place)
        })
    }
}

impl Spectator {
    /// Whether it has been handed all news.
    fn is_waited_for(&self) -> bool {
        self.queue.capacity() == self.queue.max_capacity()
    }

    /// Gives it news, for which there is room; tells whether it is still there.
    fn send(
        &self,
        message: Arc<WatchMatchResponse>,
        counted: Option<Arc<Taken>>,
        gate: Option<Gate>,
    ) -> bool {
        let news = SharedNews {
            message,
            _counted: counted,
        };
        self.queue.try_send(Gated::new(Ok(news), gate)).is_ok()
    }

    /// Tells it why there are no more news. Always `false`: it is no spectator any more.
    fn let_go(&self) -> bool {
        let slow = Refusal::new(
            RefusalReason::SlowConsumer,
            "the news were not read in time; watch again",
        );
        // The last place is kept for this message, so the only failure is a closed queue.
        let _ = self.queue.try_send(Gated::new(Err(slow.into()), None));
        false
    }
}
