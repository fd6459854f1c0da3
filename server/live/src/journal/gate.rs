//! Withholds the effects of an entry until the entry is committed.

use std::{sync::Arc, task::Waker, time::Instant};

use bridgemaster_edge::refusal::Refusal;
use bridgemaster_traces::{Span, SpanRecorder};
use parking_lot::Mutex;
use tokio::sync::SetOnce;

/// The error after a failed commit. The commit's effects must never become visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotStored;

impl From<NotStored> for Refusal {
    fn from(NotStored: NotStored) -> Self {
        Self::storage_failed()
    }
}

/// The outcome of one commit, shared by everything that waits for it. A success carries the instant
/// at which it completed.
#[derive(Clone, Debug, Default)]
pub struct CommitGate(Arc<CommitGateState>);

#[derive(Debug, Default)]
struct CommitGateState {
    outcome: SetOnce<Result<Instant, NotStored>>,
    waiting: Mutex<Vec<Waiting>>,
}

/// Something that waits for the outcome of a commit.
#[derive(Debug)]
enum Waiting {
    /// A waker to call once there is an outcome.
    Waker(Waker),
    /// A span to record once the commit is durable. It is boxed, since wakers are frequent.
    Span(Box<(SpanRecorder, Span)>),
}

impl CommitGate {
    /// Resolves the gate, with the outcome of the commit.
    pub fn resolve(&self, outcome: Result<(), NotStored>) {
        // Only the journal writer resolves a gate, and only once, so this cannot fail.
        let _ = self.0.outcome.set(outcome.map(|()| Instant::now()));
        let waiting = std::mem::take(&mut *self.0.waiting.lock());
        waiting.into_iter().for_each(|waiting| self.release(waiting));
    }

    /// Wakes `waker` once the commit is durable or has failed, or immediately if the outcome is
    /// known.
    pub(crate) fn wake_when_resolved(&self, waker: Waker) {
        self.release_when_resolved(Waiting::Waker(waker));
    }

    fn release_when_resolved(&self, waiting: Waiting) {
        {
            let mut all = self.0.waiting.lock();
            // The outcome is checked under the lock, so that `resolve` finds the new entry.
            if self.outcome().is_none() {
                all.push(waiting);
                return;
            }
        }
        self.release(waiting);
    }

    fn release(&self, waiting: Waiting) {
        match waiting {
            Waiting::Waker(waker) => waker.wake(),
            Waiting::Span(span) if self.is_open() => {
                let (span_recorder, span) = *span;
                span_recorder.record(|| span);
            }
            Waiting::Span(_) => {}
        }
    }

    /// Returns the outcome of the commit, or `None` while it is pending.
    fn outcome(&self) -> Option<Result<(), NotStored>> {
        Some(self.0.outcome.get()?.map(|_| ()))
    }

    /// Returns whether the commit is durable, so that its effects can be released.
    pub fn is_open(&self) -> bool {
        self.opened_at().is_some()
    }

    /// Returns the instant at which the commit succeeded, if it did.
    pub(crate) fn opened_at(&self) -> Option<Instant> {
        self.0.outcome.get()?.ok()
    }

    /// Returns whether both gates belong to the same commit.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Completes when effects can be released.
    ///
    /// # Errors
    /// Returns [`NotStored`] if the commit failed.
    pub async fn wait(&self) -> Result<(), NotStored> {
        self.0.outcome.wait().await.map(|_| ())
    }
}

/// A value that becomes visible once a commit is durable. A server without a store has no gates.
#[derive(Clone, Debug)]
pub struct Gated<T> {
    value: T,
    gate: Option<CommitGate>,
}

impl<T> Gated<T> {
    /// Creates a value that is withheld until `gate` opens. Without a gate, the value is visible
    /// immediately.
    pub(crate) fn new(value: T, gate: Option<CommitGate>) -> Self {
        Self { value, gate }
    }

    /// Returns the value regardless of the gate.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Returns the value once its commit is durable.
    ///
    /// # Errors
    /// Returns [`NotStored`] if the commit failed.
    pub async fn committed(self) -> Result<T, NotStored> {
        self.wait().await?;
        Ok(self.value)
    }

    /// Returns the outcome of the commit that gates the value, or `None` while it is pending.
    pub fn outcome(&self) -> Option<Result<(), NotStored>> {
        match &self.gate {
            Some(gate) => gate.outcome(),
            None => Some(Ok(())),
        }
    }

    /// Completes when the commit that gates the value is durable.
    ///
    /// # Errors
    /// Returns [`NotStored`] if the commit failed.
    pub async fn wait(&self) -> Result<(), NotStored> {
        match &self.gate {
            Some(gate) => gate.wait().await,
            None => Ok(()),
        }
    }

    /// Returns the value regardless of the gate.
    pub fn into_value(self) -> T {
        self.value
    }

    /// Converts the value; the result has the same gate.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Gated<U> {
        Gated::new(change(self.value), self.gate)
    }
}

/// Emits a span once the entry that it describes is committed, or immediately without a gate.
pub(crate) fn emit_once_committed(
    span_recorder: &SpanRecorder,
    gate: Option<&CommitGate>,
    span: impl FnOnce() -> Span,
) {
    if !span_recorder.is_enabled() {
        return;
    }
    match gate {
        Some(gate) => {
            let span = Box::new((span_recorder.clone(), span()));
            gate.release_when_resolved(Waiting::Span(span));
        }
        None => span_recorder.record(span),
    }
}
