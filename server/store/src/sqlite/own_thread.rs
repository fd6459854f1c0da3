//! A thread that has something of its own, such as a connection, and works with it in turn.
//!
//! SQLite's calls block, and a commit is one after the other anyway: so whoever wants something of a
//! connection that writes hands the work over, and waits for what comes of it as for any message.

use std::{
    io,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::mpsc,
    thread::{self, JoinHandle},
};

use tokio::sync::oneshot;

use crate::StoreError;

/// A piece of work. After one that breaks, the thread ends.
type Job<T> = Box<dyn FnOnce(&mut T) -> ControlFlow<()> + Send>;

/// The thread. It ends when this is dropped and what was handed over is done, and whoever drops it
/// waits for that.
#[derive(Debug)]
pub(super) struct OwnThread<T> {
    /// `None` while it is dropped.
    jobs: Option<mpsc::Sender<Job<T>>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> OwnThread<T> {
    /// Starts a thread that owns `owned`. After each piece of work, once its outcome is told, it
    /// does what is to be done `between` them.
    ///
    /// # Errors
    /// What the system says if there can be no thread more.
    pub(super) fn start(name: &str, mut owned: T, between: fn(&mut T)) -> io::Result<Self> {
        let (jobs, waiting) = mpsc::channel::<Job<T>>();
        let work = move || {
            while let Ok(job) = waiting.recv()
                && job(&mut owned).is_continue()
            {
                between(&mut owned);
            }
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Has a piece of work done, and waits for what comes of it. It is done even if nobody waits any
    /// more.
    ///
    /// # Errors
    /// [`StoreError::Closed`] once a piece of work has panicked. The panic goes on in whoever waits
    /// for that piece.
    pub(super) async fn call<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> Result<R, StoreError> {
        let (told, outcome) = oneshot::channel();
        self.hand_over(move |owned| {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(owned)));
            let goes_on = goes_on(&outcome);
            // Nobody may wait for it any more.
            let _ = told.send(outcome);
            goes_on
        });
        match outcome.await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => Err(StoreError::Closed),
        }
    }

    /// Has a piece of work done of which nobody has to know anything.
    pub(super) fn begin(&self, work: impl FnOnce(&mut T) + Send + 'static) {
        self.hand_over(move |owned| {
            work(owned);
            ControlFlow::Continue(())
        });
    }

    fn hand_over(&self, job: impl FnOnce(&mut T) -> ControlFlow<()> + Send + 'static) {
        if let Some(jobs) = &self.jobs {
            // One that ended because of a panic drops the work.
            let _ = jobs.send(Box::new(job));
        }
    }
}

/// What a panic leaves half changed is not worked with any more.
fn goes_on<R>(outcome: &thread::Result<R>) -> ControlFlow<()> {
    match outcome {
        Ok(_) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

impl<T> Drop for OwnThread<T> {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            // What the thread tells may drop this there.
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::ready, sync::Arc};

    use super::*;

    #[tokio::test]
    async fn work_is_done_in_turn_and_though_nobody_waits_for_it() {
        let thread = OwnThread::start("counting", 0, |_| {}).unwrap();
        tokio::select! {
            biased;
            _ = thread.call(|count| *count += 1) => {}
            () = ready(()) => {}
        }
        for expected in 2..=100 {
            let count = thread.call(|count| {
                *count += 1;
                *count
            });
            assert_eq!(count.await.unwrap(), expected);
        }
        let (told, count) = mpsc::channel();
        thread.begin(move |last| told.send(*last).unwrap());
        drop(thread);
        assert_eq!(
            count.try_recv(),
            Ok(100),
            "who drops it waits for what is done"
        );
    }

    #[tokio::test]
    async fn nothing_is_done_with_what_a_panic_has_left() {
        let thread = Arc::new(OwnThread::start("panicking", (), |()| {}).unwrap());
        let same = Arc::clone(&thread);
        let panicking = async move { same.call(|()| panic!("as the test wants it")).await };
        let panicked = tokio::spawn(panicking).await;
        assert!(panicked.is_err_and(|error| error.is_panic()));
        assert!(matches!(
            thread.call(|()| ()).await,
            Err(StoreError::Closed)
        ));
    }
}
