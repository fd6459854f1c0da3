//! The spectators of one match.

use bridgemaster_proto::v1::{RefusalReason, WatchMatchResponse};
use tokio::sync::mpsc;
use tonic::Status;

use crate::{
    journal::{Gate, Gated},
    limits::Limits,
    refusal::Refusal,
};

/// Something for one spectator: news, or why there are no more.
pub(super) type News = Gated<Result<WatchMatchResponse, Status>>;

/// News for one spectator.
pub(crate) type WatchReceiver = mpsc::Receiver<News>;

/// The spectators of one match. Dropping it ends their streams.
#[derive(Default)]
pub(super) struct Spectators {
    queues: Vec<mpsc::Sender<News>>,
}

impl Spectators {
    /// Whether nobody watches.
    pub(super) fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// Adds a spectator, who first gets `snapshot`.
    pub(super) fn add(
        &mut self,
        snapshot: WatchMatchResponse,
        gate: Option<Gate>,
        limits: &Limits,
    ) -> Result<WatchReceiver, Refusal> {
        self.queues.retain(|queue| !queue.is_closed());
        if self.queues.len() >= limits.watchers_per_match {
            return Err(Refusal::limit(
                "watchers_per_match",
                limits.watchers_per_match,
            ));
        }
        // One place more than news may take, for the refusal of a spectator who reads too slowly.
        let (queue, receiver) = mpsc::channel(limits.watcher_queue + 1);
        // The queue is new and has room.
        let _ = queue.try_send(Gated::new(Ok(snapshot), gate));
        self.queues.push(queue);
        Ok(receiver)
    }

    /// Tells all of them when `gate` is open; who reads too slowly is let go with a reason.
    pub(super) fn tell(&mut self, news: &WatchMatchResponse, gate: Option<&Gate>) {
        self.queues.retain(|queue| {
            if queue.capacity() > 1 {
                let news = Gated::new(Ok(news.clone()), gate.cloned());
                return queue.try_send(news).is_ok();
            }
            let slow = Refusal::new(
                RefusalReason::SlowConsumer,
                "the news were read too slowly; watch again",
            );
            // The last place is kept for this message, so the only failure is a closed queue.
            let _ = queue.try_send(Gated::new(Err(slow.into()), None));
            false
        });
    }

    /// Lets all of them go.
    pub(super) fn dismiss(&mut self) {
        self.queues.clear();
    }
}
