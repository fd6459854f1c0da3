//! The commits that are begun and not durable yet.

use std::{collections::VecDeque, time::Instant};

use bridgemaster_store::{Flush, StoreError};
use parking_lot::Mutex;
use tokio::sync::OwnedSemaphorePermit;

use super::{Gate, NotStored};
use crate::spans::OfCommit;

/// A commit that is begun.
pub(super) struct Begun {
    /// Its writes.
    pub(super) count: usize,
    /// When that was.
    pub(super) begun: Instant,
    pub(super) of_commit: Option<OfCommit>,
    pub(super) outcome: Result<Flush, StoreError>,
    /// Given back when it is settled.
    pub(super) _room: OwnedSemaphorePermit,
}

/// The gates of the commits that are begun, in their order.
#[derive(Default)]
pub(super) struct InFlight(Mutex<VecDeque<Gate>>);

impl InFlight {
    pub(super) fn begun(&self, gate: Gate) {
        self.0.lock().push_back(gate);
    }

    /// The first of them is durable.
    pub(super) fn committed(&self) {
        let first = self.0.lock().pop_front();
        if let Some(gate) = first {
            gate.settle(Ok(()));
        }
    }

    /// The first of them is not: what comes after it may be stored, but nobody may see it.
    pub(super) fn fail(&self) {
        for gate in self.0.lock().drain(..) {
            gate.settle(Err(NotStored));
        }
    }
}
