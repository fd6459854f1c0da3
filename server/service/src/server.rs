//! The server itself: binding its ports, and serving until it is stopped.

mod cluster_task;
mod errors;
mod health;
mod listeners;
mod load;
mod options;
mod release;
mod routes;
mod shutdown;
mod startup;

use std::{collections::HashSet, net::SocketAddr, sync::Arc, time::Instant};

use bridgemaster_cluster::{Cluster, forwarding::Forwarder};
use bridgemaster_edge::{
    identity::Authenticator,
    metrics::Metrics,
    refusal::Refusal,
    transport::{Call, CallerId, ClientKind, ConnectionInfo, Origin, Tls, TokenBuckets, serve},
};
use bridgemaster_live::{Matches, journal::Journal, replays::Retention};
use bridgemaster_matchmaking::{ladder::Ladders, lobby::Lobby};
use bridgemaster_proto::v1::Ladder;
use bridgemaster_store::CompiledFuture;
use tokio::{join, net::TcpListener, select};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use tonic::{Request, Status, service::Routes};
use tracing::{info, warn};

use self::{
    cluster_task::{ClusterTask, observe},
    health::ServicesHealth,
    listeners::{ListenerContext, PageListener, PortSlots, listen, listen_opt, serve_metrics},
    shutdown::{
        ReplayTask, StopSignals, close_resources, stop_streams, stop_time_elapsed, until_stopped,
    },
    startup::{
        create_replay_folder, lease_check, load_secrets, node_forwarding, recover_ladders,
        recover_matches, replay_exporter, replay_retention, start_journal, start_workers,
    },
};
use crate::{
    page::{PageContext, page},
    play::SeatAdmission,
    rules::Workers,
    services::ReplayVerifier,
};

pub use errors::{BindError, ServeError};
pub use options::{ServerOptions, SharedStore, Storage};

/// The cluster tasks and settings of a server that shares its store with other nodes.
struct Membership {
    cluster: Arc<Cluster>,
    /// Ladders that this node creates when it becomes the leader, unless they exist.
    configured_ladders: Vec<Ladder>,
    /// The task that renews the lease.
    renewing: AbortOnDropHandle<()>,
}

impl Membership {
    fn start(
        cluster: Option<Arc<Cluster>>,
        matches: &Arc<Matches>,
        configured_ladders: &[Ladder],
    ) -> Option<Self> {
        let (cluster, journal) = cluster.zip(matches.journal())?;
        matches.set_cluster(Arc::clone(&cluster));
        Some(Self {
            renewing: cluster_task::spawn_lease_renewal(&cluster, matches, journal),
            cluster,
            configured_ladders: configured_ladders.to_vec(),
        })
    }
}

/// A bound server. Call [`run`](Self::run) to serve.
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
    replays: Option<ReplayTask>,
    /// The worker threads of `RulesService`, if it is enabled.
    rules: Option<Arc<Workers>>,
    replay_verifier: Arc<ReplayVerifier>,
    /// The task that commits for the journal.
    _writing: Option<AbortOnDropHandle<()>>,
    /// The replay retention task, to be spawned once the server runs.
    retention: Option<Retention>,
    /// The membership in the cluster, if nodes share the store.
    shared: Option<Membership>,
    /// Forwards calls to other nodes, if there can be other nodes.
    forwarder: Option<Arc<Forwarder>>,
}

impl Server {
    /// Binds to `addr`; port 0 selects a free port.
    ///
    /// # Errors
    /// Returns an error if an address is unavailable, the folder for replays cannot be created, or
    /// the store cannot be read or recovered.
    pub fn bind(
        addr: SocketAddr,
        options: ServerOptions,
    ) -> CompiledFuture<'static, Result<Self, BindError>> {
        Box::pin(Self::bound(addr, options))
    }

    async fn bound(addr: SocketAddr, options: ServerOptions) -> Result<Self, BindError> {
        let replays = create_replay_folder(options.replays, options.replay_mode).await?;
        let storage = options.storage.as_ref();
        let metrics = Arc::new(Metrics::for_node(storage.and_then(Storage::node_name)));
        let (keys, private, public) = (options.keys, options.private, options.public_read);
        let authenticator = Authenticator::new(keys, private, public, &options.limits, &metrics);
        let joined = cluster_task::join_cluster(storage).await;
        let (cluster, orphans) = joined.map_err(BindError::Nodes)?;
        let authenticator = authenticator.await.map_err(BindError::Keys)?;
        let authenticator = authenticator.with_lease_check(cluster.as_ref().map(lease_check));
        let store = storage.map(|storage| Arc::clone(&storage.store));
        let span_recorder = options.span_recorder;
        let start = |store| start_journal(store, &metrics, span_recorder.clone());
        let (journal, writing) = store.clone().map(start).unzip();
        let (signing_key, offer_tickets) = load_secrets(store.as_deref()).await?;
        let exporter = replay_exporter(replays, &metrics, store.as_ref());
        let matches = Arc::new(Matches::new(
            options.limits,
            (metrics, span_recorder),
            exporter.clone(),
            journal.clone(),
            signing_key,
            offer_tickets,
        ));
        let forwarder = node_forwarding(storage, cluster.as_ref(), &matches).await?;
        let shared = Membership::start(cluster, &matches, &options.ladders);
        let lobby = Lobby::new(matches.limits(), journal.clone());
        let (ladder_set, ladder_listener) = Ladders::listener();
        matches.set_listeners(vec![Arc::clone(&lobby) as _, ladder_listener]);
        if let Some((journal, storage)) = journal.as_ref().zip(storage) {
            let listens_on = [Some(addr), options.metrics];
            recover_matches(storage, orphans, journal, &matches, &lobby, listens_on).await?;
        }
        let ladders = Ladders::new(ladder_set, store, Arc::clone(&matches), Arc::clone(&lobby));
        let ladders = recover_ladders(ladders, options.ladders, &authenticator).await?;
        let retention = replay_retention(storage, exporter.as_ref(), &matches);
        let (rules, replay_verifier) = start_workers(matches.limits(), options.rules)?;
        let (listener, local_addr) = listen(addr).await?;
        let metrics = listen_opt(options.metrics).await?;
        Ok(Self {
            listener,
            tls: options.tls,
            local_addr,
            authenticator,
            metrics,
            page: None,
            replays: exporter
                .map(|exporter| ReplayTask::spawn(exporter, Arc::clone(&matches) as _)),
            matches,
            lobby,
            ladders,
            journal,
            rules,
            replay_verifier,
            _writing: writing,
            retention,
            shared,
            forwarder,
        })
    }

    /// Also serves the page on `addr`, with the same keys and TLS; port 0 selects a free port.
    /// Requests must name this server by an address, as `localhost`, or by one of `names`. With
    /// TLS, browsers verify the name. Returns the bound address.
    ///
    /// # Errors
    /// Returns an error if the address is unavailable.
    pub async fn open_page(
        &mut self,
        addr: SocketAddr,
        names: Vec<String>,
    ) -> Result<SocketAddr, BindError> {
        let (listener, addr) = listen(addr).await?;
        self.page = Some(PageListener::new(listener, addr, names));
        Ok(addr)
    }

    /// The address on which the server listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// The address on which metrics are served, if enabled.
    pub fn metrics_addr(&self) -> Option<SocketAddr> {
        let (_, addr) = self.metrics.as_ref()?;
        Some(*addr)
    }

    /// Serves until `stop` is cancelled. Streams then end with SERVER_STOPPING. Streams that are
    /// still open after [`stop_time`](crate::Limits::stop_time) are aborted. With a store, matches
    /// resume when another server opens the store.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn run(self, stop: CancellationToken) -> Result<(), ServeError> {
        self.run_and_drain(CancellationToken::new(), stop).await
    }

    /// Serves until `drain` is cancelled. The server then creates no matches, notifies bots, and
    /// stops as [`Server::run`] does once all matches have ended, or after
    /// [`drain_time`](crate::Limits::drain_time). Cancelling `stop` stops it at once.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn run_and_drain(
        self,
        drain: CancellationToken,
        stop: CancellationToken,
    ) -> CompiledFuture<'static, Result<(), ServeError>> {
        Box::pin(self.serve(drain, stop))
    }

    async fn serve(
        mut self,
        drain: CancellationToken,
        stop: CancellationToken,
    ) -> Result<(), ServeError> {
        let limits = self.matches.limits().clone();
        let matches = Arc::clone(&self.matches);
        let (services_health, health) = ServicesHealth::new(self.rules.is_some()).await;
        let _tasks = self.spawn_tasks();
        self.ladders.run_all();
        let routes = Routes::new(health);
        let slots = PortSlots::new(&limits);
        let calls = Arc::new(TokenBuckets::new(limits.calls_per_address));
        let authenticator = || self.authenticator.clone();
        let limit_calls = limit_calls(Arc::clone(&calls), Arc::clone(&matches), authenticator());
        let services = self.services(routes, &slots, limit_calls)?;
        let tls = self.tls.clone();
        let shared = ListenerContext::new(self.tls, &matches, authenticator(), self.forwarder);
        info!(addr = %self.local_addr, "serving");
        let (hosted, lobby) = (Arc::clone(&matches), Arc::clone(&self.lobby));
        let _metrics = self.metrics.map(|page| serve_metrics(page, hosted, lobby, tls));
        let drained = CancellationToken::new();
        let stopped = until_stopped(
            matches,
            self.journal.clone(),
            services_health,
            StopSignals { drain, stop },
            drained.clone(),
        );
        let serving_page = self.page.map(|listener| {
            let context = PageContext {
                guard: listener.guard(&shared),
                authenticator: authenticator(),
                replays: self.replay_verifier,
                calls,
                limits: limits.clone(),
            };
            let served = page(services.for_browsers, context);
            listener.serve(served, shared.clone(), slots.for_browsers, drained.clone())
        });
        let serving_page = async {
            if let Some(serving) = serving_page {
                serving.await;
            }
        };
        let connections =
            shared.connections(self.listener, ClientKind::Programs, slots.for_programs);
        let (readers, quotas) = (shared.readers, shared.quotas);
        let programs = services.for_programs;
        let serving = serve(connections, programs, readers, quotas, stopped);
        select! {
            ((), ()) = async { join!(serving, serving_page) } => {}
            () = stop_time_elapsed(&drained, limits.stop_time) => {
                warn!("aborting streams that are still open after the stop time");
            }
        }
        let journal = self.journal.as_deref();
        stop_streams(&self.matches, journal);
        close_resources(&limits, journal, self.replays, &self.authenticator).await
    }

    /// Spawns the timers of matches and the lobby, the replay retention task, and the cluster
    /// tasks. All of these tasks run until the returned handles are dropped.
    fn spawn_tasks(&mut self) -> Vec<AbortOnDropHandle<()>> {
        let clock = Arc::clone(self.matches.clock());
        let lobby = Arc::clone(&self.lobby);
        let mut tasks = vec![tokio::spawn(clock.watch()), tokio::spawn(lobby.run_timer())];
        let mut renewing = None;
        let retention = self.retention.take();
        match self.shared.take().zip(self.journal.as_ref()) {
            Some((shared, journal)) => {
                let (cluster, matches) = (shared.cluster, Arc::clone(&self.matches));
                renewing = Some(shared.renewing);
                tasks.push(tokio::spawn(observe(
                    Arc::clone(&cluster),
                    self.forwarder.clone(),
                    Arc::clone(matches.metrics()),
                )));
                let task = ClusterTask {
                    cluster,
                    matches,
                    journal: Arc::clone(journal),
                    lobby: Arc::clone(&self.lobby),
                    ladders: Arc::clone(&self.ladders),
                    authenticator: self.authenticator.clone(),
                    configured_ladders: shared.configured_ladders,
                    retention,
                    live: HashSet::new(),
                };
                tasks.push(tokio::spawn(task.run()));
            }
            None => tasks.extend(retention.map(|retention| tokio::spawn(retention.run()))),
        }
        let tasks = tasks.into_iter().map(AbortOnDropHandle::new);
        tasks.chain(renewing).collect()
    }
}

/// Returns an interceptor that refuses calls beyond the rate limit of their key. A call without a
/// valid key counts against the rate limit of its address. Bots that reconnect to their seats are
/// exempt.
fn limit_calls(
    buckets: Arc<TokenBuckets<Option<Origin>>>,
    matches: Arc<Matches>,
    authenticator: Authenticator,
) -> impl Fn(Request<()>) -> Result<Request<()>, Status> + Clone + Send + 'static {
    let admission = Arc::new(SeatAdmission::new(matches));
    move |call| {
        if let Some(CallerId::Key(key)) = Call::current().map(|current| current.caller_id()) {
            authenticator.debit_call(&key)?;
            return Ok(call);
        }
        if admission.admits(call.metadata()) {
            return Ok(call);
        }
        let origin = ConnectionInfo::from_request(&call).map(|connection| connection.origin);
        match buckets.debit(origin, Instant::now()) {
            Ok(()) => Ok(call),
            Err(wait) => {
                Err(Refusal::rate_exceeded("calls_per_address", buckets.rate(), wait).into())
            }
        }
    }
}
