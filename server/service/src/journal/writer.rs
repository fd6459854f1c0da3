//! The one task that commits, for all matches.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use bridgemaster_match::Header;
use bridgemaster_store::{MatchId, Store, StoreError, Write};
use bridgemaster_traces::Traces;
use parking_lot::{Mutex, MutexGuard};
use tokio::{sync::Notify, task::yield_now};
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::{Gate, NotStored};
use crate::{metrics::Metrics, spans::OfCommit};

/// Time of a commit from which on an operator should know of it: every bot waits for it.
const WARN_COMMIT: Duration = Duration::from_millis(100);

/// What waits to be committed, and what commits it.
pub(crate) struct Journal {
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    traces: Traces,
    queue: Mutex<Queue>,
    /// Notified when there is something in the queue.
    filled: Notify,
    /// Cancelled when a commit failed.
    failed: CancellationToken,
    failure: OnceLock<Arc<StoreError>>,
}

#[derive(Default)]
struct Queue {
    writes: Vec<Write>,
    /// Of the commit that the writes will go into.
    gate: Gate,
    /// A commit has failed: nothing is taken any more.
    failed: bool,
}

impl Journal {
    pub(crate) fn new(store: Arc<dyn Store>, metrics: Arc<Metrics>, traces: Traces) -> Self {
        Self {
            store,
            metrics,
            traces,
            queue: Mutex::default(),
            filled: Notify::new(),
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
        header: &Header,
        notes: impl IntoIterator<Item = Write>,
    ) -> Gate {
        let open = Write::OpenMatch {
            match_id,
            opened_at_unix_ms: header.created_unix_ms(),
            header: header.to_bytes(),
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
        let gate = queue.gate.clone();
        drop(queue);
        if was_empty {
            self.filled.notify_one();
        }
        gate
    }

    /// Commits what is queued, all of it at once, until it is dropped or a commit fails.
    pub(crate) async fn write(self: Arc<Self>) {
        loop {
            self.filled.notified().await;
            // Tasks that can go on have their turn first: what they queue shares the commit, whose
            // cost is mostly its own and not that of what is in it.
            yield_now().await;
            if let Err(error) = self.flush().await {
                error!(%error, "the store failed: all matches stop");
                self.fail(error);
                return;
            }
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

    async fn flush(&self) -> Result<(), StoreError> {
        let Queue { writes, gate, .. } = std::mem::take(&mut *self.lock());
        let committed = if writes.is_empty() {
            Ok(())
        } else {
            let of_commit = OfCommit::begin(&self.traces, &writes);
            let (count, begun) = (writes.len(), Instant::now());
            let committed = self.store.commit(writes).await;
            let time = begun.elapsed();
            if time >= WARN_COMMIT {
                warn!(commit_ms = time.as_millis(), "the store is slow");
            }
            if committed.is_ok() {
                self.metrics.committed(count, time);
            }
            if let Some(of_commit) = of_commit {
                self.traces.ended(|| of_commit.span(committed.is_err()));
            }
            committed
        };
        gate.settle(committed.as_ref().copied().map_err(|_| NotStored));
        committed
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }
}

#[cfg(test)]
mod tests {
    use bridgemaster_store::MemoryStore;

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
}
