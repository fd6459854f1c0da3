//! What every match has of the server that hosts it.

use std::sync::{Arc, OnceLock};

use bridgemaster_referee::HistoryId;
use bridgemaster_replay::SigningKey;
use bridgemaster_traces::Traces;

use super::{OfferTickets, clock::ServerClock, groups::Groups, lifecycle::Lifecycle};
use crate::{cluster::Cluster, journal::Journal, limits::Limits, metrics::Metrics, tally::Tally};

/// What every match has of the server that hosts it.
pub(crate) struct Context {
    /// The history that began with this server: what is sent from now on may differ from what an
    /// earlier server sent under the same numbers.
    pub(super) history_id: HistoryId,
    pub(super) limits: Limits,
    pub(super) metrics: Arc<Metrics>,
    /// Takes spans.
    pub(super) traces: Traces,
    pub(super) clock: Arc<ServerClock>,
    /// How far the server is from its end.
    pub(super) lifecycle: Lifecycle,
    /// What is stored before it has an effect; `None` without a store.
    pub(super) journal: Option<Arc<Journal>>,
    /// What replays are signed with.
    pub(super) signing_key: Arc<SigningKey>,
    /// Makes the tickets of offered seats.
    pub(super) offer_tickets: OfferTickets,
    /// Groups of matches that are not over.
    pub(super) groups: Arc<Groups>,
    /// Of news that wait for spectators behind others.
    pub(super) watcher_queue_bytes: Arc<Tally>,
    /// The servers that share the store, if it is one that can be shared. Set before the first match
    /// is there.
    pub(super) cluster: OnceLock<Arc<Cluster>>,
}

impl Context {
    /// Name of this server among those that share the store; empty for one that is alone.
    pub(super) fn node(&self) -> &str {
        let cluster = self.cluster.get();
        cluster.map_or("", |cluster| cluster.name().as_str())
    }
}
