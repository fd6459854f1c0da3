//! Turns of all calls but the streams of bots, such as lists and the news of spectators. A few of
//! them go on at a time; the others wait in line. The runtime runs tasks in the order in which they
//! could go on, so without turns a bot's message would wait for all lists that were asked for before
//! it.

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

/// The turns of a server.
#[derive(Clone)]
pub(super) struct Turns(Arc<Semaphore>);

/// Held while a task goes on, until it waits for something or ends.
pub(super) struct Turn {
    _permit: Option<OwnedSemaphorePermit>,
}

/// The place in line of one task.
pub(super) struct InLine(PollSemaphore);

impl Turns {
    /// As many at a time as half of the runtime's threads, so that the other half is there for bots.
    pub(super) fn new() -> Self {
        let threads = Handle::try_current().map_or(1, |runtime| runtime.metrics().num_workers());
        Self(Arc::new(Semaphore::new((threads / 2).max(1))))
    }

    pub(super) fn in_line(&self) -> InLine {
        InLine(PollSemaphore::new(Arc::clone(&self.0)))
    }
}

impl InLine {
    /// Waits for a turn. Those who wait get theirs in the order in which they came.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Turn> {
        let permit = ready!(self.0.poll_acquire(context));
        Poll::Ready(Turn { _permit: permit })
    }
}

/// A task that goes on in its turns alone.
pub(super) struct InTurns<F> {
    in_line: InLine,
    task: Pin<Box<F>>,
}

impl<F> InTurns<F> {
    pub(super) fn new(in_line: InLine, task: F) -> Self {
        let task = Box::pin(task);
        Self { in_line, task }
    }
}

impl<F: Future> Future for InTurns<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let _turn = ready!(self.in_line.poll(context));
        self.task.as_mut().poll(context)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[test]
    fn who_waits_for_a_turn_gets_it_when_the_one_before_is_over() {
        let turns = Turns::new();
        let mut context = Context::from_waker(Waker::noop());
        let [mut first, mut second, mut third] = [(); 3].map(|()| turns.in_line());
        let turn = first.poll(&mut context);
        assert!(turn.is_ready());
        assert!(second.poll(&mut context).is_pending());
        assert!(third.poll(&mut context).is_pending());
        drop(turn);
        assert!(
            third.poll(&mut context).is_pending(),
            "the second was first"
        );
        drop(second.poll(&mut context));
        drop(third);
        assert!(first.poll(&mut context).is_ready(), "nobody is left");
    }
}
