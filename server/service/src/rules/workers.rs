//! Threads that do the work of the rules in slices.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use bridgemaster_proto::v1::RefusalReason;
use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;
use tracing::error;

use super::{
    low_priority::{begin, processor_time},
    queue::TurnQueue,
};
use crate::{
    limits::Rate,
    refusal::Refusal,
    transport::{CallerId, TokenBuckets},
};

/// Time after which work goes behind that of other callers: short enough that a legal list is never
/// long in coming behind somebody's playouts, long enough that the change costs nothing.
const SLICE: Duration = Duration::from_millis(5);

/// Processor time in ms that each request is charged besides its work: several times what it takes
/// to read and to answer one, on threads that matches need too.
const REQUEST_MS: f64 = 0.5;

/// Work that can be done in parts.
pub(crate) trait Task: Send + 'static {
    /// Works as long as `go_on` says so; whether all is done.
    fn work(&mut self, go_on: &mut dyn FnMut() -> bool) -> bool;
    /// Ends before all is done.
    fn refuse(&mut self, refusal: Refusal);
}

/// The threads; they end when this is dropped.
pub(crate) struct Workers {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue>,
    news: Condvar,
    /// Processor time of each caller, in ms; `None` where it is not counted.
    time: Option<TokenBuckets<Option<CallerId>>>,
}

#[derive(Default)]
struct Queue {
    waiting: TurnQueue<Option<CallerId>, Box<dyn Job>>,
    is_closed: bool,
}

impl Workers {
    /// Starts so many threads, of low priority if processor time is counted.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start(threads: usize, cpu_ms_per_caller: Option<Rate>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            news: Condvar::new(),
            time: cpu_ms_per_caller.map(TokenBuckets::new),
        });
        // Dropped with an error, so that the threads that were started end.
        let workers = Self { shared };
        for number in 0..threads.max(1) {
            let shared = Arc::clone(&workers.shared);
            let named = thread::Builder::new().name(format!("rules-{number}"));
            named.spawn(move || shared.work())?;
        }
        Ok(workers)
    }

    /// Has a task of a caller done, and gives it back. Dropping this stops the work.
    ///
    /// # Errors
    /// When the server stops, or the work failed.
    pub(crate) async fn run<T: Task>(&self, of: Option<CallerId>, task: T) -> Result<T, Refusal> {
        let (to, done) = oneshot::channel();
        if let Some(time) = &self.shared.time {
            time.charge(of.clone(), REQUEST_MS, Instant::now());
        }
        {
            let mut queue = self.shared.queue.lock();
            if queue.is_closed {
                return Err(Refusal::stopping());
            }
            queue.waiting.push(of, Box::new(Returned { task, to }));
        }
        self.shared.news.notify_one();
        done.await.map_err(|_| match self.shared.queue.lock().is_closed {
            true => Refusal::stopping(),
            false => Refusal::new(
                RefusalReason::Unspecified,
                "the server failed at this position, which is a defect of it; its log says more",
            ),
        })
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.close();
    }
}

impl Shared {
    /// Ends the threads, and tells whoever waits for them.
    fn close(&self) {
        let mut queue = self.queue.lock();
        queue.is_closed = true;
        let waiting = std::mem::take(&mut queue.waiting);
        drop(queue);
        drop(waiting);
        self.news.notify_all();
    }

    /// Works until the queue is closed.
    fn work(&self) {
        if self.time.is_some() {
            begin();
        }
        while let Some((of, mut job)) = self.next() {
            if let Some(refusal) = self.overspent(&of) {
                job.refuse(refusal);
                job.give_back();
                continue;
            }
            let (begun, begun_at) = (processor_time(), Instant::now());
            // What a defect leaves behind goes with the job.
            let worked = catch_unwind(AssertUnwindSafe(|| {
                job.work(&mut || begun_at.elapsed() < SLICE)
            }));
            self.charge(&of, processor_time().saturating_sub(begun));
            match worked {
                Ok(Worked::Done) => job.give_back(),
                Ok(Worked::Unwanted) => {}
                Ok(Worked::InPart) => self.push_back(of, job),
                Err(_) => error!("a task of the rules has panicked"),
            }
        }
    }

    fn next(&self) -> Option<(Option<CallerId>, Box<dyn Job>)> {
        let mut queue = self.queue.lock();
        loop {
            if queue.is_closed {
                return None;
            }
            if let Some(next) = queue.waiting.pop() {
                return Some(next);
            }
            self.news.wait(&mut queue);
        }
    }

    fn push_back(&self, of: Option<CallerId>, job: Box<dyn Job>) {
        let mut queue = self.queue.lock();
        if !queue.is_closed {
            queue.waiting.push(of, job);
        }
    }

    /// Why a caller has to wait, if it has used up its processor time.
    fn overspent(&self, of: &Option<CallerId>) -> Option<Refusal> {
        let time = self.time.as_ref()?;
        let wait = time.overdrawn(of, Instant::now())?;
        Some(Refusal::rate("rules_cpu_ms_per_caller", time.rate(), wait))
    }

    fn charge(&self, of: &Option<CallerId>, used: Duration) {
        if let Some(time) = &self.time {
            time.charge(of.clone(), used.as_secs_f64() * 1000.0, Instant::now());
        }
    }
}

/// How far a slice came.
enum Worked {
    Done,
    InPart,
    /// Nobody waits for it any more.
    Unwanted,
}

/// A task of any kind.
trait Job: Send {
    fn work(&mut self, has_time: &mut dyn FnMut() -> bool) -> Worked;
    fn refuse(&mut self, refusal: Refusal);
    fn give_back(self: Box<Self>);
}

/// A task that is given back to whom it was for.
struct Returned<T> {
    task: T,
    to: oneshot::Sender<T>,
}

impl<T: Task> Job for Returned<T> {
    fn work(&mut self, has_time: &mut dyn FnMut() -> bool) -> Worked {
        let Self { task, to } = self;
        if to.is_closed() {
            return Worked::Unwanted;
        }
        match task.work(&mut || has_time() && !to.is_closed()) {
            true => Worked::Done,
            false if to.is_closed() => Worked::Unwanted,
            false => Worked::InPart,
        }
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.task.refuse(refusal);
    }

    fn give_back(self: Box<Self>) {
        // Nobody waits any more, perhaps.
        let _ = self.to.send(self.task);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Works in parts, so many or without end.
    struct Parts {
        left: Option<u32>,
        done: Arc<AtomicU32>,
        refused: Option<Refusal>,
    }

    impl Task for Parts {
        fn work(&mut self, go_on: &mut dyn FnMut() -> bool) -> bool {
            loop {
                if self.left == Some(0) {
                    return true;
                }
                self.left = self.left.map(|left| left - 1);
                self.done.fetch_add(1, Ordering::SeqCst);
                if !go_on() {
                    return self.left == Some(0);
                }
            }
        }

        fn refuse(&mut self, refusal: Refusal) {
            self.refused = Some(refusal);
        }
    }

    fn parts(left: Option<u32>) -> (Parts, Arc<AtomicU32>) {
        let done = Arc::new(AtomicU32::new(0));
        let task = Parts {
            left,
            done: Arc::clone(&done),
            refused: None,
        };
        (task, done)
    }

    #[tokio::test]
    async fn work_without_end_lets_that_of_another_caller_be_done_and_stops_when_it_is_dropped() {
        let workers = Workers::start(1, None).unwrap();
        let (endless, done) = parts(None);
        {
            let mut running = std::pin::pin!(workers.run(None, endless));
            let (short, _) = parts(Some(3));
            let origin = std::net::IpAddr::from([127, 0, 0, 1]).into();
            let other = Some(CallerId::Address(origin));
            tokio::select! {
                biased;
                _ = &mut running => panic!("it has no end"),
                ended = workers.run(other, short) => assert_eq!(ended.ok().unwrap().left, Some(0)),
            }
        }
        // A task behind it is done only when it has stopped, or in its turn; the counter then
        // stands still.
        let mut before = done.load(Ordering::SeqCst);
        loop {
            let (short, _) = parts(Some(1));
            workers.run(None, short).await.ok().unwrap();
            let now = done.load(Ordering::SeqCst);
            if now == before {
                break;
            }
            before = now;
        }
    }

    #[tokio::test]
    async fn who_has_used_up_its_processor_time_is_refused_with_the_time_to_wait() {
        let rate = Rate {
            per_second: 1,
            burst: 1,
        };
        let workers = Workers::start(1, Some(rate)).unwrap();
        let (endless, _) = parts(None);
        let ended = workers.run(None, endless).await.ok().unwrap();
        let refusal = ended.refused.unwrap();
        assert_eq!(refusal.reason(), RefusalReason::LimitReached);
        assert!(refusal.message().contains("rules_cpu_ms_per_caller"));
    }

    #[tokio::test]
    async fn threads_that_are_gone_refuse_what_waits() {
        let workers = Workers::start(1, None).unwrap();
        let shared = Arc::clone(&workers.shared);
        let (endless, _) = parts(None);
        let mut running = Box::pin(workers.run(None, endless));
        assert!(
            std::future::poll_fn(|context| {
                std::task::Poll::Ready(running.as_mut().poll(context).is_pending())
            })
            .await
        );
        shared.close();
        let refused = running.await.err().unwrap();
        assert_eq!(refused.reason(), RefusalReason::ServerStopping);
    }
}
