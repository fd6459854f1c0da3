//! A thread that owns a value, such as a connection, and runs jobs on it one at a time.
//!
//! Calls to SQLite block, and commits are serialized anyway. So callers send jobs to the thread and
//! await their results. A quick job can instead run on its caller's thread.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use crate::StoreError;

type Job<T> = Box<dyn FnOnce(&OwnedValue<T>) + Send>;

/// The value of a worker thread, shared with inline callers. Once a job has panicked, the value is
/// removed, since it might be inconsistent.
#[derive(Debug)]
struct OwnedValue<T>(Mutex<Option<T>>);

/// Maintenance that a worker thread runs on its value between jobs, when no caller waits.
#[derive(Debug)]
pub(super) struct Maintenance<T> {
    /// Returns whether there is anything to do.
    pub(super) is_due: fn(&T) -> bool,
    pub(super) run: fn(&mut T),
}

impl<T> Maintenance<T> {
    pub(super) const NONE: Self = Self {
        is_due: |_| false,
        run: |_| {},
    };
}

/// A thread and the queue of its jobs. Dropping it waits for all queued jobs.
#[derive(Debug)]
pub(super) struct WorkerThread<T> {
    owned: Arc<OwnedValue<T>>,
    is_due: fn(&T) -> bool,
    /// `None` while it is being dropped.
    jobs: Option<mpsc::Sender<Job<T>>>,
    thread: Option<JoinHandle<()>>,
}

impl<T> OwnedValue<T> {
    /// Runs a job; `None` if the value was removed.
    fn run<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<thread::Result<R>> {
        run_job(self.0.lock(), work)
    }

    /// Runs a job like `run`, unless another job is running.
    ///
    /// # Errors
    /// The job itself, if another job is running.
    fn try_run<R, W: FnOnce(&mut T) -> R>(&self, work: W) -> Result<Option<thread::Result<R>>, W> {
        match self.0.try_lock() {
            Some(owned) => Ok(run_job(owned, work)),
            None => Err(work),
        }
    }
}

fn run_job<T, R>(
    mut guard: MutexGuard<'_, Option<T>>,
    work: impl FnOnce(&mut T) -> R,
) -> Option<thread::Result<R>> {
    let owned = guard.as_mut()?;
    let outcome = catch_unwind(AssertUnwindSafe(|| work(owned)));
    if outcome.is_err() {
        *guard = None;
    }
    Some(outcome)
}

impl<T: Send + 'static> WorkerThread<T> {
    /// Starts a thread that owns `owned`. The thread runs `maintenance` after each job, once the
    /// job's result is sent.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub(super) fn start(name: &str, owned: T, maintenance: Maintenance<T>) -> io::Result<Self> {
        let Maintenance { is_due, run } = maintenance;
        let (jobs, receiver) = mpsc::channel::<Job<T>>();
        let owned = Arc::new(OwnedValue(Mutex::new(Some(owned))));
        let thread_state = Arc::clone(&owned);
        let work = move || {
            while let Ok(job) = receiver.recv() {
                job(&thread_state);
                let maintained = thread_state.run(|owned| {
                    if is_due(owned) {
                        run(owned);
                    }
                });
                if !matches!(maintained, Some(Ok(()))) {
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

    /// Runs a job on the thread, and waits for its result. The job runs even if the caller stops
    /// waiting.
    ///
    /// # Errors
    /// [`StoreError::Closed`] once a job has panicked. The caller of that job resumes the panic.
    pub(super) async fn call<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> Result<R, StoreError> {
        let (sender, outcome) = oneshot::channel();
        self.send(Box::new(move |owned| {
            if let Some(outcome) = owned.run(work) {
                // The caller might have stopped waiting.
                let _ = sender.send(outcome);
            }
        }));
        outcome
            .await
            .map_or(Err(StoreError::Closed), unwrap_outcome)
    }

    /// Runs a job on the caller's thread, or as [`call`](Self::call) does if another job is
    /// running. The job can overtake queued jobs.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub(super) async fn call_inline<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> Result<R, StoreError> {
        let is_due = self.is_due;
        let job = move |owned: &mut T| {
            let result = work(owned);
            (result, is_due(owned))
        };
        let outcome = match self.owned.try_run(job) {
            Ok(outcome) => outcome,
            Err(work) => return self.call(work).await.map(|(result, _)| result),
        };
        let (result, is_due) = unwrap_outcome(outcome.ok_or(StoreError::Closed)?)?;
        if is_due {
            // The thread runs maintenance after each job, so an empty job triggers it.
            self.enqueue(|_| {});
        }
        Ok(result)
    }

    /// Queues a job without a result.
    pub(super) fn enqueue(&self, work: impl FnOnce(&mut T) + Send + 'static) {
        self.send(Box::new(move |owned| {
            owned.run(work);
        }));
    }

    fn send(&self, job: Job<T>) {
        if let Some(jobs) = &self.jobs {
            // After a panic the thread has ended, so the job is dropped.
            let _ = jobs.send(job);
        }
    }
}

/// Returns the result of a job, or resumes its panic.
fn unwrap_outcome<R>(outcome: thread::Result<R>) -> Result<R, StoreError> {
    outcome.or_else(|panic| resume_unwind(panic))
}

impl<T> Drop for WorkerThread<T> {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            // A thread cannot join itself. The thread would join itself if a job result that owns
            // this value were dropped on the thread.
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
    async fn jobs_run_in_order_even_if_they_are_not_awaited() {
        let thread = WorkerThread::start("counting", 0, Maintenance::NONE).unwrap();
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
        let (sender, count) = mpsc::channel();
        thread.enqueue(move |last| sender.send(*last).unwrap());
        drop(thread);
        assert_eq!(
            count.try_recv(),
            Ok(100),
            "dropping it waits for queued jobs"
        );
    }

    /// The thread of each job, and a channel for the thread of each maintenance.
    type Threads = (Vec<thread::ThreadId>, mpsc::Sender<thread::ThreadId>);

    fn recording_thread() -> (WorkerThread<Threads>, mpsc::Receiver<thread::ThreadId>) {
        let (maintained, by) = mpsc::channel();
        let maintenance = Maintenance {
            is_due: |(jobs, _): &Threads| jobs.len() == 2,
            run: |(jobs, maintained)| {
                jobs.clear();
                let _ = maintained.send(thread::current().id());
            },
        };
        let owned = (Vec::new(), maintained);
        (
            WorkerThread::start("recording", owned, maintenance).unwrap(),
            by,
        )
    }

    async fn job_thread(thread: &WorkerThread<Threads>) -> thread::ThreadId {
        let work = |(jobs, _): &mut Threads| {
            jobs.push(thread::current().id());
            thread::current().id()
        };
        thread.call_inline(work).await.unwrap()
    }

    #[tokio::test]
    async fn inline_jobs_run_on_the_caller_and_maintenance_on_the_thread() {
        let (thread, maintained_by) = recording_thread();
        let own = thread.thread.as_ref().unwrap().thread().id();
        for _ in 0..2 {
            assert_eq!(job_thread(&thread).await, thread::current().id());
        }
        assert_eq!(maintained_by.recv().unwrap(), own);
    }

    #[tokio::test]
    async fn a_job_is_queued_while_another_one_is_running() {
        let (thread, _) = recording_thread();
        let own = thread.thread.as_ref().unwrap().thread().id();
        let (started, has_started) = mpsc::channel();
        let (resume, resumed) = mpsc::channel::<()>();
        thread.enqueue(move |_| {
            started.send(()).unwrap();
            resumed.recv().unwrap();
        });
        has_started.recv().unwrap();
        let mut queued = pin!(job_thread(&thread));
        let mut context = Context::from_waker(Waker::noop());
        assert!(queued.as_mut().poll(&mut context).is_pending());
        resume.send(()).unwrap();
        assert_eq!(queued.await, own);
    }

    /// Checks that a panic of a job is resumed in its caller, and that later jobs fail.
    async fn assert_closed_after_panic(
        panicking: impl Future<Output = ()> + Send + 'static,
        thread: &WorkerThread<()>,
    ) {
        let panicked = tokio::spawn(panicking).await;
        assert!(panicked.is_err_and(|error| error.is_panic()));
        let here = thread.call_inline(|()| ()).await;
        let there = thread.call(|()| ()).await;
        assert!(matches!(here, Err(StoreError::Closed)));
        assert!(matches!(there, Err(StoreError::Closed)));
    }

    #[tokio::test]
    async fn no_job_runs_after_a_panic() {
        let start = || Arc::new(WorkerThread::start("panicking", (), Maintenance::NONE).unwrap());
        let (thread, other) = (start(), start());
        let same = Arc::clone(&thread);
        let by_thread = async move { same.call(|()| panic!("panic of the test")).await.unwrap() };
        assert_closed_after_panic(by_thread, &thread).await;
        let same = Arc::clone(&other);
        let by_caller = async move {
            same.call_inline(|()| panic!("panic of the test"))
                .await
                .unwrap()
        };
        assert_closed_after_panic(by_caller, &other).await;
    }
}
