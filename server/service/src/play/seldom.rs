//! A future that is polled only when it was woken itself.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use parking_lot::Mutex;

/// Waits for what seldom happens, beside something that happens all the time in the same task: it
/// costs the task next to nothing while only the other is woken.
pub(super) struct Seldom<T> {
    awaited: Pin<Box<dyn Future<Output = T> + Send>>,
    bell: Arc<Bell>,
    waker: Waker,
    /// Of the task that the bell wakes.
    task: Option<Waker>,
}

/// What the awaited future wakes.
#[derive(Default)]
struct Bell {
    has_rung: AtomicBool,
    /// Of the task.
    waker: Mutex<Option<Waker>>,
}

impl<T> Seldom<T> {
    pub(super) fn new(awaited: impl Future<Output = T> + Send + 'static) -> Self {
        let bell = Arc::new(Bell {
            // Nothing wakes it before it is polled for the first time.
            has_rung: AtomicBool::new(true),
            waker: Mutex::default(),
        });
        Self {
            awaited: Box::pin(awaited),
            waker: Arc::clone(&bell).into(),
            bell,
            task: None,
        }
    }

    /// From now on this task is woken.
    fn wakes(&mut self, task: &Waker) {
        if !self
            .task
            .as_ref()
            .is_some_and(|known| known.will_wake(task))
        {
            self.task = Some(task.clone());
            *self.bell.waker.lock() = Some(task.clone());
        }
    }
}

impl<T> Future for Seldom<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        self.wakes(context.waker());
        // After the line above: what rings from now on wakes the task.
        if !self.bell.has_rung.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        // What rings from here on is not lost: the future is polled after it, or once more.
        self.bell.has_rung.swap(false, Ordering::AcqRel);
        let Self { awaited, waker, .. } = &mut *self;
        awaited.as_mut().poll(&mut Context::from_waker(waker))
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.has_rung.store(true, Ordering::Release);
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
    use crate::woken::Woken;

    #[tokio::test]
    async fn it_is_polled_when_it_was_woken_and_not_whenever_its_task_is() {
        let (sender, receiver) = oneshot::channel();
        let polls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&polls);
        let mut receiver = Box::pin(receiver);
        let mut seldom = Seldom::new(poll_fn(move |context| {
            counted.fetch_add(1, Ordering::Relaxed);
            receiver.as_mut().poll(context)
        }));
        for _ in 0..10 {
            let is_pending = poll_fn(|context| {
                let polled = Pin::new(&mut seldom).poll(context);
                Poll::Ready(polled.is_pending())
            });
            assert!(is_pending.await);
        }
        assert_eq!(polls.load(Ordering::Relaxed), 1);
        let sending = thread::spawn(move || sender.send(7));
        assert_eq!(seldom.await, Ok(7));
        assert_eq!(polls.load(Ordering::Relaxed), 2);
        assert!(sending.join().is_ok());
    }

    #[test]
    fn the_task_that_polled_last_is_woken() {
        let (sender, receiver) = oneshot::channel();
        let mut seldom = Seldom::new(receiver);
        let tasks: [Arc<Woken>; 2] = Default::default();
        for task in &tasks {
            let waker = Waker::from(Arc::clone(task));
            let polled = Pin::new(&mut seldom).poll(&mut Context::from_waker(&waker));
            assert!(polled.is_pending());
        }
        assert_eq!(sender.send(7), Ok(()));
        assert_eq!(tasks.map(|task| task.times()), [0, 1]);
        let polled = Pin::new(&mut seldom).poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(polled, Poll::Ready(Ok(7)));
    }
}
