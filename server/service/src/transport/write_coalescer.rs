//! Coalesces the writes of several calls on one connection, to save system calls.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

/// The minimum number of calls for which a connection coalesces writes. Two calls are usually the
/// seats of one match. The two seats act in turn, so there would be nothing to coalesce.
const MIN_CALLS: usize = 3;

/// Lets all other ready tasks run once before a connection with several calls writes, so that one
/// write sends the messages of all calls. The operating system needs more time for a write than the
/// server needs for a call.
#[derive(Default)]
pub(super) struct WriteCoalescer {
    /// The number of calls in progress on the connection.
    open_calls: Arc<AtomicUsize>,
    /// Whether other tasks have run since the last flush.
    has_yielded: bool,
}

impl WriteCoalescer {
    /// Creates a coalescer for a connection with `open_calls` calls.
    pub(super) fn new(open_calls: Arc<AtomicUsize>) -> Self {
        Self {
            open_calls,
            has_yielded: false,
        }
    }

    /// Yields to other tasks, once before each flush.
    pub(super) fn poll(&mut self, cx: &Context<'_>) -> Poll<()> {
        let has_yielded = std::mem::replace(&mut self.has_yielded, true);
        if has_yielded || self.open_calls.load(Ordering::Relaxed) < MIN_CALLS {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Resets the coalescer after a flush.
    pub(super) fn reset(&mut self) {
        self.has_yielded = false;
    }
}
