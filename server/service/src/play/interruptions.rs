//! Rare events of a bot's stream that its match does not cause: drain, Pings, and the end of the
//! server or of the key.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use parking_lot::Mutex;
use tokio::{
    select,
    time::{Interval, MissedTickBehavior, interval},
};

use crate::{
    cluster::Cluster, identity::Caller, live::Matches, refusal::Refusal, transport::ForwardingNode,
};

/// An event that does not come from the match.
pub(super) enum Interruption {
    /// The server drains. Reported once per stream.
    Draining,
    /// A Ping is due. The first one is due immediately.
    PingDue,
    /// The server stops, the node that forwards the stream is lost, or the caller's key was revoked.
    Ended(Refusal),
}

/// The interruptions of one stream.
pub(super) struct Interruptions {
    next: SeparatelyWoken<(Sources, Interruption)>,
}

/// The sources of interruptions.
struct Sources {
    matches: Arc<Matches>,
    caller: Caller,
    /// The node that forwards the stream, if any.
    node: Option<Arc<ForwardingNode>>,
    pings: Interval,
    drain_announced: bool,
}

impl Interruptions {
    /// Starts the sources for a new stream of `caller`, which `node` forwards.
    pub(super) fn new(
        matches: &Arc<Matches>,
        caller: Caller,
        node: Option<&Arc<ForwardingNode>>,
    ) -> Self {
        let mut pings = interval(matches.limits().ping_interval);
        // A bot that reads again after a pause needs one Ping, not all that were due.
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let sources = Sources {
            caller,
            node: node.cloned(),
            pings,
            drain_announced: false,
            matches: Arc::clone(matches),
        };
        Self {
            next: SeparatelyWoken::new(sources.next()),
        }
    }

    /// Returns the next interruption. Cancel-safe: no interruption is lost.
    pub(super) async fn next(&mut self) -> Interruption {
        let (sources, interruption) = (&mut self.next).await;
        self.next = SeparatelyWoken::new(sources.next());
        interruption
    }
}

impl Sources {
    async fn next(mut self) -> (Self, Interruption) {
        let lifecycle = self.matches.lifecycle();
        let interruption = select! {
            biased;
            () = lifecycle.until_draining(), if !self.drain_announced => {
                self.drain_announced = true;
                Interruption::Draining
            }
            _ = self.pings.tick() => Interruption::PingDue,
            () = lifecycle.until_stopping() => Interruption::Ended(self.matches.stop_refusal()),
            refusal = lease_lapsed(self.matches.cluster()) => Interruption::Ended(refusal),
            refusal = forwarding_node_lost(self.node.as_ref()) => Interruption::Ended(refusal),
            refusal = self.caller.until_revoked() => Interruption::Ended(refusal),
        };
        (self, interruption)
    }
}

/// Completes when the node that forwards the stream is lost.
async fn forwarding_node_lost(node: Option<&Arc<ForwardingNode>>) -> Refusal {
    match node {
        Some(node) => {
            Box::pin(node.until_lost()).await;
            Refusal::forwarding_node_lost()
        }
        None => std::future::pending().await,
    }
}

/// Completes when the lease of this server lapses. From then on, other nodes may take over its
/// matches.
async fn lease_lapsed(cluster: Option<&Arc<Cluster>>) -> Refusal {
    match cluster {
        // Boxed to keep streams small on a single server.
        Some(cluster) => Box::pin(cluster.lease_lapsed()).await,
        None => std::future::pending().await,
    }
}

/// Waits for a rare event in a task that is woken frequently for other reasons. Polling this future
/// is nearly free as long as the task is woken only for other reasons.
pub(super) struct SeparatelyWoken<T> {
    inner: Pin<Box<dyn Future<Output = T> + Send>>,
    flag: Arc<WakeFlag>,
    waker: Waker,
    /// The task that the flag wakes.
    task: Option<Waker>,
}

/// The waker of the inner future.
#[derive(Default)]
struct WakeFlag {
    is_set: AtomicBool,
    /// The waker of the task.
    waker: Mutex<Option<Waker>>,
}

impl<T> SeparatelyWoken<T> {
    pub(super) fn new(inner: impl Future<Output = T> + Send + 'static) -> Self {
        let flag = Arc::new(WakeFlag {
            // The first poll happens without a wake-up.
            is_set: AtomicBool::new(true),
            waker: Mutex::default(),
        });
        Self {
            inner: Box::pin(inner),
            waker: Arc::clone(&flag).into(),
            flag,
            task: None,
        }
    }

    /// Registers the task to be woken from now on.
    fn register_task(&mut self, task: &Waker) {
        if !self
            .task
            .as_ref()
            .is_some_and(|known| known.will_wake(task))
        {
            self.task = Some(task.clone());
            *self.flag.waker.lock() = Some(task.clone());
        }
    }
}

impl<T> Future for SeparatelyWoken<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        self.register_task(context.waker());
        // The flag is read after the registration, so that a later wake-up reaches the task.
        if !self.flag.is_set.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        // A wake-up after this line is not lost: the inner future is polled after it, either now or
        // at the next poll.
        self.flag.is_set.swap(false, Ordering::AcqRel);
        let Self { inner, waker, .. } = &mut *self;
        inner.as_mut().poll(&mut Context::from_waker(waker))
    }
}

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_set.store(true, Ordering::Release);
        let waker = self.waker.lock().clone();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, sync::atomic::AtomicUsize, thread};

    use tokio::sync::oneshot;

    use super::*;
    use crate::counting_waker::CountingWaker;

    #[tokio::test]
    async fn the_inner_future_is_polled_only_after_its_own_wake_up() {
        let (sender, receiver) = oneshot::channel();
        let polls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&polls);
        let mut receiver = Box::pin(receiver);
        let mut future = SeparatelyWoken::new(poll_fn(move |context| {
            counted.fetch_add(1, Ordering::Relaxed);
            receiver.as_mut().poll(context)
        }));
        for _ in 0..10 {
            let is_pending = poll_fn(|context| {
                let polled = Pin::new(&mut future).poll(context);
                Poll::Ready(polled.is_pending())
            });
            assert!(is_pending.await);
        }
        assert_eq!(polls.load(Ordering::Relaxed), 1);
        let sending = thread::spawn(move || sender.send(7));
        assert_eq!(future.await, Ok(7));
        assert_eq!(polls.load(Ordering::Relaxed), 2);
        assert!(sending.join().is_ok());
    }

    #[test]
    fn the_task_that_polled_last_is_woken() {
        let (sender, receiver) = oneshot::channel();
        let mut future = SeparatelyWoken::new(receiver);
        let tasks: [Arc<CountingWaker>; 2] = Default::default();
        for task in &tasks {
            let waker = Waker::from(Arc::clone(task));
            let polled = Pin::new(&mut future).poll(&mut Context::from_waker(&waker));
            assert!(polled.is_pending());
        }
        assert_eq!(sender.send(7), Ok(()));
        assert_eq!(tasks.map(|task| task.count()), [0, 1]);
        let polled = Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(polled, Poll::Ready(Ok(7)));
    }
}
