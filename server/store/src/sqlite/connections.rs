//! The threads on which connections are used, because calls to SQLite block: one thread that owns
//! the write connection, and a pool of connections for reading.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::PathBuf,
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
    time::Duration,
};

use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::timeout,
};

use super::opening;
use crate::{StoreError, db_error::DbError, detached::run_blocking};

/// A job on the value of a thread. Returns whether the thread continues.
type Job<T> = Box<dyn FnOnce(&mut T) -> bool + Send>;

/// A thread that owns a value, such as a connection, and a queue of jobs for it. The jobs run one
/// at a time. Dropping this value waits for all queued jobs.
#[derive(Debug)]
pub(super) struct WorkerThread<T> {
    /// `None` while it is being dropped.
    jobs: Option<mpsc::Sender<Job<T>>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> WorkerThread<T> {
    /// Starts a thread that owns `owned`.
    ///
    /// # Errors
    /// Returns an error if the system cannot start a thread.
    pub(super) fn start(name: &str, mut owned: T) -> io::Result<Self> {
        let (jobs, receiver) = mpsc::channel::<Job<T>>();
        let work = move || {
            while let Ok(job) = receiver.recv() {
                if !job(&mut owned) {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Runs a job, and waits for its result. The job runs even if the caller stops waiting.
    ///
    /// # Errors
    /// Returns [`StoreError::Closed`] after an earlier job has panicked, because the value might be
    /// inconsistent. The panic itself is resumed in the caller of that job.
    pub(super) async fn call<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> Result<R, StoreError> {
        let (sender, outcome) = oneshot::channel();
        let job = move |owned: &mut T| {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(owned)));
            let is_sound = outcome.is_ok();
            // Fails if the caller has stopped waiting.
            let _ = sender.send(outcome);
            is_sound
        };
        self.send(Box::new(job));
        match outcome.await {
            Ok(outcome) => Ok(outcome.unwrap_or_else(|panic| resume_unwind(panic))),
            Err(_) => Err(StoreError::Closed),
        }
    }

    /// Queues a job without a result, which must not panic.
    pub(super) fn enqueue(&self, work: impl FnOnce(&mut T) + Send + 'static) {
        self.send(Box::new(|owned| {
            work(owned);
            true
        }));
    }

    fn send(&self, job: Job<T>) {
        if let Some(jobs) = &self.jobs {
            // Fails if the thread has ended after a panic; the job is then dropped.
            let _ = jobs.send(job);
        }
    }
}

impl<T> Drop for WorkerThread<T> {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            // A thread cannot join itself. That would happen if a job's result owned this value and
            // were dropped on the thread.
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

/// Timeout for waiting until a connection is free. Reads are short.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// A few connections, each used by one read at a time.
#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    connections: u32,
    /// Limits the number of running reads. The semaphore is closed together with the store.
    permits: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    /// Creates a pool with a maximum number of connections.
    pub(super) fn new(path: PathBuf, connections: u32) -> Self {
        Self {
            path,
            connections,
            permits: Arc::new(Semaphore::new(connections as usize)),
            idle: Arc::default(),
        }
    }

    /// Runs a read on a thread where it is allowed to block.
    ///
    /// # Errors
    /// Returns the read's own error; [`StoreError::Busy`] if no connection is free in time;
    /// [`StoreError::Closed`].
    pub(super) async fn read<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<R, DbError> + Send + 'static,
    ) -> Result<R, DbError> {
        let permit = self.acquire().await?;
        let (path, idle) = (self.path.clone(), Arc::clone(&self.idle));
        run_blocking(move || {
            let idle_connection = idle.lock().pop();
            let connection = match idle_connection {
                Some(connection) => connection,
                None => opening::connect_read_only(&path)?,
            };
            let read = work(&connection);
            idle.lock().push(connection);
            // The permit is released only after the connection was returned to the pool.
            drop(permit);
            read
        })
        .await
    }

    pub(super) async fn acquire(&self) -> Result<OwnedSemaphorePermit, DbError> {
        let permit = timeout(ACQUIRE_TIMEOUT, Arc::clone(&self.permits).acquire_owned()).await;
        match permit {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) => Err(StoreError::Closed.into()),
            Err(_) => Err(StoreError::Busy { path: self.path.clone() }.into()),
        }
    }

    /// Waits for running reads, and closes the connections.
    pub(super) async fn close(&self) {
        // An error means that the pool is already closed.
        let all = self.permits.acquire_many(self.connections).await;
        self.permits.close();
        self.idle.lock().clear();
        drop(all);
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use super::*;

    #[tokio::test]
    async fn jobs_run_in_order_even_if_they_are_not_awaited() {
        let (sender, count) = mpsc::channel();
        let thread = WorkerThread::start("counting", 0).unwrap();
        for expected in (2..=100).step_by(2) {
            tokio::select! {
                biased;
                _ = thread.call(|count| *count += 1) => {}
                () = ready(()) => {}
            }
            let count = thread.call(|count| {
                *count += 1;
                *count
            });
            assert_eq!(count.await.unwrap(), expected);
        }
        tokio::select! {
            biased;
            _ = thread.call(move |last| sender.send(*last).unwrap()) => {}
            () = ready(()) => {}
        }
        drop(thread);
        let last = count.try_recv();
        assert_eq!(last, Ok(100), "dropping it waits for queued jobs");
    }

    #[tokio::test]
    async fn no_job_runs_after_a_panic() {
        let thread = Arc::new(WorkerThread::start("panicking", ()).unwrap());
        let same = Arc::clone(&thread);
        let panicking = async move { same.call(|()| panic!("panic of the test")).await };
        let panicked: Result<Result<(), StoreError>, _> = tokio::spawn(panicking).await;
        assert!(panicked.is_err_and(|error| error.is_panic()));
        let after = thread.call(|()| ()).await;
        assert!(matches!(after, Err(StoreError::Closed)));
    }
}
