//! The state that all of a server's matches share.

use std::sync::{Arc, OnceLock};

use bridgemaster_cluster::Cluster;
use bridgemaster_referee::HistoryId;
use bridgemaster_replay::SigningKey;
use bridgemaster_traces::SpanRecorder;

use super::{OfferTickets, groups::Groups, hosted_match::EndHandler, ids::MatchIds};
use crate::journal::Journal;
use bridgemaster_edge::{lifecycle::Lifecycle, server_clock::ServerClock};
use bridgemaster_edge::{limiter::Limiter, limits::Limits, metrics::Metrics};

pub(crate) struct Context {
    /// Identifies the message history that this server started. An earlier server might have sent
    /// different messages with the same numbers.
    pub(super) history_id: HistoryId,
    /// Generates the identifiers of the matches that this server creates.
    pub(super) match_ids: MatchIds,
    pub(super) limits: Limits,
    pub(super) metrics: Arc<Metrics>,
    pub(super) span_recorder: SpanRecorder,
    pub(super) clock: Arc<ServerClock>,
    pub(super) lifecycle: Arc<Lifecycle>,
    /// Stores entries before they take effect; `None` without a store.
    pub(super) journal: Option<Arc<Journal>>,
    pub(super) signing_key: Arc<SigningKey>,
    /// Derives the tickets for offered seats.
    pub(super) offer_tickets: OfferTickets,
    /// The open match groups.
    pub(super) groups: Arc<Groups>,
    /// The budget, in bytes, for updates that wait in spectators' queues behind earlier updates.
    pub(super) watcher_queue_bytes: Arc<Limiter>,
    /// The cluster that shares the store, if the store can be shared. Set before the first match is
    /// created.
    pub(super) cluster: OnceLock<Arc<Cluster>>,
    pub(super) end_handler: EndHandler,
}

impl Context {
    /// Returns the name of this node, or an empty string for a server that is not in a cluster.
    pub(super) fn node_name(&self) -> &str {
        let cluster = self.cluster.get();
        cluster.map_or("", |cluster| cluster.name().as_str())
    }
}
