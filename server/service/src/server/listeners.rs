//! What a server listens on: its own port, that of the page, and that of the metrics.

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use tokio::net::TcpListener;
use tokio_stream::Stream;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use tonic::{
    body::Body,
    codegen::{
        Service,
        http::{Request, Response},
    },
};
use tracing::info;

use super::errors::BindError;
use crate::{
    forwarding::NodePass,
    hosting::Matches,
    identity::Authenticator,
    limits::{
        Limits, METRICS_CONNECTION_TIME, METRICS_CONNECTIONS, METRICS_CONNECTIONS_PER_ADDRESS,
    },
    lobby::Lobby,
    metrics::{self, Refresh},
    page::Guard,
    transport::{
        Allowances, Connection, ConnectionSlots, FewConnections, Peers, Shown, Tls, incoming,
        serve_web,
    },
};

/// Listens on an address; gives the port that was taken.
pub(super) async fn listen(addr: SocketAddr) -> Result<(TcpListener, SocketAddr), BindError> {
    let failed = |source| BindError::Listen { addr, source };
    let listener = TcpListener::bind(addr).await.map_err(failed)?;
    let local_addr = listener.local_addr().map_err(failed)?;
    Ok((listener, local_addr))
}

/// The same, if there is an address.
pub(super) async fn listen_if_asked(
    addr: Option<SocketAddr>,
) -> Result<Option<(TcpListener, SocketAddr)>, BindError> {
    match addr {
        Some(addr) => listen(addr).await.map(Some),
        None => Ok(None),
    }
}

/// The places of connections on both ports.
pub(super) struct PortSlots {
    pub(super) for_programs: Arc<ConnectionSlots>,
    pub(super) for_browsers: Arc<ConnectionSlots>,
}

impl PortSlots {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            for_programs: ConnectionSlots::new(limits),
            for_browsers: ConnectionSlots::of_page(limits),
        }
    }
}

/// What the listeners for programs and for browsers share.
#[derive(Clone)]
pub(super) struct Shared {
    tls: Option<Arc<Tls>>,
    limits: Limits,
    pub(super) allowances: Arc<Allowances>,
    pub(super) shown: Shown,
}

impl Shared {
    pub(super) fn new(
        tls: Option<Arc<Tls>>,
        limits: Limits,
        authenticator: Authenticator,
        pass: Option<Arc<NodePass>>,
    ) -> Self {
        Self {
            tls,
            allowances: Allowances::new(limits.clone()),
            limits,
            shown: Shown {
                key: Arc::new(move |metadata| authenticator.shown_key(metadata)),
                hop: Arc::new(move |metadata| pass.as_ref()?.hop(metadata)),
            },
        }
    }

    /// The connections that come to a listener.
    pub(super) fn connections(
        &self,
        listener: TcpListener,
        peers: Peers,
        slots: Arc<ConnectionSlots>,
    ) -> impl Stream<Item = Connection> + use<> {
        let (tls, limits) = (self.tls.clone(), self.limits.clone());
        incoming(listener, tls, peers, limits, slots)
    }
}

/// Where the page is served.
pub(super) struct PageListener {
    listener: TcpListener,
    addr: SocketAddr,
    /// Names of the server besides its addresses.
    names: Vec<String>,
}

impl PageListener {
    pub(super) fn new(listener: TcpListener, addr: SocketAddr, names: Vec<String>) -> Self {
        Self {
            listener,
            addr,
            names,
        }
    }

    /// Which requests are answered.
    pub(super) fn guard(&self, shared: &Shared) -> Guard {
        Guard::new(self.names.clone(), shared.tls.is_some())
    }

    /// Serves the page to connections with these slots until `stopped` is cancelled.
    pub(super) async fn serve<S>(
        self,
        page: S,
        shared: Shared,
        slots: Arc<ConnectionSlots>,
        stopped: CancellationToken,
    ) where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
            + Clone
            + Send
            + 'static,
        S::Future: Send,
    {
        info!(addr = %self.addr, "serving the page");
        let connections = shared.connections(self.listener, Peers::Browsers, slots);
        serve_web(
            connections,
            page,
            shared.shown.key,
            shared.allowances,
            stopped,
        )
        .await;
    }
}

/// Serves the metrics while what it gives lives.
pub(super) fn serve_metrics(
    (listener, addr): (TcpListener, SocketAddr),
    matches: Arc<Matches>,
    lobby: Arc<Lobby>,
) -> AbortOnDropHandle<std::io::Result<()>> {
    info!(%addr, "serving metrics");
    let metrics = Arc::clone(matches.metrics());
    let refresh: Refresh = Arc::new(move |metrics| {
        if let Some(cluster) = matches.cluster() {
            let answers = cluster.check_may_answer().is_ok();
            metrics.stands(cluster.leads(), answers, cluster.since_renewal());
        }
        let (ladders, others) = lobby.with(|room, _| room.attending_by_kind());
        metrics.bots_attend(ladders, others);
    });
    let slots = ConnectionSlots::without_bots(METRICS_CONNECTIONS, METRICS_CONNECTIONS_PER_ADDRESS);
    let few = FewConnections::new(listener, slots, METRICS_CONNECTION_TIME);
    AbortOnDropHandle::new(tokio::spawn(metrics::serve(few, metrics, refresh)))
}
