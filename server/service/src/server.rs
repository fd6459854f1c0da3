//! The listening server: services, transport settings, and how it stops.

mod call_rates;
mod errors;
mod health;
mod listeners;
mod load;
mod options;
mod releasing;
mod routes;
mod seat_service;
mod sharing;
mod starting;
mod stopping;

use std::{collections::HashSet, net::SocketAddr, sync::Arc};

use bridgemaster_proto::v1::Ladder;
use bridgemaster_store::CompiledFuture;
use tokio::{join, net::TcpListener, select};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use tonic::service::Routes;
use tracing::{info, warn};

use self::{
    call_rates::limit_calls,
    health::ServicesHealth,
    listeners::{PageListener, PortSlots, Shared, listen, listen_if_asked, serve_metrics},
    sharing::{Sharing, tell_health, tell_of_matches},
    starting::{
        begin_journal, make_replay_folder, recover, recover_ladders, replay_keeper, retention,
        secrets, start_rules, way_to_others,
    },
    stopping::{Asked, Replays, close, stop_deadline, stopped},
};
pub use self::{
    errors::{BindError, ServeError},
    options::{ServerOptions, SharedStore, Storage},
};
use crate::{
    cluster::Cluster,
    forwarding::{NodePass, ToOthers},
    hosting::Matches,
    identity::Authenticator,
    journal::Journal,
    ladder::Ladders,
    lobby::Lobby,
    metrics::Metrics,
    page::{Desk, Page},
    replays::Retention,
    rules::Workers,
    services::{ReplayDesk, RequestTimeout},
    transport::{Peers, Tls, TokenBuckets, serve},
};

/// A server among those that share its store.
struct Membership {
    cluster: Arc<Cluster>,
    /// Ladders that are made by the server that leads.
    asked: Vec<Ladder>,
    /// Renews the lease.
    renewing: AbortOnDropHandle<()>,
}

impl Membership {
    fn begin(
        cluster: Option<Arc<Cluster>>,
        matches: &Arc<Matches>,
        asked: &[Ladder],
    ) -> Option<Self> {
        let (cluster, journal) = cluster.zip(matches.journal())?;
        matches.share(Arc::clone(&cluster));
        Some(Self {
            renewing: sharing::renew(&cluster, matches, journal),
            cluster,
            asked: asked.to_vec(),
        })
    }
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
    /// The threads of the rules by call, if they are served.
    rules: Option<Arc<Workers>>,
    /// Commits for the journal.
    _writing: Option<AbortOnDropHandle<()>>,
    /// What is forgotten of the store, once the server runs.
    retention: Option<Retention>,
    /// The servers that share the store.
    shared: Option<Membership>,
    /// By what they know each other.
    pass: Option<Arc<NodePass>>,
    /// The way to them, if calls are passed on.
    to_others: Option<Arc<ToOthers>>,
}

impl Server {
    /// Listens on `addr`; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address or the folder for replays cannot be had, the keys cannot be read, or the
    /// matches in the store cannot go on.
    pub fn bind(
        addr: SocketAddr,
        options: ServerOptions,
    ) -> CompiledFuture<'static, Result<Self, BindError>> {
        Box::pin(Self::bound(addr, options))
    }

    async fn bound(addr: SocketAddr, options: ServerOptions) -> Result<Self, BindError> {
        make_replay_folder(options.replays.as_deref()).await?;
        let storage = options.storage.as_ref();
        let metrics = Arc::new(Metrics::of_node(storage.and_then(Storage::node_name)));
        let (keys, public) = (options.keys, options.public_read);
        let authenticator = Authenticator::new(keys, public, &options.limits, &metrics);
        let (cluster, taken) = sharing::join(storage).await.map_err(BindError::Nodes)?;
        let authenticator = authenticator.await.map_err(BindError::Keys)?;
        let authenticator = authenticator.among(cluster.clone());
        let store = storage.map(|storage| Arc::clone(&storage.store));
        let traces = options.traces;
        let begin = |store| begin_journal(store, &metrics, traces.clone());
        let begun = store.clone().map(begin);
        let (journal, writing) = begun.unzip();
        let (signing_key, offer_tickets) = secrets(store.as_deref()).await?;
        let keeper = replay_keeper(options.replays, &metrics, store.as_ref());
        let matches = Arc::new(Matches::new(
            options.limits,
            (metrics, traces),
            keeper.clone(),
            journal.clone(),
            signing_key,
            offer_tickets,
        ));
        let (pass, to_others) = way_to_others(storage, &matches).await?;
        let shared = Membership::begin(cluster, &matches, &options.ladders);
        let lobby = Lobby::new(matches.limits(), journal.clone());
        let (ladder_set, ladder_listener) = Ladders::listener();
        matches.listen(vec![Arc::clone(&lobby) as _, ladder_listener]);
        if let Some((journal, storage)) = journal.as_ref().zip(storage) {
            let listens_on = [Some(addr), options.metrics];
            recover(storage, taken, journal, &matches, &lobby, listens_on).await?;
        }
        let ladders = Ladders::new(ladder_set, store, Arc::clone(&matches), Arc::clone(&lobby));
        let ladders = recover_ladders(ladders, options.ladders, &authenticator).await?;
        let retention = retention(storage, keeper.as_ref(), matches.metrics());
        let rules = options.rules.then(|| start_rules(matches.limits()));
        let rules = rules.transpose()?;
        let (listener, local_addr) = listen(addr).await?;
        let metrics = listen_if_asked(options.metrics).await?;
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
            replays: keeper.map(Replays::keep),
            rules,
            _writing: writing,
            retention,
            shared,
            pass,
            to_others,
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
        self.page = Some(PageListener::new(listener, addr, names));
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
        let (services_health, health) = ServicesHealth::serving(self.rules.is_some()).await;
        let _watching = self.watch_time(&services_health);
        self.ladders.run_all();
        let routes = Routes::new(RequestTimeout::new(health, limits.hello_time));
        let slots = PortSlots::new(&limits);
        let calls = Arc::new(TokenBuckets::new(limits.calls_per_address));
        let replay_desk = Arc::new(ReplayDesk::new());
        let authenticator = || self.authenticator.clone();
        let limit_calls = limit_calls(Arc::clone(&calls), Arc::clone(&matches), authenticator());
        let services = self.services(routes, &slots, &replay_desk, limit_calls)?;
        let shared = Shared::new(self.tls, limits.clone(), authenticator(), self.pass);
        info!(addr = %self.local_addr, "serving");
        let (hosted, lobby) = (Arc::clone(&matches), Arc::clone(&self.lobby));
        let _metrics = self.metrics.map(|page| serve_metrics(page, hosted, lobby));
        let drained = CancellationToken::new();
        let stopped = stopped(
            matches,
            self.journal.clone(),
            services_health,
            Asked { drain, stop },
            drained.clone(),
        );
        let serving_page = self.page.map(|page| {
            let desk = Desk {
                guard: page.guard(&shared),
                authenticator: authenticator(),
                replays: replay_desk,
                calls,
                limits: limits.clone(),
            };
            let served = Page::new(services.for_browsers, desk);
            page.serve(served, shared.clone(), slots.for_browsers, drained.clone())
        });
        let serving_page = async {
            if let Some(serving) = serving_page {
                serving.await;
            }
        };
        let connections = shared.connections(self.listener, Peers::Programs, slots.for_programs);
        let (shown, allowances) = (shared.shown, shared.allowances);
        let programs = services.for_programs;
        let serving = serve(connections, programs, shown, allowances, stopped);
        select! {
            ((), ()) = async { join!(serving, serving_page) } => {}
            () = stop_deadline(&drained, limits.stop_time) => {
                warn!("streams still open after the stop time are cut");
            }
        }
        self.matches.lifecycle().stop();
        let journal = self.journal.as_deref();
        close(&limits, journal, self.replays, &self.authenticator).await
    }

    /// Watches the clock of the matches and the times of the lobby, has the store forget old
    /// replays, and takes over what other servers leave, while what it gives lives.
    fn watch_time(&mut self, health: &ServicesHealth) -> Vec<AbortOnDropHandle<()>> {
        let clock = Arc::clone(self.matches.clock());
        let lobby = Arc::clone(&self.lobby);
        let mut tasks = vec![
            tokio::spawn(clock.watch()),
            tokio::spawn(lobby.watch_time()),
        ];
        let mut renewing = None;
        let retention = self.retention.take();
        match self.shared.take().zip(self.journal.as_ref()) {
            Some((shared, journal)) => {
                let (cluster, matches) = (shared.cluster, Arc::clone(&self.matches));
                renewing = Some(shared.renewing);
                let telling = (Arc::clone(&cluster), Arc::clone(&matches), health.clone());
                tasks.push(tokio::spawn(tell_health(telling.0, telling.1, telling.2)));
                if cluster.is_shared() {
                    let telling = tell_of_matches(Arc::clone(&cluster), Arc::clone(&matches));
                    tasks.push(tokio::spawn(telling));
                }
                let sharing = Sharing {
                    cluster,
                    matches,
                    journal: Arc::clone(journal),
                    lobby: Arc::clone(&self.lobby),
                    ladders: Arc::clone(&self.ladders),
                    authenticator: self.authenticator.clone(),
                    asked: shared.asked,
                    retention,
                    gone: HashSet::new(),
                };
                tasks.push(tokio::spawn(sharing.run()));
            }
            None => tasks.extend(retention.map(|retention| tokio::spawn(retention.run()))),
        }
        let tasks = tasks.into_iter().map(AbortOnDropHandle::new);
        tasks.chain(renewing).collect()
    }
}
