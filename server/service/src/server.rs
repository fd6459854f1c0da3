//! The listening server: services, transport settings, and how it stops.

use std::{
    fmt, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_proto::{
    DESCRIPTORS,
    v1::{
        catalog_service_server::CatalogServiceServer, ladder_service_server::LadderServiceServer,
        lobby_service_server::LobbyServiceServer, match_service_server::MatchServiceServer,
        play_service_server::PlayServiceServer,
    },
};
use bridgemaster_store::{KeyStore, Store, StoreError};
use thiserror::Error;
use tokio::{
    join,
    net::TcpListener,
    select,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use tonic::{
    Request, Status,
    codegen::http::HeaderMap,
    server::NamedService,
    service::{Routes, interceptor::InterceptedService},
};
use tonic_health::ServingStatus;
use tracing::{info, warn};

use crate::{
    hosting::{Matches, OfferSecretError, OfferTickets},
    identity::Authenticator,
    journal::{Journal, RecoveryError},
    ladder::Ladders,
    limits::{
        Limits, METRICS_CONNECTION_TIME, METRICS_CONNECTIONS, METRICS_CONNECTIONS_PER_ADDRESS,
    },
    lobby::{Lobby, QUEUE_NOTES},
    metrics::{self, Metrics},
    page::{Desk, Guard, Page},
    play::{Play, SeatAdmission},
    refusal::Refusal,
    replays::{
        ReplayKeeper,
        signing_key::{self, SigningKeyError},
    },
    services::{
        Catalog, LadderDesk, LobbyDesk, MatchDesk, RefusalDetails, ReplayDesk, RequestTimeout,
    },
    transport::{
        Allowances, Call, CallerId, ConnectionInfo, ConnectionSlots, FewConnections, Origin, Peers,
        ShownKey, Tls, TokenBuckets, incoming, serve, serve_web,
    },
};

/// What the health service tells of; the empty name is the server as a whole.
const HEALTH_SERVICES: &[&str] = &[
    "",
    CatalogServiceServer::<Catalog>::NAME,
    PlayServiceServer::<Play>::NAME,
    MatchServiceServer::<MatchDesk>::NAME,
    LadderServiceServer::<LadderDesk>::NAME,
    LobbyServiceServer::<LobbyDesk>::NAME,
];

/// What a server is made of.
#[derive(Clone, Default)]
pub struct ServerOptions {
    /// Limits on what comes from outside.
    pub limits: Limits,
    /// Folder that the replay of every ended match is written to, as `MATCH_ID.replay.binpb`.
    pub replays: Option<PathBuf>,
    /// With these, every call of `PlayService`, `MatchService` and `LobbyService` needs one of them;
    /// without, the server serves anyone.
    pub keys: Option<Arc<dyn KeyStore>>,
    /// With this, connections are encrypted; without, the server speaks plain HTTP/2.
    pub tls: Option<Arc<Tls>>,
    /// Where `GET /metrics` is answered; port 0 takes a free one. Nowhere if not set.
    pub metrics: Option<SocketAddr>,
    /// Where matches are kept beyond the server; `None` forgets them with it.
    pub storage: Option<Storage>,
}

/// Where matches are kept beyond a server.
#[derive(Clone)]
pub struct Storage {
    /// The store, which the server closes when it stops.
    pub store: Arc<dyn Store>,
    /// Matches in play that are dropped from the store before the others go on.
    pub given_up: Vec<String>,
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Storage")
            .field("given_up", &self.given_up)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("limits", &self.limits)
            .field("replays", &self.replays)
            .field("requires_keys", &self.keys.is_some())
            .field("tls", &self.tls)
            .field("metrics", &self.metrics)
            .field("storage", &self.storage)
            .finish()
    }
}

/// Why a server cannot listen.
#[derive(Debug, Error)]
pub enum BindError {
    /// The address cannot be had.
    #[error("cannot listen on {addr}")]
    Listen {
        /// The address.
        addr: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// The folder for replays cannot be had.
    #[error("the folder for replays {} cannot be made", folder.display())]
    Replays {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The API keys cannot be read.
    #[error("the API keys cannot be read")]
    Keys(#[source] StoreError),
    /// The key that signs replays cannot be had from the store.
    #[error(transparent)]
    SigningKey(#[from] SigningKeyError),
    /// The secret of the tickets of offers cannot be had from the store.
    #[error(transparent)]
    OfferSecret(#[from] OfferSecretError),
    /// The ladders cannot be read.
    #[error("the ladders cannot be read")]
    Ladders(#[source] StoreError),
    /// The queues cannot be read.
    #[error("the queues cannot be read")]
    Queues(#[source] StoreError),
    /// The matches in the store cannot go on.
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
}

/// Why a server ended other than by being stopped.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The descriptors of the protocol cannot be served.
    #[error("the reflection service cannot be built")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The store failed. Nothing was sent that is not stored.
    #[error("the store failed, and the server with it")]
    Storage(#[source] Arc<StoreError>),
}

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
    /// end within [`Limits::stop_time`] is cut. Matches of a server with a store go on when
    /// another serves it.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn run(self, stop: CancellationToken) -> Result<(), ServeError> {
        self.run_and_drain(CancellationToken::new(), stop).await
    }

    /// Serves until `drain` is cancelled: no match is made any more, bots are told, and when all
    /// matches have ended, or after [`Limits::drain_time`], the server stops as [`Server::run`]
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
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTORS)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
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
        let routes = Routes::new(RequestTimeout::new(health, limits.hello_time))
            .add_service(RequestTimeout::new(
                reflection().build_v1()?,
                limits.hello_time,
            ))
            .add_service(RequestTimeout::new(
                reflection().build_v1alpha()?,
                limits.hello_time,
            ))
            .add_service(RequestTimeout::new(
                CatalogServiceServer::new(Catalog::new(*matches.signing_key().public()))
                    .max_decoding_message_size(limits.request_bytes),
                limits.hello_time,
            ))
            .add_service(RequestTimeout::new(
                LadderServiceServer::new(LadderDesk::new(
                    Arc::clone(&self.ladders),
                    self.authenticator.clone(),
                ))
                .max_decoding_message_size(limits.request_bytes),
                limits.hello_time,
            ))
            .add_service(RequestTimeout::new(
                LobbyServiceServer::new(LobbyDesk::new(
                    Arc::clone(&self.lobby),
                    Arc::clone(&matches),
                    self.authenticator.clone(),
                ))
                .max_decoding_message_size(limits.request_bytes),
                limits.hello_time,
            ))
            .add_service(RequestTimeout::new(
                MatchServiceServer::new(MatchDesk::new(
                    Arc::clone(&matches),
                    Arc::clone(&self.lobby),
                    self.authenticator.clone(),
                    Arc::clone(&replay_desk),
                ))
                .max_decoding_message_size(limits.request_bytes),
                limits.hello_time,
            ));
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
        let stopped = {
            let (drained, journal) = (drained.clone(), self.journal.clone());
            async move {
                let is_drained = select! {
                    biased;
                    () = asked_to_stop(&journal, &stop) => false,
                    () = drain.cancelled() => true,
                };
                for service in HEALTH_SERVICES {
                    health_reporter
                        .set_service_status(service, ServingStatus::NotServing)
                        .await;
                }
                if is_drained {
                    matches.lifecycle().drain(matches.limits().drain_time);
                    select! {
                        () = matches.emptied() => {}
                        () = sleep(matches.lifecycle().drain_left()) => {}
                        () = asked_to_stop(&journal, &stop) => {}
                    }
                }
                drained.cancel();
                // The results of matches that have just ended are still to be told.
                if let Some(journal) = &journal {
                    journal.settled().await;
                }
                matches.lifecycle().stop();
            }
        };
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
        if let Some(journal) = &self.journal {
            // First, since the replay of a match is written when its end is stored.
            if timeout(limits.stop_time, journal.settled()).await.is_err() {
                warn!(
                    "the store did not answer within the stop time; everything that bots were told is stored"
                );
                return Ok(());
            }
        }
        if let Some(replays) = self.replays
            && timeout(limits.stop_time, replays.written()).await.is_err()
        {
            warn!("replays were not written within the stop time");
        }
        if timeout(limits.stop_time, self.authenticator.close())
            .await
            .is_err()
        {
            warn!("the last uses of API keys were not stored within the stop time");
        }
        if let Some(journal) = &self.journal {
            if let Some(failure) = journal.failure() {
                return Err(ServeError::Storage(failure));
            }
            match timeout(limits.stop_time, journal.store().close()).await {
                Ok(closed) => closed.map_err(|error| ServeError::Storage(Arc::new(error)))?,
                Err(_) => warn!("the store was not closed within the stop time"),
            }
        }
        info!("stopped");
        Ok(())
    }
}

/// Where the page is served.
struct PageListener {
    listener: TcpListener,
    addr: SocketAddr,
    /// Names of the server besides its addresses.
    names: Vec<String>,
}

/// The folder of replays, and the task that keeps it.
struct Replays {
    keeper: Arc<ReplayKeeper>,
    keeping: AbortOnDropHandle<()>,
}

impl Replays {
    fn keep(keeper: Arc<ReplayKeeper>) -> Self {
        let kept = Arc::clone(&keeper);
        let keeping = tokio::spawn(async move { kept.keep().await });
        Self {
            keeper,
            keeping: AbortOnDropHandle::new(keeping),
        }
    }

    /// Waits until the replays of all ended matches are on disk, if the disk takes them.
    async fn written(self) {
        self.keeper.close();
        // A panic would be a defect; the next server writes what is missing.
        let _ = self.keeping.await;
    }
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

/// Completes when the server is to stop without a drain, or cannot go on.
async fn asked_to_stop(journal: &Option<Arc<Journal>>, stop: &CancellationToken) {
    let Some(journal) = journal else {
        return stop.cancelled().await;
    };
    select! {
        () = stop.cancelled() => {}
        () = journal.failed().cancelled() => {}
    }
}

/// Refuses the calls of a key that calls too often, and those without a known key of an address
/// that does, but for those of bots that come to their seats.
fn limit_calls(
    buckets: Arc<TokenBuckets<Option<Origin>>>,
    admission: SeatAdmission,
    authenticator: Authenticator,
) -> impl Fn(Request<()>) -> Result<Request<()>, Status> + Clone + Send + 'static {
    let admission = Arc::new(admission);
    move |call| {
        if let Some(CallerId::Key(key)) = Call::current().map(|current| current.caller_id()) {
            authenticator.debit_call(&key)?;
            return Ok(call);
        }
        if admission.admits(call.metadata()) {
            return Ok(call);
        }
        let peer = ConnectionInfo::of(&call).map(|connection| connection.peer);
        let origin = peer.map(|peer| Origin::from(peer.ip()));
        match buckets.debit(origin, Instant::now()) {
            Ok(()) => Ok(call),
            Err(wait) => Err(Refusal::rate("calls_per_address", buckets.rate(), wait).into()),
        }
    }
}

async fn listen(addr: SocketAddr) -> Result<(TcpListener, SocketAddr), BindError> {
    let failed = |source| BindError::Listen { addr, source };
    let listener = TcpListener::bind(addr).await.map_err(failed)?;
    let local_addr = listener.local_addr().map_err(failed)?;
    Ok((listener, local_addr))
}

/// Completes when `stop` was cancelled `time` ago: a silent peer must not keep the server alive.
async fn stop_deadline(stop: &CancellationToken, time: Duration) {
    stop.cancelled().await;
    sleep(time).await;
}
