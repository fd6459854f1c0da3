//! Executes calls of `RulesService`, and verifies uploaded replay files, on worker threads with a
//! fair queue of tasks.

mod tasks;

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use bridgemaster_edge::{
    limits::Rate,
    refusal::Refusal,
    transport::{CallerId, TokenBuckets},
};
use bridgemaster_proto::v1::RefusalReason;
use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;
use tracing::error;

pub(crate) use tasks::{BatchTask, SamplingTask, UnaryTask};

/// The time slice after which other callers' tasks run. The slice is short enough that a list of
/// legal decisions never waits long for playouts, and long enough that the cost of switching is
/// negligible.
const TIME_SLICE: Duration = Duration::from_millis(5);

/// CPU time, in ms, that is charged for each request in addition to its task. The charge is several
/// times the cost of decoding and encoding, since those run on threads that matches need too.
const REQUEST_CPU_MS: f64 = 0.5;

/// A computation that runs in time slices.
pub(crate) trait Task: Send + 'static {
    /// Runs the task for as long as `should_continue` returns true. Returns true once the task is
    /// done.
    fn run_while(&mut self, should_continue: &mut dyn FnMut() -> bool) -> bool;
    /// Ends an unfinished task with a refusal.
    fn refuse(&mut self, refusal: Refusal);
}

/// The kind of the tasks of a pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkerKind {
    /// The prefix of the names of the threads.
    pub(crate) thread_name: &'static str,
    /// The message for the caller of a task that panicked.
    pub(crate) failure: &'static str,
}

impl WorkerKind {
    /// Calls of `RulesService`.
    pub(crate) const RULES: Self = Self {
        thread_name: "rules",
        failure: "the rules failed at this position because of a bug; see the server log",
    };
    /// Verification of replay files.
    pub(crate) const REPLAYS: Self = Self {
        thread_name: "replays",
        failure: "the file could not be verified because of a bug; see the server log",
    };
}

/// A pool of worker threads. The threads end when the pool is dropped.
pub(crate) struct Workers {
    pool: Arc<WorkerPool>,
}

struct WorkerPool {
    kind: WorkerKind,
    queue: Mutex<WorkQueue>,
    wake: Condvar,
    /// CPU time of each caller, in ms; `None` if it is not limited.
    cpu_ms: Option<TokenBuckets<Option<CallerId>>>,
}

#[derive(Default)]
struct WorkQueue {
    waiting: RoundRobinQueue<Option<CallerId>, Box<dyn Job>>,
    is_closed: bool,
}

impl Workers {
    /// Spawns this many threads, of low priority if CPU time is limited.
    ///
    /// # Errors
    /// Returns an error if a thread cannot be spawned.
    pub(crate) fn start(
        kind: WorkerKind,
        threads: usize,
        cpu_ms_per_caller: Option<Rate>,
    ) -> io::Result<Self> {
        let pool = Arc::new(WorkerPool {
            kind,
            queue: Mutex::default(),
            wake: Condvar::new(),
            cpu_ms: cpu_ms_per_caller.map(TokenBuckets::new),
        });
        // On an error this value is dropped, and the threads that were already spawned end.
        let workers = Self { pool };
        for number in 0..threads.max(1) {
            let pool = Arc::clone(&workers.pool);
            let name = format!("{}-{number}", kind.thread_name);
            let named = thread::Builder::new().name(name);
            named.spawn(move || pool.run_tasks())?;
        }
        Ok(workers)
    }

    /// Runs a caller's task, and returns the task once it is done. Dropping the future stops the
    /// task.
    ///
    /// # Errors
    /// Returns an error if the server stops, or the task panicked.
    pub(crate) async fn run<T: Task>(
        &self,
        caller: Option<CallerId>,
        task: T,
    ) -> Result<T, Refusal> {
        let (sender, done) = oneshot::channel();
        if let Some(cpu_ms) = &self.pool.cpu_ms {
            cpu_ms.charge(caller.clone(), REQUEST_CPU_MS, Instant::now());
        }
        {
            let mut queue = self.pool.queue.lock();
            if queue.is_closed {
                return Err(Refusal::stopping());
            }
            queue.waiting.push(caller, Box::new(PendingTask { task, sender }));
        }
        self.pool.wake.notify_one();
        done.await.map_err(|_| {
            if self.pool.queue.lock().is_closed {
                return Refusal::stopping();
            }
            Refusal::new(RefusalReason::Unspecified, self.pool.kind.failure)
        })
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.pool.close();
    }
}

impl WorkerPool {
    /// Ends the threads, and fails all queued tasks.
    fn close(&self) {
        let mut queue = self.queue.lock();
        queue.is_closed = true;
        let waiting = std::mem::take(&mut queue.waiting);
        drop(queue);
        drop(waiting);
        self.wake.notify_all();
    }

    /// Runs tasks until the queue is closed.
    fn run_tasks(&self) {
        if self.cpu_ms.is_some() {
            lower_priority();
        }
        while let Some((caller, mut job)) = self.next() {
            if let Some(refusal) = self.check_cpu(&caller) {
                job.refuse(refusal);
                job.finish();
                continue;
            }
            let (used_before, started_at) = (cpu_time(), Instant::now());
            // A panic affects no state outside the job.
            let result = catch_unwind(AssertUnwindSafe(|| {
                job.run_slice(&mut || started_at.elapsed() < TIME_SLICE)
            }));
            self.charge(&caller, cpu_time().saturating_sub(used_before));
            match result {
                Ok(SliceResult::Done) => job.finish(),
                Ok(SliceResult::Abandoned) => {}
                Ok(SliceResult::Unfinished) => self.push_back(caller, job),
                Err(_) => error!(threads = self.kind.thread_name, "a task panicked"),
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
            self.wake.wait(&mut queue);
        }
    }

    fn push_back(&self, caller: Option<CallerId>, job: Box<dyn Job>) {
        let mut queue = self.queue.lock();
        if !queue.is_closed {
            queue.waiting.push(caller, job);
        }
    }

    /// Returns a refusal if a caller has used up its CPU time.
    fn check_cpu(&self, caller: &Option<CallerId>) -> Option<Refusal> {
        let cpu_ms = self.cpu_ms.as_ref()?;
        let wait = cpu_ms.overdrawn(caller, Instant::now())?;
        Some(Refusal::rate_exceeded("rules_cpu_ms_per_caller", cpu_ms.rate(), wait))
    }

    fn charge(&self, caller: &Option<CallerId>, used: Duration) {
        if let Some(cpu_ms) = &self.cpu_ms {
            cpu_ms.charge(caller.clone(), used.as_secs_f64() * 1000.0, Instant::now());
        }
    }
}

/// The result of one time slice.
enum SliceResult {
    Done,
    Unfinished,
    /// The caller no longer waits.
    Abandoned,
}

/// A pending task of any type.
trait Job: Send {
    fn run_slice(&mut self, has_time: &mut dyn FnMut() -> bool) -> SliceResult;
    fn refuse(&mut self, refusal: Refusal);
    fn finish(self: Box<Self>);
}

/// A task, with the channel to its caller.
struct PendingTask<T> {
    task: T,
    sender: oneshot::Sender<T>,
}

impl<T: Task> Job for PendingTask<T> {
    fn run_slice(&mut self, has_time: &mut dyn FnMut() -> bool) -> SliceResult {
        let Self { task, sender } = self;
        if sender.is_closed() {
            return SliceResult::Abandoned;
        }
        if task.run_while(&mut || has_time() && !sender.is_closed()) {
            SliceResult::Done
        } else if sender.is_closed() {
            SliceResult::Abandoned
        } else {
            SliceResult::Unfinished
        }
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.task.refuse(refusal);
    }

    fn finish(self: Box<Self>) {
        // The caller might have been dropped.
        let _ = self.sender.send(self.task);
    }
}

/// Queued items per caller. Callers take turns, so that a caller with many items does not delay
/// other callers.
#[derive(Debug)]
struct RoundRobinQueue<K, T> {
    /// Callers with queued items, each once, in the order of their turns.
    turns: VecDeque<K>,
    waiting: HashMap<K, VecDeque<T>>,
}

impl<K, T> Default for RoundRobinQueue<K, T> {
    fn default() -> Self {
        Self { turns: VecDeque::new(), waiting: HashMap::new() }
    }
}

impl<K: Clone + Eq + Hash, T> RoundRobinQueue<K, T> {
    /// Queues an item behind the other items of its caller.
    fn push(&mut self, key: K, item: T) {
        let waiting = self.waiting.entry(key.clone()).or_default();
        if waiting.is_empty() {
            self.turns.push_back(key);
        }
        waiting.push_back(item);
    }

    /// Removes and returns the next item of the caller whose turn it is.
    fn pop(&mut self) -> Option<(K, T)> {
        let key = self.turns.pop_front()?;
        let waiting = self.waiting.get_mut(&key)?;
        let item = waiting.pop_front();
        if waiting.is_empty() {
            self.waiting.remove(&key);
        } else {
            self.turns.push_back(key.clone());
        }
        item.map(|item| (key, item))
    }
}

/// Lowers the priority of the calling thread as far as the system permits, so that it runs when no
/// other thread needs its core.
#[cfg(target_os = "linux")]
fn lower_priority() {
    use tracing::warn;
    use uapi::{
        c::{PRIO_PROCESS, SCHED_IDLE, sched_param},
        gettid, sched_setscheduler, setpriority,
    };

    /// The lowest priority of an ordinary thread.
    const LOWEST_PRIORITY: i32 = 19;
    let Err(refused) = sched_setscheduler(0, SCHED_IDLE, &sched_param { sched_priority: 0 }) else {
        return;
    };
    // In this call Linux treats a thread as a process.
    let thread = gettid().unsigned_abs();
    let which = i32::try_from(PRIO_PROCESS).unwrap_or_default();
    if let Err(error) = setpriority(which, thread, LOWEST_PRIORITY) {
        warn!(%refused, %error, "cannot lower the priority of a worker thread");
    }
}

/// Thread priorities are supported on Linux only.
#[cfg(not(target_os = "linux"))]
fn lower_priority() {}

/// Returns the CPU time that the calling thread has used.
#[cfg(target_os = "linux")]
fn cpu_time() -> Duration {
    use uapi::{
        c::{CLOCK_THREAD_CPUTIME_ID, timespec},
        clock_gettime,
    };

    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // The call cannot fail: every thread has this clock.
    let _ = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut time);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Other systems use wall-clock time instead.
#[cfg(not(target_os = "linux"))]
fn cpu_time() -> Duration {
    use std::{sync::OnceLock, time::Instant};

    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// A task of this many steps; `None` makes it endless.
    struct Parts {
        left: Option<u32>,
        done: Arc<AtomicU32>,
        refused: Option<Refusal>,
    }

    impl Task for Parts {
        fn run_while(&mut self, should_continue: &mut dyn FnMut() -> bool) -> bool {
            loop {
                if self.left == Some(0) {
                    return true;
                }
                self.left = self.left.map(|left| left - 1);
                self.done.fetch_add(1, Ordering::SeqCst);
                if !should_continue() {
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
        let task = Parts { left, done: Arc::clone(&done), refused: None };
        (task, done)
    }

    #[tokio::test]
    async fn an_endless_task_does_not_block_others_and_stops_when_dropped() {
        let workers = Workers::start(WorkerKind::RULES, 1, None).unwrap();
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
        // Tasks are queued behind the endless task until its counter stays the same between two of
        // them, which proves that it was stopped.
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
    async fn a_caller_without_cpu_time_is_refused_with_the_time_to_wait() {
        let rate = Rate { per_second: 1, burst: 1 };
        let workers = Workers::start(WorkerKind::RULES, 1, Some(rate)).unwrap();
        let (endless, _) = parts(None);
        let ended = workers.run(None, endless).await.ok().unwrap();
        let refusal = ended.refused.unwrap();
        assert_eq!(refusal.reason(), RefusalReason::LimitReached);
        assert!(refusal.message().contains("rules_cpu_ms_per_caller"));
    }

    #[tokio::test]
    async fn pending_tasks_are_refused_once_the_threads_have_ended() {
        let workers = Workers::start(WorkerKind::RULES, 1, None).unwrap();
        let pool = Arc::clone(&workers.pool);
        let (endless, _) = parts(None);
        let mut running = Box::pin(workers.run(None, endless));
        assert!(
            std::future::poll_fn(|context| {
                std::task::Poll::Ready(running.as_mut().poll(context).is_pending())
            })
            .await
        );
        pool.close();
        let refused = running.await.err().unwrap();
        assert_eq!(refused.reason(), RefusalReason::ServerStopping);
    }

    #[test]
    fn callers_take_turns_however_many_items_one_has() {
        let mut queue = RoundRobinQueue::default();
        for item in 0..3 {
            queue.push("much", item);
        }
        queue.push("little", 10);
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [("much", 0), ("little", 10), ("much", 1), ("much", 2)]);
        assert!(queue.waiting.is_empty());
    }
}
