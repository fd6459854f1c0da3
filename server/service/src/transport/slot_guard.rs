//! The slot of an open connection. Once the connection is evicted, its reads and writes fail.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use tokio_util::sync::WaitForCancellationFutureOwned;

use super::connection_slots::ConnectionSlot;

/// A slot, released on drop, that fails reads and writes once the connection is evicted.
pub(super) struct SlotGuard {
    /// Completes when the connection is evicted.
    evicted: Pin<Box<WaitForCancellationFutureOwned>>,
    _slot: ConnectionSlot,
}

impl SlotGuard {
    pub(super) fn new(slot: ConnectionSlot) -> Self {
        Self {
            evicted: Box::pin(slot.evicted().clone().cancelled_owned()),
            _slot: slot,
        }
    }

    /// Fails once the connection is evicted. Reads and writes both check for an eviction, since the
    /// server might only be writing while the peer does not read.
    pub(super) fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        match self.evicted.as_mut().poll(cx) {
            Poll::Pending => Ok(()),
            Poll::Ready(()) => Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "the connection was evicted in favour of a new one",
            )),
        }
    }
}
