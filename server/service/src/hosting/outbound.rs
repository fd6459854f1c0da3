//! The queue of messages to one bot: bounded, and closed with a reason. A message leaves it when
//! what caused it is stored.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use bridgemaster_match::Outgoing;
use parking_lot::Mutex;

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
    queue: Arc<Queue>,
    /// Messages in the queue, at most.
    limit: usize,
    /// `None` for a stream of a test.
    allowance: Option<QueueAllowance>,
}

/// The stream's end of the queue.
pub(crate) struct Outbound {
    queue: Arc<Queue>,
    /// The store failed, and what is queued is never sent.
    is_cut: bool,
}

/// What both ends have. Waking it wakes the stream.
#[derive(Default)]
struct Queue(Mutex<Queued>);

#[derive(Default)]
struct Queued {
    messages: VecDeque<Gated<Box<Message>>>,
    /// Bytes of all messages.
    bytes: usize,
    closing: Option<Gated<Closing>>,
    /// The match says no more.
    is_ended: bool,
    /// The stream is gone.
    is_unheard: bool,
    /// Of the stream, while it waits.
    waiting: Option<Waker>,
}

/// A message in the queue.
struct Message {
    outgoing: Outgoing,
    /// Where it counts as waiting behind others.
    _counted: Option<[Taken; 2]>,
}

/// The queue is full: its bot reads too slowly.
pub(crate) struct QueueFull {
    /// Messages that it holds.
    pub(crate) messages: usize,
}

/// A queue of at most `limit` messages. Messages are boxed, so that a short queue is small.
pub(crate) fn channel(limit: usize) -> (OutboundSender, Outbound) {
    let queue = Arc::<Queue>::default();
    let sender = OutboundSender {
        queue: Arc::clone(&queue),
        limit,
        allowance: Call::current().map(|call| call.queue_allowance()),
    };
    let outbound = Outbound {
        queue,
        is_cut: false,
    };
    (sender, outbound)
}

impl Wake for Queue {
    fn wake(self: Arc<Self>) {
        let waiting = self.0.lock().waiting.take();
        if let Some(waker) = waiting {
            waker.wake();
        }
    }
}

impl OutboundSender {
    /// Queues a message, to be sent when `gate` is open.
    pub(crate) fn send(&self, outgoing: Outgoing, gate: Option<Gate>) -> Result<(), QueueFull> {
        let mut queued = self.queue.0.lock();
        if queued.is_unheard {
            // The stream's own end tells the match.
            return Ok(());
        }
        let messages = queued.messages.len();
        if messages >= self.limit {
            return Err(QueueFull { messages });
        }
        let bytes = outgoing.bytes.len();
        let counted = match &self.allowance {
            Some(allowance) if queued.bytes > 0 && queued.bytes + bytes > UNCOUNTED_QUEUE_BYTES => {
                let counted = allowance.reserve(bytes);
                Some(counted.ok_or(QueueFull { messages })?)
            }
            _ => None,
        };
        queued.bytes += bytes;
        let message = Box::new(Message {
            outgoing,
            _counted: counted,
        });
        queued.messages.push_back(Gated::new(message, gate.clone()));
        drop(queued);
        self.wake_behind(gate);
        Ok(())
    }

    /// Ends the stream after what is queued, when `gate` is open.
    pub(crate) fn close(self, closing: Closing, gate: Option<Gate>) {
        self.queue.0.lock().closing = Some(Gated::new(closing, gate.clone()));
        self.wake_behind(gate);
    }

    /// Wakes the stream, but not before the gate is open: it could only wait for that.
    fn wake_behind(&self, gate: Option<Gate>) {
        let queue = Arc::clone(&self.queue);
        match gate {
            Some(gate) => gate.wake_when_settled(Waker::from(queue)),
            None => queue.wake(),
        }
    }
}

impl Drop for OutboundSender {
    fn drop(&mut self) {
        let mut queued = self.queue.0.lock();
        queued.is_ended = true;
        let closes_unsaid = queued.closing.is_none();
        drop(queued);
        if closes_unsaid {
            self.wake_behind(None);
        }
    }
}

impl Outbound {
    /// The next message; `None` when the match closed the queue. A call that is dropped loses
    /// nothing.
    pub(crate) async fn next(&mut self) -> Option<Outgoing> {
        poll_fn(|context| self.poll_next(context)).await
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Outgoing>> {
        if self.is_cut {
            return Poll::Ready(None);
        }
        let mut queued = self.queue.0.lock();
        let may_leave = match (queued.messages.front(), &queued.closing) {
            (Some(message), _) => message.outcome(),
            (None, Some(closing)) => closing.outcome(),
            (None, None) => queued.is_ended.then_some(Ok(())),
        };
        match may_leave {
            Some(Ok(())) => {
                let next = queued.messages.pop_front().map(Gated::into_value);
                let next = next.map(|message| message.outgoing);
                queued.bytes -= next.as_ref().map_or(0, |outgoing| outgoing.bytes.len());
                Poll::Ready(next)
            }
            Some(Err(_)) => {
                drop(queued);
                self.is_cut = true;
                Poll::Ready(None)
            }
            None => {
                queued.waiting = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// How the stream ends, after [`Outbound::next`] gave `None`.
    pub(crate) fn closing(&self) -> Closing {
        if self.is_cut {
            return Closing::Refused(Refusal::storage_failed());
        }
        let closing = self.queue.0.lock().closing.clone();
        closing.map_or(Closing::MatchOver, Gated::into_value)
    }
}

impl Drop for Outbound {
    fn drop(&mut self) {
        let mut queued = self.queue.0.lock();
        queued.is_unheard = true;
        queued.waiting = None;
        let unsent = std::mem::take(&mut queued.messages);
        drop(queued);
        // Gives back what they count for, without the lock.
        drop(unsent);
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_proto::v1::{Ping, PlayResponse, play_response};

    use super::*;
    use crate::{journal::NotStored, woken::Woken};

    /// A stream that waits for its next message, and how often it was woken.
    struct Stream {
        outbound: Outbound,
        woken: Arc<Woken>,
    }

    impl Stream {
        fn new(outbound: Outbound) -> Self {
            let woken = Arc::default();
            Self { outbound, woken }
        }

        /// The bytes of the next message; `None` within for the end.
        fn next(&mut self) -> Poll<Option<Vec<u8>>> {
            let waker = Waker::from(Arc::clone(&self.woken));
            let next = self.outbound.poll_next(&mut Context::from_waker(&waker));
            next.map(|message| Some(message?.bytes.to_vec()))
        }

        fn times_woken(&self) -> usize {
            self.woken.times()
        }
    }

    fn message(nonce: u64) -> PlayResponse {
        let ping = Ping { nonce };
        PlayResponse {
            sequence: 0,
            message: Some(play_response::Message::Ping(ping)),
        }
    }

    fn bytes(nonce: u64) -> Vec<u8> {
        Outgoing::from(message(nonce)).bytes.to_vec()
    }

    fn queue() -> (OutboundSender, Stream) {
        let (sender, outbound) = channel(3);
        (sender, Stream::new(outbound))
    }

    fn send(sender: &OutboundSender, nonce: u64, gate: Option<&Gate>) -> Result<(), QueueFull> {
        sender.send(message(nonce).into(), gate.cloned())
    }

    #[test]
    fn a_stream_is_woken_by_what_may_leave_and_not_before() {
        let (sender, mut stream) = queue();
        let gate = Gate::default();
        assert_eq!(stream.next(), Poll::Pending);
        assert!(send(&sender, 1, Some(&gate)).is_ok());
        assert!(send(&sender, 2, Some(&gate)).is_ok());
        assert_eq!(stream.times_woken(), 0);
        assert_eq!(stream.next(), Poll::Pending);
        gate.settle(Ok(()));
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
    fn nothing_overtakes_what_waits_for_its_gate() {
        let (sender, mut stream) = queue();
        let gate = Gate::default();
        assert!(send(&sender, 1, Some(&gate)).is_ok());
        assert!(send(&sender, 2, None).is_ok());
        assert_eq!(stream.next(), Poll::Pending);
        sender.close(Closing::MatchOver, None);
        assert_eq!(stream.next(), Poll::Pending);
        gate.settle(Ok(()));
        assert_eq!(stream.next(), Poll::Ready(Some(bytes(1))));
        assert_eq!(stream.next(), Poll::Ready(Some(bytes(2))));
        assert_eq!(stream.next(), Poll::Ready(None));
    }

    #[test]
    fn a_stream_ends_when_what_ends_it_is_stored() {
        let (sender, mut stream) = queue();
        let gate = Gate::default();
        assert_eq!(stream.next(), Poll::Pending);
        sender.close(Closing::MatchOver, Some(gate.clone()));
        assert_eq!((stream.next(), stream.times_woken()), (Poll::Pending, 0));
        gate.settle(Ok(()));
        assert_eq!(
            (stream.next(), stream.times_woken()),
            (Poll::Ready(None), 1)
        );
        let (sender, mut stream) = queue();
        assert_eq!(stream.next(), Poll::Pending);
        drop(sender);
        assert_eq!(
            (stream.next(), stream.times_woken()),
            (Poll::Ready(None), 1)
        );
        assert!(matches!(stream.outbound.closing(), Closing::MatchOver));
    }

    #[test]
    fn what_is_never_stored_is_never_sent_and_nothing_after_it() {
        let (sender, mut stream) = queue();
        let gate = Gate::default();
        assert_eq!(stream.next(), Poll::Pending);
        assert!(send(&sender, 1, Some(&gate)).is_ok());
        assert!(send(&sender, 2, None).is_ok());
        gate.settle(Err(NotStored));
        assert_eq!(stream.times_woken(), 1);
        for _ in 0..2 {
            assert_eq!(stream.next(), Poll::Ready(None));
        }
        assert!(matches!(stream.outbound.closing(), Closing::Refused(_)));
    }

    #[test]
    fn a_full_queue_says_so_and_one_that_nobody_reads_takes_everything() {
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
