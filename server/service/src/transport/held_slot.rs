//! The slot of a connection that is read and written.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use tokio_util::sync::WaitForCancellationFutureOwned;

use super::connection_slots::ConnectionSlot;

/// A slot, released when it is dropped, and the moment when its connection has to give way.
pub(super) struct HeldSlot {
    /// Completes at that moment.
    gives_way: Pin<Box<WaitForCancellationFutureOwned>>,
    _slot: ConnectionSlot,
}

impl HeldSlot {
    pub(super) fn new(slot: ConnectionSlot) -> Self {
        Self {
            gives_way: Box::pin(slot.gives_way().clone().cancelled_owned()),
            _slot: slot,
        }
    }

    /// Fails once the connection has to give way to another. Asked whenever it is read or written:
    /// one whose peer reads nothing is written to and no more read.
    pub(super) fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        match self.gives_way.as_mut().poll(cx) {
            Poll::Pending => Ok(()),
            Poll::Ready(()) => Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "it gave its slot to another connection",
            )),
        }
    }
}
