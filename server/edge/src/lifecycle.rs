//! The shutdown state of a server: when it drains, and when it stops.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use crate::refusal::Refusal;

/// The shutdown state of a server.
#[derive(Default)]
pub struct Lifecycle {
    draining: CancellationToken,
    /// The time at which streams end; set once the server drains.
    drained_at: OnceLock<Instant>,
    stopping: CancellationToken,
    /// The refusal of calls once the server stops.
    stop_refusal: OnceLock<Refusal>,
    /// Whether all matches are parked.
    parked: AtomicBool,
}

impl Lifecycle {
    /// Stops the creation of matches, and announces to all streams that they end after `time`.
    pub fn drain(&self, time: Duration) {
        // A second call to this method changes nothing.
        let _ = self.drained_at.set(Instant::now() + time);
        self.draining.cancel();
    }

    /// Returns a token that is cancelled when the server drains. Each stream gets its own token, so
    /// that streams do not contend for one lock.
    pub fn drain_token(&self) -> CancellationToken {
        self.draining.child_token()
    }

    /// Completes when the server drains. A poll can acquire a shared lock, so this future should be
    /// polled rarely.
    pub async fn until_draining(&self) {
        self.draining.cancelled().await;
    }

    /// Completes when the server stops; see [`Lifecycle::until_draining`].
    pub async fn until_stopping(&self) {
        self.stopping.cancelled().await;
    }

    /// Returns whether the server no longer creates matches.
    pub fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// Returns the time until the streams of a draining server end.
    pub fn drain_time_left(&self) -> Duration {
        let until = self.drained_at.get().copied();
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }

    /// Closes all streams, stops creating matches, and parks the matches in play. The end of these
    /// streams does not count as a disconnect of their bots. Calls are refused with `refusal`.
    pub fn stop(&self, refusal: Refusal) {
        // A second call to this method changes nothing.
        let _ = self.stop_refusal.set(refusal);
        self.parked.store(true, Ordering::Release);
        self.draining.cancel();
        self.stopping.cancel();
    }

    /// Returns a token that is cancelled when the server stops, one per stream as for
    /// [`Lifecycle::drain_token`].
    pub fn stop_token(&self) -> CancellationToken {
        self.stopping.child_token()
    }

    /// Returns the refusal for calls that arrive while the server drains or stops.
    pub fn stop_refusal(&self) -> Refusal {
        let refusal = self.stop_refusal.get().cloned();
        refusal.unwrap_or_else(Refusal::stopping)
    }

    /// Returns whether all matches are parked.
    pub fn is_parked(&self) -> bool {
        self.parked.load(Ordering::Acquire)
    }
}
