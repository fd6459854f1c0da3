//! A thread that has something of its own, such as a connection, and works with it in turn.
//!
//! SQLite's calls block, and a commit is one after the other anyway: so whoever wants something of a
//! connection that writes hands the work over, and waits for what comes of it as for any message. Quick
//! work that many wait for may be done by whoever asks for it instead.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use crate::StoreError;

/// A piece of work.
type Job<T> = Box<dyn FnOnce(&Owned<T>) + Send>;

/// What the thread has. Gone once a piece of work has panicked: what that leaves half changed is not
/// worked with any more.
#[derive(Debug)]
struct Owned<T>(Mutex<Option<T>>);

/// What is done between pieces of work, while nobody waits.
#[derive(Debug)]
pub(super) struct Between<T> {
    /// Whether there is something to be done.
    pub(super) is_due: fn(&T) -> bool,
    pub(super) tend: fn(&mut T),
}

impl<T> Between<T> {
    /// Nothing.
    pub(super) const NOTHING: Self = Self {
        is_due: |_| false,
        tend: |_| {},
    };
}

/// The thread. It ends when this is dropped and what was handed over is done, and whoever drops it
/// waits for that.
#[derive(Debug)]
pub(super) struct OwnThread<T> {
    owned: Arc<Owned<T>>,
    is_due: fn(&T) -> bool,
    /// `None` while it is dropped.
    jobs: Option<mpsc::Sender<Job<T>>>,
    thread: Option<JoinHandle<()>>,
}

impl<T> Owned<T> {
    /// Does a piece of work; `None` if what it is done with is gone.
    fn work<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<thread::Result<R>> {
        worked(self.0.lock(), work)
    }

    /// The same, unless other work is done meanwhile.
    ///
    /// # Errors
    /// Gives the work back.
    fn try_work<R, W: FnOnce(&mut T) -> R>(&self, work: W) -> Result<Option<thread::Result<R>>, W> {
        match self.0.try_lock() {
            Some(owned) => Ok(worked(owned, work)),
            None => Err(work),
        }
    }
}

fn worked<T, R>(
    mut place: MutexGuard<'_, Option<T>>,
    work: impl FnOnce(&mut T) -> R,
) -> Option<thread::Result<R>> {
    let owned = place.as_mut()?;
    let outcome = catch_unwind(AssertUnwindSafe(|| work(owned)));
    if outcome.is_err() {
        *place = None;
    }
    Some(outcome)
}

impl<T: Send + 'static> OwnThread<T> {
    /// Starts a thread that owns `owned`. After each piece of work, once its outcome is told, it
    /// does what is to be done `between` them.
    ///
    /// # Errors
    /// What the system says if there can be no thread more.
    pub(super) fn start(name: &str, owned: T, between: Between<T>) -> io::Result<Self> {
        let Between { is_due, tend } = between;
        let (jobs, waiting) = mpsc::channel::<Job<T>>();
        let owned = Arc::new(Owned(Mutex::new(Some(owned))));
        let of_thread = Arc::clone(&owned);
        let work = move || {
            while let Ok(job) = waiting.recv() {
                job(&of_thread);
                let tended = of_thread.work(|owned| {
                    if is_due(owned) {
                        tend(owned);
                    }
                });
                if !matches!(tended, Some(Ok(()))) {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Self {
            owned,
            is_due,
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
        self.hand_over(Box::new(move |owned| {
            if let Some(outcome) = owned.work(work) {
                // Nobody may wait for it any more.
                let _ = told.send(outcome);
            }
        }));
        outcome.await.map_or(Err(StoreError::Closed), value)
    }

    /// Does a piece of work here and now, unless other work is being done: then has it done as
    /// [`call`](Self::call) does. It does not wait for work that was handed over before and is not begun.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub(super) async fn call_here<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> Result<R, StoreError> {
        let is_due = self.is_due;
        let work_here = move |owned: &mut T| {
            let worked = work(owned);
            (worked, is_due(owned))
        };
        let outcome = match self.owned.try_work(work_here) {
            Ok(outcome) => outcome,
            Err(work) => return self.call(work).await.map(|(worked, _)| worked),
        };
        let (worked, is_due) = value(outcome.ok_or(StoreError::Closed)?)?;
        if is_due {
            // The thread looks for what is due after each piece of work, also after an empty one.
            self.begin(|_| {});
        }
        Ok(worked)
    }

    /// Has a piece of work done of which nobody has to know anything.
    pub(super) fn begin(&self, work: impl FnOnce(&mut T) + Send + 'static) {
        self.hand_over(Box::new(move |owned| {
            owned.work(work);
        }));
    }

    fn hand_over(&self, job: Job<T>) {
        if let Some(jobs) = &self.jobs {
            // A thread that ended because of a panic drops the work.
            let _ = jobs.send(job);
        }
    }
}

/// The value of work; a panic goes on here.
fn value<R>(outcome: thread::Result<R>) -> Result<R, StoreError> {
    outcome.or_else(|panic| resume_unwind(panic))
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
    use std::{
        future::ready,
        pin::pin,
        task::{Context, Waker},
    };

    use super::*;

    #[tokio::test]
    async fn work_is_done_in_turn_and_though_nobody_waits_for_it() {
        let thread = OwnThread::start("counting", 0, Between::NOTHING).unwrap();
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

    /// The thread of each piece of work, and then of each time that it was tended.
    type Threads = (Vec<thread::ThreadId>, mpsc::Sender<thread::ThreadId>);

    fn seen() -> (OwnThread<Threads>, mpsc::Receiver<thread::ThreadId>) {
        let (tended, by) = mpsc::channel();
        let between = Between {
            is_due: |(worked, _): &Threads| worked.len() == 2,
            tend: |(worked, tended)| {
                worked.clear();
                let _ = tended.send(thread::current().id());
            },
        };
        let owned = (Vec::new(), tended);
        (OwnThread::start("seen", owned, between).unwrap(), by)
    }

    async fn worked_by(thread: &OwnThread<Threads>) -> thread::ThreadId {
        let work = |(worked, _): &mut Threads| {
            worked.push(thread::current().id());
            thread::current().id()
        };
        thread.call_here(work).await.unwrap()
    }

    #[tokio::test]
    async fn quick_work_is_done_by_the_caller_and_what_is_due_by_the_thread() {
        let (thread, tended_by) = seen();
        let own = thread.thread.as_ref().unwrap().thread().id();
        for _ in 0..2 {
            assert_eq!(worked_by(&thread).await, thread::current().id());
        }
        assert_eq!(tended_by.recv().unwrap(), own);
    }

    #[tokio::test]
    async fn a_caller_hands_its_work_over_while_the_thread_is_at_work() {
        let (thread, _) = seen();
        let own = thread.thread.as_ref().unwrap().thread().id();
        let (begun, is_begun) = mpsc::channel();
        let (go_on, goes_on) = mpsc::channel::<()>();
        thread.begin(move |_| {
            begun.send(()).unwrap();
            goes_on.recv().unwrap();
        });
        is_begun.recv().unwrap();
        let mut asked = pin!(worked_by(&thread));
        let mut context = Context::from_waker(Waker::noop());
        assert!(asked.as_mut().poll(&mut context).is_pending());
        go_on.send(()).unwrap();
        assert_eq!(asked.await, own);
    }

    /// Work with a thread ends in a panic, which goes on in whoever asks; then nothing is done any more.
    async fn is_ended_by(
        panicking: impl Future<Output = ()> + Send + 'static,
        thread: &OwnThread<()>,
    ) {
        let panicked = tokio::spawn(panicking).await;
        assert!(panicked.is_err_and(|error| error.is_panic()));
        let here = thread.call_here(|()| ()).await;
        let there = thread.call(|()| ()).await;
        assert!(matches!(here, Err(StoreError::Closed)));
        assert!(matches!(there, Err(StoreError::Closed)));
    }

    #[tokio::test]
    async fn nothing_is_done_with_what_a_panic_has_left() {
        let start = || Arc::new(OwnThread::start("panicking", (), Between::NOTHING).unwrap());
        let (thread, other) = (start(), start());
        let same = Arc::clone(&thread);
        let by_thread = async move {
            same.call(|()| panic!("as the test wants it"))
                .await
                .unwrap()
        };
        is_ended_by(by_thread, &thread).await;
        let same = Arc::clone(&other);
        let by_caller = async move {
            same.call_here(|()| panic!("as the test wants it"))
                .await
                .unwrap()
        };
        is_ended_by(by_caller, &other).await;
    }
}
