//! The bounded queue of messages to one bot. A message is sent once the entry that caused it is
//! committed.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use bridgemaster_edge::{
    limiter::Permit,
    limits::UNCOUNTED_BOT_QUEUE_BYTES,
    refusal::Refusal,
    transport::{Call, QueueBudget},
};
use bridgemaster_match::Outgoing;
use parking_lot::Mutex;

use crate::journal::{CommitGate, Gated};

/// The reason why a stream ends.
#[derive(Clone, Debug)]
pub enum Closing {
    /// The match has ended, and the stream ends without an error.
    MatchOver,
    /// The stream ends with this refusal.
    Refused(Refusal),
}

/// The sending half of the queue, for the match. Dropping the sender ends the stream once the queue
/// is empty.
pub(crate) struct OutboundSender {
    queue: Arc<Queue>,
    /// The maximum number of messages in the queue.
    limit: usize,
    /// `None` only in unit tests.
    budget: Option<QueueBudget>,
}

/// The receiving half of the queue, for the stream.
pub struct Outbound {
    queue: Arc<Queue>,
    /// A commit failed, so queued messages are never sent.
    has_failed: bool,
}

/// The state that both halves share. The `Wake` implementation wakes the stream.
#[derive(Default)]
struct Queue(Mutex<Queued>);

#[derive(Default)]
struct Queued {
    messages: VecDeque<Gated<Box<Message>>>,
    /// The total length of the queued messages, in bytes.
    bytes: usize,
    closing: Option<Gated<Closing>>,
    /// The sending half was closed, so no more messages follow.
    is_sender_closed: bool,
    /// The stream was dropped.
    is_receiver_closed: bool,
    /// The waker of the stream while it waits.
    waker: Option<Waker>,
}

struct Message {
    outgoing: Outgoing,
    /// The permits for the message's bytes; held while the message waits behind earlier messages.
    _counted: Option<[Permit; 2]>,
}

/// The error when the queue is full, because the bot reads too slowly.
pub(crate) struct QueueFull {
    /// The number of messages in the queue.
    pub messages: usize,
}

/// Creates a queue of at most `limit` messages. Messages are boxed, so that a short queue is small.
pub(crate) fn channel(limit: usize) -> (OutboundSender, Outbound) {
    let queue = Arc::<Queue>::default();
    let sender = OutboundSender {
        queue: Arc::clone(&queue),
        limit,
        budget: Call::current().map(|call| call.queue_budget()),
    };
    let outbound = Outbound { queue, has_failed: false };
    (sender, outbound)
}

impl Wake for Queue {
    fn wake(self: Arc<Self>) {
        let waker = self.0.lock().waker.take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl OutboundSender {
    /// Queues a message, to be sent once `gate` is open.
    pub(crate) fn send(
        &self,
        outgoing: Outgoing,
        gate: Option<CommitGate>,
    ) -> Result<(), QueueFull> {
        let mut queued = self.queue.0.lock();
        if queued.is_receiver_closed {
            // Sending to a closed queue is not an error: the match is notified separately when the
            // stream is dropped.
            return Ok(());
        }
        let messages = queued.messages.len();
        if messages >= self.limit {
            return Err(QueueFull { messages });
        }
        let bytes = outgoing.bytes.len();
        let counted = match &self.budget {
            Some(budget)
                if queued.bytes > 0 && queued.bytes + bytes > UNCOUNTED_BOT_QUEUE_BYTES =>
            {
                let counted = budget.reserve(bytes);
                Some(counted.ok_or(QueueFull { messages })?)
            }
            _ => None,
        };
        queued.bytes += bytes;
        let message = Box::new(Message { outgoing, _counted: counted });
        queued.messages.push_back(Gated::new(message, gate.clone()));
        drop(queued);
        self.wake_after(gate);
        Ok(())
    }

    /// Ends the stream once the queued messages are sent and `gate` is open.
    pub(crate) fn close(self, closing: Closing, gate: Option<CommitGate>) {
        self.queue.0.lock().closing = Some(Gated::new(closing, gate.clone()));
        self.wake_after(gate);
    }

    /// Wakes the stream once the gate is open, since it cannot send the message earlier.
    fn wake_after(&self, gate: Option<CommitGate>) {
        let queue = Arc::clone(&self.queue);
        match gate {
            Some(gate) => gate.wake_when_resolved(Waker::from(queue)),
            None => queue.wake(),
        }
    }
}

impl Drop for OutboundSender {
    fn drop(&mut self) {
        let mut queued = self.queue.0.lock();
        queued.is_sender_closed = true;
        let closes_without_reason = queued.closing.is_none();
        drop(queued);
        if closes_without_reason {
            self.wake_after(None);
        }
    }
}

impl Outbound {
    /// Returns the next message, or `None` when the match closed the queue. This method is
    /// cancel-safe.
    pub async fn next(&mut self) -> Option<Outgoing> {
        poll_fn(|context| self.poll_next(context)).await
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Outgoing>> {
        if self.has_failed {
            return Poll::Ready(None);
        }
        let mut queued = self.queue.0.lock();
        let ready = match (queued.messages.front(), &queued.closing) {
            (Some(message), _) => message.outcome(),
            (None, Some(closing)) => closing.outcome(),
            (None, None) => queued.is_sender_closed.then_some(Ok(())),
        };
        match ready {
            Some(Ok(())) => {
                let next = queued.messages.pop_front().map(Gated::into_value);
                let next = next.map(|message| message.outgoing);
                queued.bytes -= next.as_ref().map_or(0, |outgoing| outgoing.bytes.len());
                Poll::Ready(next)
            }
            Some(Err(_)) => {
                drop(queued);
                self.has_failed = true;
                Poll::Ready(None)
            }
            None => {
                queued.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Returns the reason why the stream ends. Call this after [`Outbound::next`] returned `None`.
    pub fn closing(&self) -> Closing {
        if self.has_failed {
            return Closing::Refused(Refusal::storage_failed());
        }
        let closing = self.queue.0.lock().closing.clone();
        closing.map_or(Closing::MatchOver, Gated::into_value)
    }
}

impl Drop for Outbound {
    fn drop(&mut self) {
        let mut queued = self.queue.0.lock();
        queued.is_receiver_closed = true;
        queued.waker = None;
        let unsent = std::mem::take(&mut queued.messages);
        drop(queued);
        // The permits of unsent messages are released outside the lock.
        drop(unsent);
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::{Ping, PlayResponse, play_response};

    use super::*;
    use crate::{counting_waker::CountingWaker, journal::NotStored};

    /// A stream that waits for its next message and counts its wake-ups.
    struct Stream {
        outbound: Outbound,
        woken: Arc<CountingWaker>,
    }

    impl Stream {
        fn new(outbound: Outbound) -> Self {
            let woken = Arc::default();
            Self { outbound, woken }
        }

        /// Returns the bytes of the next message; the inner `None` is the end.
        fn next(&mut self) -> Poll<Option<Vec<u8>>> {
            let waker = Waker::from(Arc::clone(&self.woken));
            let next = self.outbound.poll_next(&mut Context::from_waker(&waker));
            next.map(|message| Some(message?.bytes.to_vec()))
        }

        fn times_woken(&self) -> usize {
            self.woken.count()
        }
    }

    fn message(nonce: u64) -> PlayResponse {
        let ping = Ping { nonce };
        PlayResponse { sequence: 0, message: Some(play_response::Message::Ping(ping)) }
    }

    fn bytes(nonce: u64) -> Vec<u8> {
        Outgoing::from(message(nonce)).bytes.to_vec()
    }

    fn queue() -> (OutboundSender, Stream) {
        let (sender, outbound) = channel(3);
        (sender, Stream::new(outbound))
    }

    fn send(
        sender: &OutboundSender,
        nonce: u64,
        gate: Option<&CommitGate>,
    ) -> Result<(), QueueFull> {
        sender.send(message(nonce).into(), gate.cloned())
    }

    #[test]
    fn a_stream_is_woken_when_a_message_may_be_sent_and_not_before() {
        let (sender, mut stream) = queue();
        let gate = CommitGate::default();
        assert_eq!(stream.next(), Poll::Pending);
        assert!(send(&sender, 1, Some(&gate)).is_ok());
        assert!(send(&sender, 2, Some(&gate)).is_ok());
        assert_eq!(stream.times_woken(), 0);
        assert_eq!(stream.next(), Poll::Pending);
        gate.resolve(Ok(()));
        assert_eq!(stream.times_woken(), 1);
        assert_eq!(stream.next(), Poll::Ready(Some(bytes(1))));
        assert_eq!(stream.next(), Poll::Ready(Some(bytes(2))));
        assert_eq!(stream.next(), Poll::Pending);
        assert!(send(&sender, 3, Some(&gate)).is_ok());
        assert_eq!(stream.times_woken(), 2, "at once by an open gate");
        assert_eq!(stream.next(), Poll::Ready(Some(bytes(3))));
        assert_eq!(stream.next(), Poll::Pending);
        assert!(send(&sender, 4, None).is_ok());
        assert_eq!(stream.times_woken(), 3, "and by no gate");
    }

    #[test]
    fn messages_are_not_reordered_around_a_closed_gate() {
        let (sender, mut stream) = queue();
        let gate = CommitGate::default();
        assert!(send(&sender, 1, Some(&gate)).is_ok());
        assert!(send(&sender, 2, None).is_ok());
        assert_eq!(stream.next(), Poll::Pending);
        sender.close(Closing::MatchOver, None);
        assert_eq!(stream.next(), Poll::Pending);
        gate.resolve(Ok(()));
        assert_eq!(stream.next(), Poll::Ready(Some(bytes(1))));
        assert_eq!(stream.next(), Poll::Ready(Some(bytes(2))));
        assert_eq!(stream.next(), Poll::Ready(None));
    }

    #[test]
    fn a_stream_ends_once_its_end_is_committed() {
        let (sender, mut stream) = queue();
        let gate = CommitGate::default();
        assert_eq!(stream.next(), Poll::Pending);
        sender.close(Closing::MatchOver, Some(gate.clone()));
        assert_eq!((stream.next(), stream.times_woken()), (Poll::Pending, 0));
        gate.resolve(Ok(()));
        assert_eq!((stream.next(), stream.times_woken()), (Poll::Ready(None), 1));
        let (sender, mut stream) = queue();
        assert_eq!(stream.next(), Poll::Pending);
        drop(sender);
        assert_eq!((stream.next(), stream.times_woken()), (Poll::Ready(None), 1));
        assert!(matches!(stream.outbound.closing(), Closing::MatchOver));
    }

    #[test]
    fn nothing_is_sent_after_a_failed_commit() {
        let (sender, mut stream) = queue();
        let gate = CommitGate::default();
        assert_eq!(stream.next(), Poll::Pending);
        assert!(send(&sender, 1, Some(&gate)).is_ok());
        assert!(send(&sender, 2, None).is_ok());
        gate.resolve(Err(NotStored));
        assert_eq!(stream.times_woken(), 1);
        for _ in 0..2 {
            assert_eq!(stream.next(), Poll::Ready(None));
        }
        assert!(matches!(stream.outbound.closing(), Closing::Refused(_)));
    }

    #[test]
    fn a_full_queue_is_an_error_and_a_closed_one_drops_messages() {
        let (sender, mut stream) = queue();
        for nonce in 0..3 {
            assert!(send(&sender, nonce, None).is_ok());
        }
        let full = send(&sender, 3, None);
        assert!(matches!(full, Err(QueueFull { messages: 3 })));
        assert_eq!(stream.next(), Poll::Ready(Some(bytes(0))));
        assert!(send(&sender, 3, None).is_ok());
        drop(stream);
        for nonce in 4..10 {
            assert!(send(&sender, nonce, None).is_ok());
        }
    }
}
