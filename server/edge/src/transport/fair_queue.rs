//! A fair queue for all calls except bots' streams, for example lists and updates for spectators.
//! Only a few of these calls are polled at a time. The runtime polls tasks in the order in which
//! they become ready, so without this queue a bot's message would wait for all lists that were
//! requested earlier.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::sync::PollSemaphore;

/// A server's fair queue.
#[derive(Clone)]
pub(super) struct FairQueue(Arc<Semaphore>);

/// A permit that is held while a task is polled.
pub(super) struct PollPermit {
    _permit: Option<OwnedSemaphorePermit>,
}

/// One task's place in the queue.
pub(super) struct QueuePlace(PollSemaphore);

impl FairQueue {
    /// Creates a queue that polls at most half as many tasks as there are worker threads, so that
    /// the other threads stay free for bots.
    pub(super) fn new() -> Self {
        let threads = Handle::try_current().map_or(1, |runtime| runtime.metrics().num_workers());
        Self(Arc::new(Semaphore::new((threads / 2).max(1))))
    }

    pub(super) fn place(&self) -> QueuePlace {
        QueuePlace(PollSemaphore::new(Arc::clone(&self.0)))
    }
}

impl QueuePlace {
    /// Waits for a permit. Waiting tasks get permits in order of arrival.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<PollPermit> {
        let permit = ready!(self.0.poll_acquire(context));
        Poll::Ready(PollPermit { _permit: permit })
    }
}

/// A task that is polled only with a permit of the fair queue.
pub(super) struct FairlyPolled<F> {
    place: QueuePlace,
    task: Pin<Box<F>>,
}

impl<F> FairlyPolled<F> {
    pub(super) fn new(place: QueuePlace, task: F) -> Self {
        let task = Box::pin(task);
        Self { place, task }
    }
}

impl<F: Future> Future for FairlyPolled<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let _permit = ready!(self.place.poll(context));
        self.task.as_mut().poll(context)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[test]
    fn waiting_tasks_get_permits_in_order_of_arrival() {
        let queue = FairQueue::new();
        let mut context = Context::from_waker(Waker::noop());
        let [mut first, mut second, mut third] = [(); 3].map(|()| queue.place());
        let permit = first.poll(&mut context);
        assert!(permit.is_ready());
        assert!(second.poll(&mut context).is_pending());
        assert!(third.poll(&mut context).is_pending());
        drop(permit);
        assert!(third.poll(&mut context).is_pending(), "the second arrived first");
        drop(second.poll(&mut context));
        drop(third);
        assert!(first.poll(&mut context).is_ready(), "the queue is empty");
    }
}
