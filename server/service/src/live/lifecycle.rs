//! Shuts a server down: the server drains, then closes its streams and parks its matches.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

/// The shutdown state of a server.
#[derive(Default)]
pub(crate) struct Lifecycle {
    draining: CancellationToken,
    /// The time at which streams end; set once the server drains.
    drained_at: OnceLock<Instant>,
    stopping: CancellationToken,
    /// Whether all matches are parked.
    parked: AtomicBool,
}

impl Lifecycle {
    /// Stops creating matches, and announces to all streams that they end after `time`.
    pub(crate) fn drain(&self, time: Duration) {
        // A second call to this method changes nothing.
        let _ = self.drained_at.set(Instant::now() + time);
        self.draining.cancel();
    }

    /// Returns a token that is cancelled when the server drains. Each stream gets its own token, so
    /// that streams do not contend for one lock.
    pub(crate) fn drain_token(&self) -> CancellationToken {
        self.draining.child_token()
    }

    /// Completes when the server drains. A poll can acquire a shared lock, so poll this future
    /// rarely.
    pub(crate) async fn until_draining(&self) {
        self.draining.cancelled().await;
    }

    /// Completes when the server stops; see [`Lifecycle::until_draining`].
    pub(crate) async fn until_stopping(&self) {
        self.stopping.cancelled().await;
    }

    /// Returns whether the server no longer creates matches.
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// Returns the time until the streams of a draining server end.
    pub(crate) fn drain_time_left(&self) -> Duration {
        let until = self.drained_at.get().copied();
        until.map_or(Duration::ZERO, |until| {
            until.saturating_duration_since(Instant::now())
        })
    }

    /// Closes all streams, stops creating matches, and parks the matches in play. The end of these
    /// streams does not count as a disconnect of their bots.
    pub(crate) fn stop(&self) {
        self.parked.store(true, Ordering::Release);
        self.draining.cancel();
        self.stopping.cancel();
    }

    /// Returns a token that is cancelled when the server stops, one per stream as for
    /// [`Lifecycle::drain_token`].
    pub(crate) fn stop_token(&self) -> CancellationToken {
        self.stopping.child_token()
    }

    pub(super) fn is_parked(&self) -> bool {
        self.parked.load(Ordering::Acquire)
    }
}
