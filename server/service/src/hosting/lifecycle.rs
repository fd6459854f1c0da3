//! How a server ends: it drains, then its streams end and its matches stand still.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

/// How far a server is from its end.
#[derive(Default)]
pub(crate) struct Lifecycle {
    draining: CancellationToken,
    /// When streams end, once the server drains.
    drained_at: OnceLock<Instant>,
    stopping: CancellationToken,
    /// No match goes on any more.
    parked: AtomicBool,
}

impl Lifecycle {
    /// Makes no match any more, and tells all streams that they end after `time`.
    pub(crate) fn drain(&self, time: Duration) {
        // The first drain counts.
        let _ = self.drained_at.set(Instant::now() + time);
        self.draining.cancel();
    }

    /// Cancelled when the server drains. A token for each stream, so that streams do not share its
    /// lock.
    pub(crate) fn draining(&self) -> CancellationToken {
        self.draining.child_token()
    }

    /// Completes when the server drains. Each poll may take a lock that all share: for those who
    /// poll seldom.
    pub(crate) async fn until_draining(&self) {
        self.draining.cancelled().await;
    }

    /// Completes when the server stops; see [`Lifecycle::until_draining`].
    pub(crate) async fn until_stopping(&self) {
        self.stopping.cancelled().await;
    }

    /// Whether the server makes no match any more.
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// Time until the streams of a draining server end.
    pub(crate) fn drain_left(&self) -> Duration {
        let until = self.drained_at.get().copied();
        until.map_or(Duration::ZERO, |until| {
            until.saturating_duration_since(Instant::now())
        })
    }

    /// Ends all streams, and makes no match any more. Matches stand still as they are: that their
    /// streams end with the server is no bot's fault.
    pub(crate) fn stop(&self) {
        self.parked.store(true, Ordering::Release);
        self.draining.cancel();
        self.stopping.cancel();
    }

    /// Cancelled when the server stops. A token for each stream, as for [`Lifecycle::draining`].
    pub(crate) fn stopping(&self) -> CancellationToken {
        self.stopping.child_token()
    }

    /// Whether matches stand still.
    pub(super) fn is_parked(&self) -> bool {
        self.parked.load(Ordering::Acquire)
    }
}
