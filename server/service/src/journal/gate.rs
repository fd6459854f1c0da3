//! What keeps effects in until what caused them is stored.

use std::{sync::Arc, task::Waker, time::Instant};

use parking_lot::Mutex;
use tokio::sync::SetOnce;

/// The storage failed: the effect must never be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotStored;

/// The outcome of one commit, for everything that waits for it; with the moment of a good one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate(Arc<Settling>);

#[derive(Debug, Default)]
struct Settling {
    outcome: SetOnce<Result<Instant, NotStored>>,
    /// To be woken once there is an outcome.
    woken: Mutex<Vec<Waker>>,
}

impl Gate {
    /// The commit is done, or has failed.
    pub(crate) fn settle(&self, outcome: Result<(), NotStored>) {
        // Only the writer settles a gate, and once.
        let _ = self.0.outcome.set(outcome.map(|()| Instant::now()));
        let woken = std::mem::take(&mut *self.0.woken.lock());
        for waker in woken {
            waker.wake();
        }
    }

    /// Wakes once the commit is done or has failed; at once if it is already.
    pub(crate) fn wake_when_settled(&self, waker: Waker) {
        {
            let mut woken = self.0.woken.lock();
            // Under the lock: an outcome that comes later finds it.
            if self.outcome().is_none() {
                woken.push(waker);
                return;
            }
        }
        waker.wake();
    }

    /// What came of the commit; `None` while nothing has.
    fn outcome(&self) -> Option<Result<(), NotStored>> {
        Some(self.0.outcome.get()?.map(|_| ()))
    }

    /// Whether effects may leave now.
    pub(crate) fn is_open(&self) -> bool {
        self.opened_at().is_some()
    }

    /// When effects were first allowed to leave, if they are.
    pub(crate) fn opened_at(&self) -> Option<Instant> {
        self.0.outcome.get()?.ok()
    }

    /// Whether both wait for one commit.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Completes when effects may leave.
    ///
    /// # Errors
    /// [`NotStored`] when they may never.
    pub(crate) async fn wait(&self) -> Result<(), NotStored> {
        self.0.outcome.wait().await.map(|_| ())
    }
}

/// Something to be shown, and the gate before it; a server without a store has no gates.
#[derive(Clone, Debug)]
pub(crate) struct Gated<T> {
    value: T,
    gate: Option<Gate>,
}

impl<T> Gated<T> {
    /// To be shown when `gate` is open.
    pub(crate) fn new(value: T, gate: Option<Gate>) -> Self {
        Self { value, gate }
    }

    /// The value, whether it may be shown or not.
    pub(crate) fn value(&self) -> &T {
        &self.value
    }

    /// The value, once it may be shown.
    ///
    /// # Errors
    /// [`NotStored`] when it may never.
    pub(crate) async fn shown(self) -> Result<T, NotStored> {
        self.wait().await?;
        Ok(self.value)
    }

    /// Whether the value may be shown, or may never be; `None` while that is not known.
    pub(crate) fn outcome(&self) -> Option<Result<(), NotStored>> {
        match &self.gate {
            Some(gate) => gate.outcome(),
            None => Some(Ok(())),
        }
    }

    /// Completes when the value may be shown.
    ///
    /// # Errors
    /// [`NotStored`] when it may never.
    pub(crate) async fn wait(&self) -> Result<(), NotStored> {
        match &self.gate {
            Some(gate) => gate.wait().await,
            None => Ok(()),
        }
    }

    /// The value, whether it may be shown or not.
    pub(crate) fn into_value(self) -> T {
        self.value
    }
}
