//! The queue of messages to one bot: bounded, and closed with a reason. A message leaves it when
//! what caused it is stored.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use bridgemaster_match::Outgoing;
use tokio::sync::mpsc;

use crate::{
    journal::{Gate, Gated},
    limits::UNCOUNTED_QUEUE_BYTES,
    refusal::Refusal,
    tally::Taken,
    transport::{Call, QueueAllowance},
};

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
    queue: mpsc::Sender<Gated<Box<Queued>>>,
    closing: Arc<OnceLock<Gated<Closing>>>,
    /// Bytes of what is queued.
    bytes: Arc<AtomicUsize>,
    /// `None` for a stream of a test.
    allowance: Option<QueueAllowance>,
}

/// A message in the queue.
struct Queued {
    message: Outgoing,
    /// Where it counts as waiting behind others.
    _counted: Option<[Taken; 2]>,
}

/// The stream's end of the queue.
pub(crate) struct Outbound {
    queue: mpsc::Receiver<Gated<Box<Queued>>>,
    /// The next message, taken from the queue to wait for its gate.
    next: Option<Gated<Box<Queued>>>,
    closing: Arc<OnceLock<Gated<Closing>>>,
    bytes: Arc<AtomicUsize>,
    /// The store failed, and what is queued is never sent.
    is_cut: bool,
}

/// The queue is full: its bot reads too slowly.
pub(crate) struct QueueFull {
    /// Messages that it holds.
    pub(crate) messages: usize,
}

/// A queue of at most `limit` messages. Messages are boxed, so that an empty queue is small.
pub(crate) fn channel(limit: usize) -> (OutboundSender, Outbound) {
    let (sender, receiver) = mpsc::channel(limit);
    let closing = Arc::new(OnceLock::new());
    let bytes = Arc::new(AtomicUsize::new(0));
    (
        OutboundSender {
            queue: sender,
            closing: Arc::clone(&closing),
            bytes: Arc::clone(&bytes),
            allowance: Call::current().map(|call| call.queue_allowance()),
        },
        Outbound {
            queue: receiver,
            next: None,
            closing,
            bytes,
            is_cut: false,
        },
    )
}

impl OutboundSender {
    /// Queues a message, to be sent when `gate` is open.
    pub(crate) fn send(&self, message: Outgoing, gate: Option<Gate>) -> Result<(), QueueFull> {
        let full = || QueueFull {
            messages: self.queue.max_capacity() - self.queue.capacity(),
        };
        let bytes = message.bytes.len();
        let waiting = self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let counted = match &self.allowance {
            Some(allowance) if waiting > 0 && waiting + bytes > UNCOUNTED_QUEUE_BYTES => {
                Some(allowance.reserve(bytes).ok_or_else(full)?)
            }
            _ => None,
        };
        let queued = Box::new(Queued {
            message,
            _counted: counted,
        });
        match self.queue.try_send(Gated::new(queued, gate)) {
            // A stream that is gone is told to the match by its own end.
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => Ok(()),
            Err(mpsc::error::TrySendError::Full(_)) => Err(full()),
        }
    }

    /// Ends the stream after what is queued, when `gate` is open.
    pub(crate) fn close(self, closing: Closing, gate: Option<Gate>) {
        // Only this sender sets it, and it is consumed here.
        let _ = self.closing.set(Gated::new(closing, gate));
    }
}

impl Outbound {
    /// The next message; `None` when the match closed the queue. A call that is dropped loses
    /// nothing.
    pub(crate) async fn next(&mut self) -> Option<Outgoing> {
        if self.is_cut {
            return None;
        }
        if self.next.is_none() {
            self.next = self.queue.recv().await;
        }
        let opened = match (&self.next, self.closing.get()) {
            (Some(message), _) => message.wait().await,
            (None, Some(closing)) => closing.wait().await,
            (None, None) => Ok(()),
        };
        self.is_cut = opened.is_err();
        let next = self.next.take_if(|_| opened.is_ok())?.into_value();
        let Queued { message, .. } = *next;
        self.bytes.fetch_sub(message.bytes.len(), Ordering::Relaxed);
        Some(message)
    }

    /// How the stream ends, after [`Outbound::next`] gave `None`.
    pub(crate) fn closing(&self) -> Closing {
        if self.is_cut {
            return Closing::Refused(Refusal::storage_failed());
        }
        let closing = self.closing.get().cloned();
        closing.map_or(Closing::MatchOver, Gated::into_value)
    }
}
