//! The journal writer, which commits entries before their effects become visible.
//!
//! The entries are defined in `bridgemaster_match`. One task commits the entries that all matches
//! have queued. Every effect carries the [`CommitGate`] of its commit, and leaves the server only
//! when that gate is open. If the store can make commits durable concurrently, a commit starts
//! before the previous one is durable; gates still open in commit order.
//!
//! The queue holds the reports and timer events since the last commit. It needs no limit: a stream
//! is read again only after its last report is committed, so the queue never holds more than one
//! message per stream.

mod gate;

use std::{
    collections::VecDeque,
    convert::Infallible,
    future::pending,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use bridgemaster_edge::{metrics::Metrics, spans::CommitSpan};
use bridgemaster_store::{Flush, Store, StoreError, Write};
use bridgemaster_traces::SpanRecorder;
use parking_lot::{Mutex, MutexGuard};
use tokio::{
    select,
    sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc},
    task::yield_now,
};
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

pub(crate) use gate::emit_once_committed;
pub use gate::{CommitGate, Gated, NotStored};

/// Commits that take longer than this are logged as a warning, since every bot waits for them.
const SLOW_COMMIT: Duration = Duration::from_millis(100);

/// The maximum number of commits that have started but are not durable yet, for stores that make
/// commits durable concurrently. A higher maximum would leave fewer entries for each commit, and so
/// raise the cost per decision.
const MAX_COMMITS_IN_FLIGHT: usize = 3;

/// The queue of writes and the task that commits them.
pub struct Journal {
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    span_recorder: SpanRecorder,
    queue: Mutex<Queue>,
    /// Notified when the queue is no longer empty.
    filled: Notify,
    /// The gates of the started commits with their start times, oldest first.
    in_flight: Mutex<VecDeque<(CommitGate, Instant)>>,
    batching: CommitBatching,
    /// Cancelled when a commit fails.
    failed: CancellationToken,
    failure: OnceLock<Arc<StoreError>>,
}

#[derive(Default)]
struct Queue {
    writes: Vec<Write>,
    /// The number of queued units. A unit is an entry with its records, a new match, or a group of
    /// other records.
    entries: usize,
    /// The gate of the commit that will contain the queued writes.
    gate: CommitGate,
    /// Whether a commit has failed. If so, nothing more is accepted.
    failed: bool,
}

impl Queue {
    /// Returns the queued writes for the next commit, and empties the queue. The queue keeps its
    /// capacity.
    fn take(&mut self) -> Self {
        let empty = Vec::with_capacity(self.writes.len());
        Self {
            writes: std::mem::replace(&mut self.writes, empty),
            entries: std::mem::take(&mut self.entries),
            gate: std::mem::take(&mut self.gate),
            failed: self.failed,
        }
    }
}

impl Journal {
    /// Creates a journal that commits to `store` once [`Journal::write`] runs.
    pub fn new(store: Arc<dyn Store>, metrics: Arc<Metrics>, span_recorder: SpanRecorder) -> Self {
        Self {
            store,
            metrics,
            span_recorder,
            queue: Mutex::default(),
            filled: Notify::new(),
            in_flight: Mutex::default(),
            batching: CommitBatching::default(),
            failed: CancellationToken::new(),
            failure: OnceLock::new(),
        }
    }

    /// Returns the store to which the journal commits.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Returns a token that is cancelled when a commit fails. After a failed commit, the store is
    /// no longer trusted.
    pub fn failure_token(&self) -> &CancellationToken {
        &self.failed
    }

    /// Returns the error that stopped all commits, if a commit has failed.
    pub fn failure(&self) -> Option<Arc<StoreError>> {
        self.failure.get().cloned()
    }

    /// Returns the age of the oldest commit in progress; zero if there is none.
    pub fn oldest_commit_age(&self) -> Duration {
        let commits = self.in_flight.lock();
        commits.front().map_or(Duration::ZERO, |(_, started)| started.elapsed())
    }

    /// Stops all commits because of `error`. No gate opens from now on.
    pub fn fail(&self, error: StoreError) {
        let mut queue = self.lock();
        queue.failed = true;
        queue.writes.clear();
        queue.entries = 0;
        queue.gate.resolve(Err(NotStored));
        drop(queue);
        let _ = self.failure.set(Arc::new(error));
        self.failed.cancel();
    }

    /// Queues writes for one commit. After a failure the returned gate never opens.
    pub fn queue_records(&self, writes: impl IntoIterator<Item = Write>) -> CommitGate {
        let mut queue = self.lock();
        if queue.failed {
            return queue.gate.clone();
        }
        let was_empty = queue.writes.is_empty();
        queue.writes.extend(writes);
        queue.entries += 1;
        let entries = queue.entries;
        let gate = queue.gate.clone();
        drop(queue);
        if was_empty {
            self.filled.notify_one();
        }
        self.batching.on_queued(entries);
        gate
    }

    /// Commits queued writes in batches until the future is dropped or a commit fails.
    pub async fn write(self: Arc<Self>) {
        let (commits, pending) = mpsc::unbounded_channel();
        let error = tokio::select! {
            biased;
            error = self.complete_commits(pending) => error,
            never = self.begin_commits(commits) => match never {},
        };
        error!(%error, "a commit failed; all matches stop");
        // The failure is set first, so that a stalled commit never seems to have completed.
        self.fail(error);
        self.fail_in_flight();
    }

    /// Starts commits one after the other.
    async fn begin_commits(&self, commits: mpsc::UnboundedSender<PendingCommit>) -> Infallible {
        let permits = Arc::new(Semaphore::new(MAX_COMMITS_IN_FLIGHT));
        while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
            self.filled.notified().await;
            self.batching.wait_for_batch(|| self.lock().entries).await;
            let commit = self.begin_next(permit).await;
            let has_failed = commit.outcome.is_err();
            if commits.send(commit).is_err() || has_failed {
                break;
            }
        }
        // This future never completes. The caller drops it when `complete_commits` reaches the
        // failed commit.
        pending().await
    }

    async fn begin_next(&self, permit: OwnedSemaphorePermit) -> PendingCommit {
        let Queue { writes, gate, .. } = self.lock().take();
        let started = Instant::now();
        self.in_flight.lock().push_back((gate, started));
        let commit_span =
            CommitSpan::start(&self.span_recorder, &writes).filter(|_| !writes.is_empty());
        let count = writes.len();
        let outcome = if writes.is_empty() {
            Ok(Flush::already_durable())
        } else {
            self.store.begin_commit(writes).await
        };
        PendingCommit { count, started, commit_span, outcome, _permit: permit }
    }

    /// Opens the gates of commits in order until one fails, and returns its error.
    async fn complete_commits(
        &self,
        mut commits: mpsc::UnboundedReceiver<PendingCommit>,
    ) -> StoreError {
        while let Some(commit) = commits.recv().await {
            let PendingCommit { count, started, commit_span, outcome, _permit } = commit;
            let committed = match outcome {
                Ok(flush) => flush.wait().await,
                Err(error) => Err(error),
            };
            if count > 0 {
                self.record_commit(count, started.elapsed(), commit_span, committed.is_err());
            }
            match committed {
                Ok(()) => {
                    let first = self.in_flight.lock().pop_front();
                    if let Some((gate, _)) = first {
                        gate.resolve(Ok(()));
                    }
                }
                Err(error) => return error,
            }
        }
        StoreError::Closed
    }

    /// Fails all pending gates. Later commits might reach the store, but none of their effects
    /// become visible.
    fn fail_in_flight(&self) {
        for (gate, _) in self.in_flight.lock().drain(..) {
            gate.resolve(Err(NotStored));
        }
    }

    /// Records metrics, logs and the trace span of a completed commit.
    fn record_commit(
        &self,
        count: usize,
        time: Duration,
        commit_span: Option<CommitSpan>,
        has_failed: bool,
    ) {
        if time >= SLOW_COMMIT {
            warn!(commit_ms = time.as_millis() as u64, "the store is slow");
        }
        if !has_failed {
            self.metrics.observe_commit(count, time);
        }
        if let Some(commit_span) = commit_span {
            self.span_recorder.record(|| commit_span.span(has_failed));
        }
    }

    /// Completes when everything queued so far is committed or has failed.
    pub async fn flush(&self) {
        let gate = {
            let queue = self.lock();
            if queue.failed {
                return;
            }
            queue.gate.clone()
        };
        self.filled.notify_one();
        // A failure is ignored here, since the gates report it to the callers that queued writes.
        let _ = gate.wait().await;
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }
}

/// The number of queued entries at which a commit starts. With SQLite, waiting for a larger batch
/// would save less than 1 µs per entry, and a thread might idle meanwhile. Batches grow beyond this
/// number while earlier commits wait for a disk or for PostgreSQL.
const BATCH_ENTRIES: usize = 32;

/// The maximum number of times that the task yields to ready tasks before it starts a commit with
/// fewer entries. It stops yielding earlier if a yield adds no entry. With 64 matches, a higher
/// maximum did not increase the decision rate.
const MAX_YIELDS: usize = 3;

/// Starts a commit as soon as enough entries are queued.
#[derive(Default)]
struct CommitBatching {
    /// Notified when the batch is full. A notification that no task waits for is lost.
    batch_full: Notify,
}

impl CommitBatching {
    /// Records that one more entry was queued, and that `entries` entries are queued now.
    fn on_queued(&self, entries: usize) {
        if entries == BATCH_ENTRIES {
            self.batch_full.notify_waiters();
        }
    }

    /// Waits until a full batch is queued, or until all ready tasks have run without adding an
    /// entry.
    async fn wait_for_batch(&self, entries: impl Fn() -> usize) {
        let mut before = 0;
        for _ in 0..MAX_YIELDS {
            // The task registers before it reads the count, so that a batch that fills afterwards
            // wakes it.
            let batch_full = self.batch_full.notified();
            let now = entries();
            if now == before || now >= BATCH_ENTRIES {
                break;
            }
            before = now;
            select! {
                biased;
                () = batch_full => {}
                () = yield_now() => {}
            }
        }
    }
}

/// A commit that has started.
struct PendingCommit {
    /// The number of writes in the commit.
    count: usize,
    started: Instant,
    commit_span: Option<CommitSpan>,
    outcome: Result<Flush, StoreError>,
    /// The permit for one commit in flight, released when the commit completes.
    _permit: OwnedSemaphorePermit,
}

#[cfg(test)]
mod tests {
    use std::{
        cell::Cell,
        future::poll_fn,
        pin::{Pin, pin},
        sync::Arc,
        task::{Context, Poll, Waker},
    };

    use bridgemaster_store::{MatchId, MemoryStore};
    use tokio::sync::oneshot;

    use super::*;
    use crate::counting_waker::CountingWaker;

    fn metrics() -> Arc<Metrics> {
        Arc::new(Metrics::for_node(None))
    }

    fn open(id: &str) -> Write {
        Write::OpenMatch {
            match_id: MatchId::new(id).unwrap(),
            opened_at_unix_ms: 0,
            header: Vec::new(),
        }
    }

    #[tokio::test]
    async fn entries_queued_before_a_commit_share_its_gate() {
        let store = Arc::new(MemoryStore::new());
        let journal =
            Arc::new(Journal::new(Arc::clone(&store) as _, metrics(), SpanRecorder::disabled()));
        let gates = ["a", "b"].map(|id| journal.queue_records([open(id)]));
        assert!(!gates[0].is_open());
        let writing = tokio::spawn(Arc::clone(&journal).write());
        for gate in &gates {
            assert_eq!(gate.wait().await, Ok(()));
        }
        assert_eq!(store.open_match_ids().await.unwrap().len(), 2);
        journal.flush().await;
        writing.abort();
    }

    #[tokio::test]
    async fn no_gate_opens_after_a_failed_commit() {
        let journal = Arc::new(Journal::new(
            Arc::new(MemoryStore::new()),
            metrics(),
            SpanRecorder::disabled(),
        ));
        let writing = tokio::spawn(Arc::clone(&journal).write());
        assert_eq!(journal.queue_records([open("a")]).wait().await, Ok(()));
        let lost = journal.queue_records([open("b"), open("a")]);
        assert_eq!(lost.wait().await, Err(NotStored));
        assert_eq!(journal.queue_records([open("c")]).wait().await, Err(NotStored));
        journal.flush().await;
        writing.await.unwrap();
        assert!(journal.failure_token().is_cancelled());
        let ids = journal.store().open_match_ids().await.unwrap();
        assert_eq!(ids.len(), 1, "nothing half-written");
        assert!(journal.failure().is_some());
    }

    /// Creates a started commit with this `outcome`.
    async fn pending_commit(
        permit: &Arc<Semaphore>,
        outcome: impl Future<Output = Result<(), StoreError>> + Send + 'static,
    ) -> PendingCommit {
        PendingCommit {
            count: 1,
            started: Instant::now(),
            commit_span: None,
            outcome: Ok(Flush::from_future(outcome)),
            _permit: Arc::clone(permit).acquire_owned().await.unwrap(),
        }
    }

    #[tokio::test]
    async fn gates_open_in_commit_order_until_a_commit_fails() {
        let journal =
            Journal::new(Arc::new(MemoryStore::new()), metrics(), SpanRecorder::disabled());
        let permit = Arc::new(Semaphore::new(4));
        let (commits, pending) = mpsc::unbounded_channel();
        let (done, is_done) = oneshot::channel::<()>();
        let gates: [CommitGate; 4] = Default::default();
        for gate in &gates {
            journal.in_flight.lock().push_back((gate.clone(), Instant::now()));
        }
        let first = pending_commit(&permit, async {
            is_done.await.unwrap();
            Ok(())
        });
        let failed = pending_commit(&permit, async { Err(StoreError::Closed) });
        for commit in [
            first.await,
            pending_commit(&permit, async { Ok(()) }).await,
            failed.await,
            pending_commit(&permit, async { Ok(()) }).await,
        ] {
            commits.send(commit).unwrap();
        }
        let mut completing = pin!(journal.complete_commits(pending));
        // All commits but the first are already durable.
        assert!(poll_once(completing.as_mut()).await.is_none());
        assert!(!gates.iter().any(CommitGate::is_open));
        assert_eq!(permit.available_permits(), 0);
        done.send(()).unwrap();
        completing.await;
        journal.fail_in_flight();
        assert!(gates[0].is_open() && gates[1].is_open());
        for gate in &gates[2..] {
            assert_eq!(gate.wait().await, Err(NotStored));
        }
    }

    async fn poll_once<T>(mut future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }

    /// Returns whether the wait ends with `entries` queued, and the number of polls.
    fn waits(entries: usize) -> (bool, usize) {
        let (batching, count) = (CommitBatching::default(), Cell::new(1));
        let woken = Arc::<CountingWaker>::default();
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let mut batch = pin!(batching.wait_for_batch(|| count.get()));
        assert!(batch.as_mut().poll(&mut context).is_pending());
        let before = woken.count();
        for now in 2..=entries {
            count.set(now);
            batching.on_queued(now);
        }
        let by_entries = woken.count() - before;
        (batch.as_mut().poll(&mut context).is_ready(), by_entries)
    }

    #[test]
    fn only_a_full_batch_starts_a_commit_early() {
        assert_eq!(waits(BATCH_ENTRIES), (true, 1));
        assert_eq!(waits(BATCH_ENTRIES - 1), (false, 0));
    }

    #[test]
    fn a_commit_does_not_wait_when_nothing_is_added() {
        assert_eq!(waits(1), (true, 0));
    }
}
