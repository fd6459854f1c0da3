//! The spectators of one match.

use bridgemaster_proto::v1::WatchMatchResponse;
use tokio::sync::mpsc;
use tonic::Status;

use crate::{limits::Limits, refusal::Refusal};
use bridgemaster_proto::v1::RefusalReason;

/// News for one spectator.
pub(crate) type WatchReceiver = mpsc::Receiver<Result<WatchMatchResponse, Status>>;

/// The spectators of one match. Dropping it ends their streams.
#[derive(Default)]
pub(super) struct Spectators {
    queues: Vec<mpsc::Sender<Result<WatchMatchResponse, Status>>>,
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
        let _ = queue.try_send(Ok(snapshot));
        self.queues.push(queue);
        Ok(receiver)
    }

    /// Tells all of them; who reads too slowly is let go with a reason.
    pub(super) fn tell(&mut self, news: &WatchMatchResponse) {
        self.queues.retain(|queue| {
            if queue.capacity() > 1 {
                return queue.try_send(Ok(news.clone())).is_ok();
            }
            let slow = Refusal::new(
                RefusalReason::SlowConsumer,
                "the news were read too slowly; watch again",
            );
            // The last place is kept for this message, so the only failure is a closed queue.
            let _ = queue.try_send(Err(slow.into()));
            false
        });
    }

    /// Lets all of them go.
    pub(super) fn dismiss(&mut self) {
        self.queues.clear();
    }
}
