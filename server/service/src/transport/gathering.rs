//! Lets what several calls of a connection have to say go out together.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

/// Calls from which on a connection gathers. The two seats of one match speak in turn, so there is
/// nothing to be gathered from them.
const GATHERED_CALLS: usize = 3;

/// Before a connection with several calls writes, everybody else who is ready has a turn: what the
/// other calls then have to say goes out with it. To write costs the system more than a call costs
/// us.
#[derive(Default)]
pub(super) struct Gathering {
    /// Calls of the connection that are in progress.
    open_calls: Arc<AtomicUsize>,
    /// Whether the others have had their turn since something was last written.
    is_over: bool,
}

impl Gathering {
    /// For so many calls in progress.
    pub(super) fn of(open_calls: Arc<AtomicUsize>) -> Self {
        Self {
            open_calls,
            is_over: false,
        }
    }

    /// Lets others have their turn first, once before something is written.
    pub(super) fn poll(&mut self, cx: &Context<'_>) -> Poll<()> {
        let is_over = std::mem::replace(&mut self.is_over, true);
        if is_over || self.open_calls.load(Ordering::Relaxed) < GATHERED_CALLS {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// All that was gathered is written.
    pub(super) fn begin_anew(&mut self) {
        self.is_over = false;
    }
}
