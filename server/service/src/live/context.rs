//! The state that all of a server's matches share, and the server's lifecycle.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use bridgemaster_referee::HistoryId;
use bridgemaster_replay::SigningKey;
use bridgemaster_traces::Traces;
use tokio_util::sync::CancellationToken;

use super::{OfferTickets, clock::ServerClock, groups::Groups};
use crate::{
    cluster::Cluster, journal::Journal, limiter::Limiter, limits::Limits, metrics::Metrics,
};

pub(crate) struct Context {
    /// Identifies the message history that this server started. An earlier server might have sent
    /// different messages with the same numbers.
    pub(super) history_id: HistoryId,
    pub(super) limits: Limits,
    pub(super) metrics: Arc<Metrics>,
    pub(super) traces: Traces,
    pub(super) clock: Arc<ServerClock>,
    pub(super) lifecycle: Lifecycle,
    /// Stores entries before they take effect; `None` without a store.
    pub(super) journal: Option<Arc<Journal>>,
    pub(super) signing_key: Arc<SigningKey>,
    /// Derives the tickets for offered seats.
    pub(super) offer_tickets: OfferTickets,
    /// The open match groups.
    pub(super) groups: Arc<Groups>,
    /// The budget, in bytes, for updates that wait behind earlier updates in spectators' queues.
    pub(super) watcher_queue_bytes: Arc<Limiter>,
    /// The cluster that shares the store, if the store can be shared. Set before the first match is
    /// created.
    pub(super) cluster: OnceLock<Arc<Cluster>>,
}

impl Context {
    /// Returns the name of this node, or an empty string for a server that is not in a cluster.
    pub(super) fn node_name(&self) -> &str {
        let cluster = self.cluster.get();
        cluster.map_or("", |cluster| cluster.name().as_str())
    }
}

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
