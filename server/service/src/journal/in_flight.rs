//! Tracks commits that have started but are not durable yet, so that their gates open in order.

use std::{collections::VecDeque, time::Instant};

use bridgemaster_store::{Flush, StoreError};
use parking_lot::Mutex;
use tokio::sync::OwnedSemaphorePermit;

use super::{Gate, NotStored};
use crate::spans::CommitSpan;

/// A commit that has started.
pub(super) struct PendingCommit {
    /// The number of writes in the commit.
    pub(super) count: usize,
    pub(super) started: Instant,
    pub(super) commit_span: Option<CommitSpan>,
    pub(super) outcome: Result<Flush, StoreError>,
    /// The permit for one commit in flight, released when the commit completes.
    pub(super) _permit: OwnedSemaphorePermit,
}

/// The gates of the started commits, oldest first.
#[derive(Default)]
pub(super) struct InFlight(Mutex<VecDeque<Gate>>);

impl InFlight {
    pub(super) fn push(&self, gate: Gate) {
        self.0.lock().push_back(gate);
    }

    /// Opens the gate of the oldest commit. That commit is durable now.
    pub(super) fn complete_first(&self) {
        let first = self.0.lock().pop_front();
        if let Some(gate) = first {
            gate.resolve(Ok(()));
        }
    }

    /// Fails all pending gates. Later commits might reach the store, but none of their effects
    /// become visible.
    pub(super) fn fail_all(&self) {
        for gate in self.0.lock().drain(..) {
            gate.resolve(Err(NotStored));
        }
    }
}
