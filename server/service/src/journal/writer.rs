//! A server's journal: the queue of all matches' writes, and the task that commits the writes in
//! batches.

use std::{
    convert::Infallible,
    future::pending,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use bridgemaster_store::{Flush, MatchId, Store, StoreError, Write};
use bridgemaster_traces::Traces;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::{
    Gate, NotStored,
    batching::CommitBatching,
    in_flight::{InFlight, PendingCommit},
};
use crate::{metrics::Metrics, spans::CommitSpan};

/// Commits that take longer than this are logged as a warning, since every bot waits for them.
const SLOW_COMMIT: Duration = Duration::from_millis(100);

/// The maximum number of commits that have started but are not durable yet. The maximum matters for
/// stores that make commits durable concurrently. A higher maximum would leave fewer entries in
/// each commit, and so raise the cost per decision.
const MAX_COMMITS_IN_FLIGHT: usize = 3;

/// The queue of writes and the task that commits them.
pub(crate) struct Journal {
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    traces: Traces,
    queue: Mutex<Queue>,
    /// Notified when the queue is no longer empty.
    filled: Notify,
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
    gate: Gate,
    /// A commit has failed, so nothing more is accepted.
    failed: bool,
}

impl Queue {
    /// Removes and returns the queued writes, for the next commit. The queue retains its capacity.
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
    pub(crate) fn new(store: Arc<dyn Store>, metrics: Arc<Metrics>, traces: Traces) -> Self {
        Self {
            store,
            metrics,
            traces,
            queue: Mutex::default(),
            filled: Notify::new(),
            batching: CommitBatching::default(),
            failed: CancellationToken::new(),
            failure: OnceLock::new(),
        }
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Returns a token that is cancelled when a commit fails. After a failed commit, the store is
    /// no longer trusted.
    pub(crate) fn failure_token(&self) -> &CancellationToken {
        &self.failed
    }

    /// Returns the error that stopped all commits, if a commit has failed.
    pub(crate) fn failure(&self) -> Option<Arc<StoreError>> {
        self.failure.get().cloned()
    }

    /// Stops all commits because of `error`. No gate opens from now on.
    pub(crate) fn fail(&self, error: StoreError) {
        let mut queue = self.lock();
        queue.failed = true;
        queue.writes.clear();
        queue.entries = 0;
        queue.gate.resolve(Err(NotStored));
        drop(queue);
        let _ = self.failure.set(Arc::new(error));
        self.failed.cancel();
    }

    /// Queues records that belong to no entry.
    pub(crate) fn queue_records(&self, records: Vec<Write>) -> Gate {
        self.queue(records)
    }

    /// Queues a new match, together with its records.
    pub(crate) fn queue_match(
        &self,
        match_id: MatchId,
        opened_at_unix_ms: i64,
        header: Vec<u8>,
        records: impl IntoIterator<Item = Write>,
    ) -> Gate {
        let open = Write::OpenMatch {
            match_id,
            opened_at_unix_ms,
            header,
        };
        self.queue([open].into_iter().chain(records))
    }

    /// Queues writes for one commit. After a failure the returned gate never opens.
    pub(super) fn queue(&self, writes: impl IntoIterator<Item = Write>) -> Gate {
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
    pub(crate) async fn write(self: Arc<Self>) {
        let (commits, pending) = mpsc::unbounded_channel();
        let in_flight = InFlight::default();
        let error = tokio::select! {
            biased;
            error = self.complete_commits(&in_flight, pending) => error,
            never = self.begin_commits(&in_flight, commits) => match never {},
        };
        error!(%error, "a commit failed; all matches stop");
        in_flight.fail_all();
        self.fail(error);
    }

    /// Starts commits one after the other.
    async fn begin_commits(
        &self,
        in_flight: &InFlight,
        commits: mpsc::UnboundedSender<PendingCommit>,
    ) -> Infallible {
        let permits = Arc::new(Semaphore::new(MAX_COMMITS_IN_FLIGHT));
        while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
            self.filled.notified().await;
            self.batching.wait_for_batch(|| self.lock().entries).await;
            let commit = self.begin_next(in_flight, permit).await;
            let has_failed = commit.outcome.is_err();
            if commits.send(commit).is_err() || has_failed {
                break;
            }
        }
        // This future never completes. The caller drops it once `complete_commits` reaches the
        // failed commit.
        pending().await
    }

    async fn begin_next(
        &self,
        in_flight: &InFlight,
        permit: OwnedSemaphorePermit,
    ) -> PendingCommit {
        let Queue { writes, gate, .. } = self.lock().take();
        in_flight.push(gate);
        let commit_span = CommitSpan::start(&self.traces, &writes).filter(|_| !writes.is_empty());
        let (count, started) = (writes.len(), Instant::now());
        let outcome = if writes.is_empty() {
            Ok(Flush::already_durable())
        } else {
            self.store.begin_commit(writes).await
        };
        PendingCommit {
            count,
            started,
            commit_span,
            outcome,
            _permit: permit,
        }
    }

    /// Opens the gates of commits in order until one fails, and returns its error.
    async fn complete_commits(
        &self,
        in_flight: &InFlight,
        mut commits: mpsc::UnboundedReceiver<PendingCommit>,
    ) -> StoreError {
        while let Some(commit) = commits.recv().await {
            let PendingCommit {
                count,
                started,
                commit_span,
                outcome,
                _permit,
            } = commit;
            let committed = match outcome {
                Ok(flush) => flush.wait().await,
                Err(error) => Err(error),
            };
            if count > 0 {
                self.record_commit(count, started.elapsed(), commit_span, committed.is_err());
            }
            match committed {
                Ok(()) => in_flight.complete_first(),
                Err(error) => return error,
            }
        }
        StoreError::Closed
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
            warn!(commit_ms = time.as_millis(), "the store is slow");
        }
        if !has_failed {
            self.metrics.observe_commit(count, time);
        }
        if let Some(commit_span) = commit_span {
            self.traces.record(|| commit_span.span(has_failed));
        }
    }

    /// Completes when everything queued so far is committed or has failed.
    pub(crate) async fn flush(&self) {
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

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        pin::{Pin, pin},
        task::Poll,
    };

    use bridgemaster_store::MemoryStore;
    use tokio::sync::oneshot;

    use super::*;

    fn metrics() -> Arc<Metrics> {
        Arc::new(Metrics::new())
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
        let journal = Arc::new(Journal::new(
            Arc::clone(&store) as _,
            metrics(),
            Traces::disabled(),
        ));
        let gates = ["a", "b"].map(|id| journal.queue([open(id)]));
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
            Traces::disabled(),
        ));
        let writing = tokio::spawn(Arc::clone(&journal).write());
        assert_eq!(journal.queue([open("a")]).wait().await, Ok(()));
        let lost = journal.queue([open("b"), open("a")]);
        assert_eq!(lost.wait().await, Err(NotStored));
        assert_eq!(journal.queue([open("c")]).wait().await, Err(NotStored));
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
    async fn gates_open_in_the_order_of_their_commits_and_none_after_one_that_failed() {
        let journal = Journal::new(Arc::new(MemoryStore::new()), metrics(), Traces::disabled());
        let (in_flight, permit) = (InFlight::default(), Arc::new(Semaphore::new(4)));
        let (commits, pending) = mpsc::unbounded_channel();
        let (done, is_done) = oneshot::channel::<()>();
        let gates: [Gate; 4] = Default::default();
        for gate in &gates {
            in_flight.push(gate.clone());
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
        let mut completing = pin!(journal.complete_commits(&in_flight, pending));
        // All commits but the first are already durable.
        assert!(poll_once(completing.as_mut()).await.is_none());
        assert!(!gates.iter().any(Gate::is_open));
        assert_eq!(permit.available_permits(), 0);
        done.send(()).unwrap();
        completing.await;
        in_flight.fail_all();
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
}
