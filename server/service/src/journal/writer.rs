//! The one task that commits, for all matches.

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
    gathering::Gathering,
    in_flight::{Begun, InFlight},
};
use crate::{metrics::Metrics, spans::OfCommit};

/// Time of a commit from which on an operator should know of it: every bot waits for it.
const WARN_COMMIT: Duration = Duration::from_millis(100);

/// Commits that are begun and not durable, at most: where a store makes them durable side by side, the
/// next begins this part of their time after the last. More of them would hold less each, and cost
/// more for each decision.
const MAX_IN_FLIGHT: usize = 3;

/// What waits to be committed, and what commits it.
pub(crate) struct Journal {
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    traces: Traces,
    queue: Mutex<Queue>,
    /// Notified when there is something in the queue.
    filled: Notify,
    gathering: Gathering,
    /// Cancelled when a commit failed.
    failed: CancellationToken,
    failure: OnceLock<Arc<StoreError>>,
}

#[derive(Default)]
struct Queue {
    writes: Vec<Write>,
    /// How often something was queued: an entry with what belongs to it, a new match, or notes.
    entries: usize,
    /// Of the commit that the writes will go into.
    gate: Gate,
    /// A commit has failed: nothing is taken any more.
    failed: bool,
}

impl Queue {
    /// What is to be committed next. The queue after it is empty, and has room for as much.
    fn next(&mut self) -> Self {
        let room = Vec::with_capacity(self.writes.len());
        Self {
            writes: std::mem::replace(&mut self.writes, room),
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
            gathering: Gathering::default(),
            failed: CancellationToken::new(),
            failure: OnceLock::new(),
        }
    }

    /// What it writes to.
    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Cancelled when a commit failed; the store is not trusted from then on.
    pub(crate) fn failed(&self) -> &CancellationToken {
        &self.failed
    }

    /// What a commit failed with, if one did.
    pub(crate) fn failure(&self) -> Option<Arc<StoreError>> {
        self.failure.get().cloned()
    }

    /// Nothing is committed any more, for this reason: every gate stays shut from now on.
    pub(crate) fn fail(&self, error: StoreError) {
        let mut queue = self.lock();
        queue.failed = true;
        queue.writes.clear();
        queue.entries = 0;
        queue.gate.settle(Err(NotStored));
        drop(queue);
        let _ = self.failure.set(Arc::new(error));
        self.failed.cancel();
    }

    /// Queues notes.
    pub(crate) fn note(&self, notes: Vec<Write>) -> Gate {
        self.queue(notes)
    }

    /// Queues a new match, and what is noted with it.
    pub(crate) fn open(
        &self,
        match_id: MatchId,
        opened_at_unix_ms: i64,
        header: Vec<u8>,
        notes: impl IntoIterator<Item = Write>,
    ) -> Gate {
        let open = Write::OpenMatch {
            match_id,
            opened_at_unix_ms,
            header,
        };
        self.queue([open].into_iter().chain(notes))
    }

    /// Queues writes for one commit. After a failure the gate never opens.
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
        self.gathering.now_waiting(entries);
        gate
    }

    /// Commits what is queued, all of it at once, until it is dropped or a commit fails.
    pub(crate) async fn write(self: Arc<Self>) {
        let (begun, to_be_settled) = mpsc::unbounded_channel();
        let in_flight = InFlight::default();
        let error = tokio::select! {
            biased;
            error = self.settle(&in_flight, to_be_settled) => error,
            never = self.begin(&in_flight, begun) => match never {},
        };
        error!(%error, "the store failed: all matches stop");
        in_flight.fail();
        self.fail(error);
    }

    /// Begins one commit after the other.
    async fn begin(&self, in_flight: &InFlight, begun: mpsc::UnboundedSender<Begun>) -> Infallible {
        let room = Arc::new(Semaphore::new(MAX_IN_FLIGHT));
        while let Ok(room) = Arc::clone(&room).acquire_owned().await {
            self.filled.notified().await;
            self.gathering.gather(|| self.lock().entries).await;
            let commit = self.begin_next(in_flight, room).await;
            let has_failed = commit.outcome.is_err();
            if begun.send(commit).is_err() || has_failed {
                break;
            }
        }
        // Whoever settles ends with those before it.
        pending().await
    }

    async fn begin_next(&self, in_flight: &InFlight, room: OwnedSemaphorePermit) -> Begun {
        let Queue { writes, gate, .. } = self.lock().next();
        in_flight.begun(gate);
        let of_commit = OfCommit::begin(&self.traces, &writes).filter(|_| !writes.is_empty());
        let (count, begun) = (writes.len(), Instant::now());
        let outcome = match writes.is_empty() {
            true => Ok(Flush::done()),
            false => self.store.begin_commit(writes).await,
        };
        Begun {
            count,
            begun,
            of_commit,
            outcome,
            _room: room,
        }
    }

    /// Opens the gates of commits in their order, until one fails; what it failed with.
    async fn settle(
        &self,
        in_flight: &InFlight,
        mut begun: mpsc::UnboundedReceiver<Begun>,
    ) -> StoreError {
        while let Some(commit) = begun.recv().await {
            let Begun {
                count,
                begun,
                of_commit,
                outcome,
                _room,
            } = commit;
            let committed = match outcome {
                Ok(flush) => flush.wait().await,
                Err(error) => Err(error),
            };
            if count > 0 {
                self.tell(count, begun.elapsed(), of_commit, committed.is_err());
            }
            match committed {
                Ok(()) => in_flight.committed(),
                Err(error) => return error,
            }
        }
        StoreError::Closed
    }

    /// Tells operators of a commit that has ended.
    fn tell(&self, count: usize, time: Duration, of_commit: Option<OfCommit>, has_failed: bool) {
        if time >= WARN_COMMIT {
            warn!(commit_ms = time.as_millis(), "the store is slow");
        }
        if !has_failed {
            self.metrics.committed(count, time);
        }
        if let Some(of_commit) = of_commit {
            self.traces.ended(|| of_commit.span(has_failed));
        }
    }

    /// Completes when everything that is queued now is committed, or cannot be.
    pub(crate) async fn settled(&self) {
        let gate = {
            let queue = self.lock();
            if queue.failed {
                return;
            }
            queue.gate.clone()
        };
        self.filled.notify_one();
        // Whoever queued learns of a failure; here only the end of the wait counts.
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
    async fn what_is_queued_while_nothing_is_written_shares_a_commit_and_its_gate() {
        let store = Arc::new(MemoryStore::new());
        let journal = Arc::new(Journal::new(
            Arc::clone(&store) as _,
            metrics(),
            Traces::off(),
        ));
        let gates = ["a", "b"].map(|id| journal.queue([open(id)]));
        assert!(!gates[0].is_open());
        let writing = tokio::spawn(Arc::clone(&journal).write());
        for gate in &gates {
            assert_eq!(gate.wait().await, Ok(()));
        }
        assert_eq!(store.open_match_ids().await.unwrap().len(), 2);
        journal.settled().await;
        writing.abort();
    }

    #[tokio::test]
    async fn after_a_failed_commit_no_gate_opens_any_more() {
        let journal = Arc::new(Journal::new(
            Arc::new(MemoryStore::new()),
            metrics(),
            Traces::off(),
        ));
        let writing = tokio::spawn(Arc::clone(&journal).write());
        assert_eq!(journal.queue([open("a")]).wait().await, Ok(()));
        let lost = journal.queue([open("b"), open("a")]);
        assert_eq!(lost.wait().await, Err(NotStored));
        assert_eq!(journal.queue([open("c")]).wait().await, Err(NotStored));
        journal.settled().await;
        writing.await.unwrap();
        assert!(journal.failed().is_cancelled());
        let ids = journal.store().open_match_ids().await.unwrap();
        assert_eq!(ids.len(), 1, "nothing half-written");
        assert!(journal.failure().is_some());
    }

    /// A commit that is begun, of which `outcome` tells.
    async fn begun(
        room: &Arc<Semaphore>,
        outcome: impl Future<Output = Result<(), StoreError>> + Send + 'static,
    ) -> Begun {
        Begun {
            count: 1,
            begun: Instant::now(),
            of_commit: None,
            outcome: Ok(Flush::until(outcome)),
            _room: Arc::clone(room).acquire_owned().await.unwrap(),
        }
    }

    #[tokio::test]
    async fn gates_open_in_the_order_of_their_commits_and_none_after_one_that_failed() {
        let journal = Journal::new(Arc::new(MemoryStore::new()), metrics(), Traces::off());
        let (in_flight, room) = (InFlight::default(), Arc::new(Semaphore::new(4)));
        let (begun_commits, to_be_settled) = mpsc::unbounded_channel();
        let (done, is_done) = oneshot::channel::<()>();
        let gates: [Gate; 4] = Default::default();
        for gate in &gates {
            in_flight.begun(gate.clone());
        }
        let first = begun(&room, async {
            is_done.await.unwrap();
            Ok(())
        });
        let failed = begun(&room, async { Err(StoreError::Closed) });
        for commit in [
            first.await,
            begun(&room, async { Ok(()) }).await,
            failed.await,
            begun(&room, async { Ok(()) }).await,
        ] {
            begun_commits.send(commit).unwrap();
        }
        let mut settling = pin!(journal.settle(&in_flight, to_be_settled));
        // All but the first are done.
        assert!(poll_once(settling.as_mut()).await.is_none());
        assert!(!gates.iter().any(Gate::is_open));
        assert_eq!(room.available_permits(), 0);
        done.send(()).unwrap();
        settling.await;
        in_flight.fail();
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
