//! A server's listeners: its own port, the page's port, and the metrics port.

use std::{net::SocketAddr, sync::Arc};

use bridgemaster_cluster::forwarding::{Forwarder, NodeCredential};
use bridgemaster_edge::{
    identity::Authenticator,
    limits::{Limits, MAX_METRICS_CONNECTIONS, MAX_METRICS_CONNECTIONS_PER_ADDRESS},
    metrics::{self, Refresh},
    transport::{
        Calls, ClientKind, Connection, ConnectionSlots, ForwardedCall, ForwardingNodes,
        MetadataReaders, Quotas, Tls, incoming, serve_web,
    },
};
use bridgemaster_live::Matches;
use bridgemaster_matchmaking::lobby::Lobby;
use tokio::net::TcpListener;
use tokio_stream::Stream;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::codegen::http::HeaderMap;
use tracing::info;

use super::errors::BindError;
use crate::page::OriginGuard;

/// Binds to an address. Returns the actual address, since port 0 selects a free port.
pub(super) async fn listen(addr: SocketAddr) -> Result<(TcpListener, SocketAddr), BindError> {
    let failed = |source| BindError::Listen { addr, source };
    let listener = TcpListener::bind(addr).await.map_err(failed)?;
    let local_addr = listener.local_addr().map_err(failed)?;
    Ok((listener, local_addr))
}

/// Binds to an address, if there is one.
pub(super) async fn listen_opt(
    addr: Option<SocketAddr>,
) -> Result<Option<(TcpListener, SocketAddr)>, BindError> {
    match addr {
        Some(addr) => listen(addr).await.map(Some),
        None => Ok(None),
    }
}

/// The connection slots of the server's port and of the page's port.
pub(super) struct PortSlots {
    pub(super) for_programs: Arc<ConnectionSlots>,
    pub(super) for_browsers: Arc<ConnectionSlots>,
}

impl PortSlots {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            for_programs: ConnectionSlots::new(limits),
            for_browsers: ConnectionSlots::for_page(limits),
        }
    }
}

/// State that the listeners for programs and for browsers share.
#[derive(Clone)]
pub(super) struct ListenerContext {
    tls: Option<Arc<Tls>>,
    limits: Limits,
    pub(super) quotas: Arc<Quotas>,
    pub(super) readers: MetadataReaders,
}

impl ListenerContext {
    pub(super) fn new(
        tls: Option<Arc<Tls>>,
        matches: &Matches,
        authenticator: Authenticator,
        forwarder: Option<Arc<Forwarder>>,
    ) -> Self {
        let credential = forwarder.map(|forwarder| Arc::clone(forwarder.credential()));
        let (clock, metrics) = (Arc::clone(matches.clock()), Arc::clone(matches.metrics()));
        let nodes = ForwardingNodes::new(clock, metrics);
        Self {
            tls,
            quotas: Quotas::new(matches.limits().clone()),
            limits: matches.limits().clone(),
            readers: MetadataReaders {
                key: Arc::new(move |metadata| authenticator.valid_cached_key(metadata)),
                forwarded_call: Arc::new(move |metadata| {
                    let origin = credential.as_ref()?.forwarded_origin(metadata)?;
                    let node = NodeCredential::forwarding_node(metadata);
                    let node = node.map(|id| nodes.caller(id));
                    Some(ForwardedCall { origin, node })
                }),
            },
        }
    }

    /// Streams a listener's connections.
    pub(super) fn connections(
        &self,
        listener: TcpListener,
        client_kind: ClientKind,
        slots: Arc<ConnectionSlots>,
    ) -> impl Stream<Item = Connection> + use<> {
        let (tls, limits) = (self.tls.clone(), self.limits.clone());
        incoming(listener, tls, client_kind, limits, slots)
    }
}

/// The bound listener that serves the web page.
pub(super) struct PageListener {
    listener: TcpListener,
    addr: SocketAddr,
    /// Host names of the server, besides its addresses.
    names: Vec<String>,
}

impl PageListener {
    pub(super) fn new(listener: TcpListener, addr: SocketAddr, names: Vec<String>) -> Self {
        Self { listener, addr, names }
    }

    /// Creates the guard that checks the origin of requests.
    pub(super) fn guard(&self, shared: &ListenerContext) -> OriginGuard {
        OriginGuard::new(self.names.clone(), shared.tls.is_some())
    }

    /// Serves the page until `stopped` is cancelled.
    pub(super) async fn serve(
        self,
        page: impl Calls,
        shared: ListenerContext,
        slots: Arc<ConnectionSlots>,
        stopped: CancellationToken,
    ) {
        info!(addr = %self.addr, "serving the page");
        let connections = shared.connections(self.listener, ClientKind::Browsers, slots);
        serve_web(connections, page, shared.readers.key, shared.quotas, stopped).await;
    }
}

/// Serves metrics until the returned guard is dropped, which also ends the open connections.
pub(super) fn serve_metrics(
    (listener, addr): (TcpListener, SocketAddr),
    matches: Arc<Matches>,
    lobby: Arc<Lobby>,
    tls: Option<Arc<Tls>>,
) -> DropGuard {
    info!(%addr, "serving metrics");
    let limits = matches.limits().clone();
    let metrics = Arc::clone(matches.metrics());
    let refresh: Refresh = Arc::new(move |metrics| {
        if let Some(cluster) = matches.cluster() {
            let answers = cluster.is_answering();
            metrics.set_node_state(cluster.is_leader(), answers, cluster.since_renewal());
            metrics.set_clock_skew_ms(cluster.nodes().clock_skew_ms());
            metrics.set_database_retries(cluster.nodes().retries());
            metrics.set_crashes(cluster.crashes());
        }
        if let Some(tls) = &tls {
            metrics.set_tls_certificate_expiry(tls.validity().until_unix_s);
        }
        if let Some(journal) = matches.journal() {
            metrics.set_commit_age(journal.oldest_commit_age());
        }
        let (ladders, others) = lobby.with_room(|room, _| room.attendance_counts());
        metrics.set_attending_bots(ladders, others);
    });
    let slots =
        ConnectionSlots::without_bots(MAX_METRICS_CONNECTIONS, MAX_METRICS_CONNECTIONS_PER_ADDRESS);
    // The port has its own quotas, so callers of other ports do not delay it.
    let connections = incoming(listener, None, ClientKind::Browsers, limits.clone(), slots);
    let (page, no_keys) = (metrics::page(metrics, refresh), Arc::new(|_: &HeaderMap| None));
    let stopped = CancellationToken::new();
    tokio::spawn(serve_web(connections, page, no_keys, Quotas::new(limits), stopped.clone()));
    stopped.drop_guard()
}
