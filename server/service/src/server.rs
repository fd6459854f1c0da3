//! The listening server: services, transport settings, and how it stops.

mod call_rates;
mod errors;
mod health;
mod options;
mod routes;
mod stopping;

use std::{io, net::SocketAddr, path::Path, sync::Arc};

use bridgemaster_proto::v1::play_service_server::PlayServiceServer;
use tokio::{join, net::TcpListener, select};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use tonic::{
    codegen::http::HeaderMap,
    service::{Routes, interceptor::InterceptedService},
};
use tonic_health::ServingStatus;
use tracing::{info, warn};

use self::{
    call_rates::limit_calls,
    health::HEALTH_SERVICES,
    stopping::{Asked, Replays, close, stop_deadline, stopped},
};
pub use self::{
    errors::{BindError, ServeError},
    options::{ServerOptions, Storage},
};
use crate::{
    hosting::{Matches, OfferTickets},
    identity::Authenticator,
    journal::Journal,
    ladder::Ladders,
    limits::{METRICS_CONNECTION_TIME, METRICS_CONNECTIONS, METRICS_CONNECTIONS_PER_ADDRESS},
    lobby::{Lobby, QUEUE_NOTES},
    metrics::{self, Metrics},
    page::{Desk, Guard, Page},
    play::{Play, SeatAdmission},
    replays::{ReplayKeeper, signing_key},
    services::{RefusalDetails, ReplayDesk, RequestTimeout},
    transport::{
        Allowances, ConnectionSlots, FewConnections, Peers, ShownKey, Tls, TokenBuckets, incoming,
        serve, serve_web,
    },
};

/// A server that listens, and serves once it is run.
pub struct Server {
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    local_addr: SocketAddr,
    metrics: Option<(TcpListener, SocketAddr)>,
    page: Option<PageListener>,
    matches: Arc<Matches>,
    lobby: Arc<Lobby>,
    ladders: Arc<Ladders>,
    authenticator: Authenticator,
    journal: Option<Arc<Journal>>,
    replays: Option<Replays>,
    /// Commits for the journal.
    _writing: Option<AbortOnDropHandle<()>>,
}

impl Server {
    /// Listens on `addr`; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address or the folder for replays cannot be had, the keys cannot be read, or the
    /// matches in the store cannot go on.
    pub async fn bind(addr: SocketAddr, options: ServerOptions) -> Result<Self, BindError> {
        if let Some(folder) = &options.replays {
            make_replay_folder(folder)
                .await
                .map_err(|source| BindError::Replays {
                    folder: folder.clone(),
                    source,
                })?;
        }
        let metrics = Arc::new(Metrics::new());
        let authenticator = Authenticator::new(options.keys, &options.limits, &metrics).await;
        let authenticator = authenticator.map_err(BindError::Keys)?;
        let storage = options.storage.as_ref();
        let journal = storage.map(|storage| {
            let store = Arc::clone(&storage.store);
            Arc::new(Journal::new(store, Arc::clone(&metrics)))
        });
        let writing = journal
            .as_ref()
            .map(|journal| AbortOnDropHandle::new(tokio::spawn(Arc::clone(journal).write())));
        let signing_key = match storage {
            Some(storage) => signing_key::kept_in(&*storage.store).await?,
            None => signing_key::draw(),
        };
        let offer_tickets = match storage {
            Some(storage) => OfferTickets::kept_in(&*storage.store).await?,
            None => OfferTickets::draw(),
        };
        let (key, key_id) = (signing_key.public(), signing_key.public().id());
        info!(%key_id, %key, "replays are signed");
        let keeper = options.replays.map(|folder| {
            let store = storage.map(|storage| Arc::clone(&storage.store));
            Arc::new(ReplayKeeper::new(folder, Arc::clone(&metrics), store))
        });
        let matches = Arc::new(Matches::new(
            options.limits,
            metrics,
            keeper.clone(),
            journal.clone(),
            signing_key,
            offer_tickets,
        ));
        let lobby = Lobby::new(matches.limits(), journal.clone());
        let (ladder_set, ladder_listener) = Ladders::listener();
        matches.listen(vec![Arc::clone(&lobby) as _, ladder_listener]);
        if let Some(storage) = storage {
            let queues = storage.store.notes(QUEUE_NOTES).await;
            lobby.read_queues(queues.map_err(BindError::Queues)?);
        }
        if let (Some(journal), Some(storage)) = (&journal, storage) {
            // An address that cannot be had refuses the start before matches are dropped. It is
            // given back until they go on, so that nobody waits for an answer meanwhile.
            for addr in [Some(addr), options.metrics].into_iter().flatten() {
                listen(addr).await?;
            }
            matches.recover(journal, &storage.given_up).await?;
        }
        let ladders = Arc::new(Ladders::new(
            ladder_set,
            storage.map(|storage| Arc::clone(&storage.store)),
            Arc::clone(&matches),
            Arc::clone(&lobby),
        ));
        let recovered = ladders.recover().await;
        recovered.map_err(BindError::Ladders)?;
        let replays = keeper.map(Replays::keep);
        let (listener, local_addr) = listen(addr).await?;
        let metrics = match options.metrics {
            Some(addr) => Some(listen(addr).await?),
            None => None,
        };
        Ok(Self {
            listener,
            tls: options.tls,
            local_addr,
            authenticator,
            metrics,
            page: None,
            matches,
            lobby,
            ladders,
            journal,
            replays,
            _writing: writing,
        })
    }

    /// Serves the page for people on `addr` too, with the same keys and TLS; port 0 takes a free
    /// one. Requests are answered that name this server by an address, as `localhost` or by one of
    /// `names`; with TLS browsers check the name. Gives the address.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub async fn open_page(
        &mut self,
        addr: SocketAddr,
        names: Vec<String>,
    ) -> Result<SocketAddr, BindError> {
        let (listener, addr) = listen(addr).await?;
        self.page = Some(PageListener {
            listener,
            addr,
            names,
        });
        Ok(addr)
    }

    /// The address that the server listens on.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// The address that the metrics are served on.
    pub fn metrics_addr(&self) -> Option<SocketAddr> {
        let (_, addr) = self.metrics.as_ref()?;
        Some(*addr)
    }

    /// Serves until `stop` is cancelled: streams then end with SERVER_STOPPING, and what does not
    /// end within [`stop_time`](crate::Limits::stop_time) is cut. Matches of a server with a store go on when
    /// another serves it.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn run(self, stop: CancellationToken) -> Result<(), ServeError> {
        self.run_and_drain(CancellationToken::new(), stop).await
    }

    /// Serves until `drain` is cancelled: no match is made any more, bots are told, and when all
    /// matches have ended, or after [`drain_time`](crate::Limits::drain_time), the server stops as [`Server::run`]
    /// does. Cancelling `stop` stops it without more ado.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn run_and_drain(
        self,
        drain: CancellationToken,
        stop: CancellationToken,
    ) -> Result<(), ServeError> {
        let limits = self.matches.limits().clone();
        let matches = Arc::clone(&self.matches);
        let clock = Arc::clone(matches.clock());
        let _watch = AbortOnDropHandle::new(tokio::spawn(clock.watch()));
        let lobby = Arc::clone(&self.lobby);
        let _offers = AbortOnDropHandle::new(tokio::spawn(lobby.watch_time()));
        self.ladders.run_all();
        let (health_reporter, health) = tonic_health::server::health_reporter();
        for service in HEALTH_SERVICES {
            health_reporter
                .set_service_status(service, ServingStatus::Serving)
                .await;
        }
        let slots = ConnectionSlots::new(&limits);
        let play = Play::new(
            Arc::clone(&matches),
            self.authenticator.clone(),
            Arc::clone(&slots),
        );
        let admission = SeatAdmission::new(Arc::clone(&matches));
        let calls = Arc::new(TokenBuckets::new(limits.calls_per_address));
        let authenticator = self.authenticator.clone();
        let limit_calls = limit_calls(Arc::clone(&calls), admission, authenticator);
        let replay_desk = Arc::new(ReplayDesk::new());
        let routes = Routes::new(RequestTimeout::new(health, limits.hello_time));
        let routes = self.with_desks(routes, Arc::clone(&replay_desk))?;
        let of_browsers = RefusalDetails(routes.clone().prepare());
        let of_browsers = InterceptedService::new(of_browsers, limit_calls.clone());
        let services = routes
            .add_service(
                PlayServiceServer::new(play).max_decoding_message_size(limits.play_message_bytes),
            )
            .prepare();
        let services = InterceptedService::new(RefusalDetails(services), limit_calls);
        let allowances = Allowances::new(limits.clone());
        info!(addr = %self.local_addr, "serving");
        let _metrics = self.metrics.map(|(listener, addr)| {
            info!(%addr, "serving metrics");
            let slots =
                ConnectionSlots::without_bots(METRICS_CONNECTIONS, METRICS_CONNECTIONS_PER_ADDRESS);
            let few = FewConnections::new(listener, slots, METRICS_CONNECTION_TIME);
            let page = metrics::serve(few, Arc::clone(matches.metrics()));
            AbortOnDropHandle::new(tokio::spawn(page))
        });
        let drained = CancellationToken::new();
        let stopped = stopped(
            matches,
            self.journal.clone(),
            health_reporter,
            Asked { drain, stop },
            drained.clone(),
        );
        let authenticator = self.authenticator.clone();
        let shown_key: ShownKey =
            Arc::new(move |metadata: &HeaderMap| authenticator.shown_key(metadata));
        let served_page = self.page.map(|page| {
            let PageListener {
                listener,
                addr,
                names,
            } = page;
            info!(%addr, "serving the page");
            let slots = ConnectionSlots::without_bots(
                limits.page_connections,
                limits.page_connections_per_address,
            );
            let tls = self.tls.clone();
            let guard = Guard::new(names, tls.is_some());
            let connections = incoming(listener, tls, Peers::Browsers, limits.clone(), slots);
            let desk = Desk {
                guard,
                authenticator: self.authenticator.clone(),
                replays: replay_desk,
                calls,
                limits: limits.clone(),
            };
            let page = Page::new(of_browsers, desk);
            let shown_key = Arc::clone(&shown_key);
            let allowances = Arc::clone(&allowances);
            serve_web(connections, page, shown_key, allowances, drained.clone())
        });
        let served_page = async {
            if let Some(serving) = served_page {
                serving.await;
            }
        };
        let connections = incoming(
            self.listener,
            self.tls,
            Peers::Programs,
            limits.clone(),
            slots,
        );
        let serving = serve(
            connections,
            services,
            shown_key,
            Arc::clone(&allowances),
            stopped,
        );
        select! {
            ((), ()) = async { join!(serving, served_page) } => {}
            () = stop_deadline(&drained, limits.stop_time) => {
                warn!("streams still open after the stop time are cut");
            }
        }
        self.matches.lifecycle().stop();
        let Self {
            journal,
            replays,
            authenticator,
            ..
        } = self;
        close(&limits, journal.as_deref(), replays, &authenticator).await
    }
}

/// Where the page is served.
struct PageListener {
    listener: TcpListener,
    addr: SocketAddr,
    /// Names of the server besides its addresses.
    names: Vec<String>,
}

async fn listen(addr: SocketAddr) -> Result<(TcpListener, SocketAddr), BindError> {
    let failed = |source| BindError::Listen { addr, source };
    let listener = TcpListener::bind(addr).await.map_err(failed)?;
    let local_addr = listener.local_addr().map_err(failed)?;
    Ok((listener, local_addr))
}

/// Makes the folder of replays, if it is not there, so that only its user can look into it: a
/// replay may tell the seed of a group of matches that is not over. The rights of a folder that is
/// there are left as they are.
async fn make_replay_folder(folder: &Path) -> io::Result<()> {
    let mut builder = tokio::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(folder).await
}
