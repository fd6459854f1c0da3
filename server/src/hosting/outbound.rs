//! The queue of messages to one bot: bounded, and closed with a reason.

use std::sync::{Arc, OnceLock};

use bridgemaster_proto::v1::PlayResponse;
use tokio::sync::mpsc;

use crate::refusal::Refusal;

/// How a stream ends.
#[derive(Clone, Debug)]
pub(crate) enum Closing {
    /// The match is over: the stream ends well.
    MatchOver,
    /// The stream ends with this refusal.
    Refused(Refusal),
}

/// The match's end of the queue. Dropping it ends the stream once the queue is empty.
pub(crate) struct OutboundSender {
    queue: mpsc::Sender<Box<PlayResponse>>,
    closing: Arc<OnceLock<Closing>>,
}

/// The stream's end of the queue.
pub(crate) struct Outbound {
    queue: mpsc::Receiver<Box<PlayResponse>>,
    closing: Arc<OnceLock<Closing>>,
}

/// The queue is full: its bot reads too slowly.
pub(crate) struct QueueFull {
    /// Messages that it holds.
    pub(crate) limit: usize,
}

/// A queue of at most `limit` messages. Messages are boxed, so that an empty queue is small.
pub(crate) fn channel(limit: usize) -> (OutboundSender, Outbound) {
    let (sender, receiver) = mpsc::channel(limit);
    let closing = Arc::new(OnceLock::new());
    (
        OutboundSender {
            queue: sender,
            closing: Arc::clone(&closing),
        },
        Outbound {
            queue: receiver,
            closing,
        },
    )
}

impl OutboundSender {
    /// Queues a message.
    pub(crate) fn send(&self, response: PlayResponse) -> Result<(), QueueFull> {
        match self.queue.try_send(Box::new(response)) {
            // A stream that is gone is told to the match by its own end.
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => Ok(()),
            Err(mpsc::error::TrySendError::Full(_)) => Err(QueueFull {
                limit: self.queue.max_capacity(),
            }),
        }
    }

    /// Ends the stream after what is queued.
    pub(crate) fn close(self, closing: Closing) {
        // Only this sender sets it, and it is consumed here.
        let _ = self.closing.set(closing);
    }
}

impl Outbound {
    /// The next message; `None` when the match closed the queue.
    pub(crate) async fn next(&mut self) -> Option<PlayResponse> {
        self.queue.recv().await.map(|boxed| *boxed)
    }

    /// How the stream ends, after [`Outbound::next`] gave `None`.
    pub(crate) fn closing(&self) -> Closing {
        self.closing.get().cloned().unwrap_or(Closing::MatchOver)
    }
}
