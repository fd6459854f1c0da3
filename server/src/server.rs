//! The listening server: services, transport settings, and how it stops.

use std::{fmt, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use bridgemaster_proto::{
    DESCRIPTORS,
    v1::{
        catalog_service_server::CatalogServiceServer, match_service_server::MatchServiceServer,
        play_service_server::PlayServiceServer,
    },
};
use bridgemaster_store::{Store, StoreError};
use thiserror::Error;
use tokio::{
    select,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use tonic::{server::NamedService, transport::server::TcpIncoming};
use tonic_health::ServingStatus;
use tracing::{info, warn};

use crate::{
    hosting::Matches,
    journal::{Journal, RecoveryError},
    limits::Limits,
    play::Play,
    services::{Catalog, MatchDesk},
};

/// What the health service tells of; the empty name is the server as a whole.
const HEALTH_SERVICES: &[&str] = &[
    "",
    PlayServiceServer::<Play>::NAME,
    MatchServiceServer::<MatchDesk>::NAME,
];

/// What a server is made of.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// Limits on what comes from outside.
    pub limits: Limits,
    /// Folder that the replay of every ended match is written to, as `MATCH_ID.replay.binpb`.
    pub replays: Option<PathBuf>,
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

/// Why a server cannot listen.
#[derive(Debug, Error)]
pub enum BindError {
    /// The address cannot be had.
    #[error("cannot listen on {addr}: {source}")]
    Listen {
        /// The address.
        addr: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// The folder for replays cannot be had.
    #[error("the folder for replays {} cannot be made: {source}", folder.display())]
    Replays {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The matches in the store cannot go on.
    #[error(transparent)]
    Recovery(#[from] RecoveryError),
}

/// Why a server ended other than by being stopped.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The transport failed.
    #[error("the transport failed: {0}")]
    Transport(#[from] tonic::transport::Error),
    /// The descriptors of the protocol cannot be served.
    #[error("the reflection service cannot be built: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The store failed. Nothing was sent that is not stored.
    #[error("the store failed, and the server with it: {0}")]
    Storage(#[source] Arc<StoreError>),
}

/// A server that listens, and serves once it is run.
pub struct Server {
    incoming: TcpIncoming,
    local_addr: SocketAddr,
    matches: Arc<Matches>,
    journal: Option<Arc<Journal>>,
    /// Commits for the journal.
    _writing: Option<AbortOnDropHandle<()>>,
}

impl Server {
    /// Listens on `addr`; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address or the folder for replays cannot be had, or the matches in the store
    /// cannot go on.
    pub async fn bind(addr: SocketAddr, options: ServerOptions) -> Result<Self, BindError> {
        if let Some(folder) = &options.replays {
            tokio::fs::create_dir_all(folder)
                .await
                .map_err(|source| BindError::Replays {
                    folder: folder.clone(),
                    source,
                })?;
        }
        let storage = options.storage.as_ref();
        let journal = storage.map(|storage| Arc::new(Journal::new(Arc::clone(&storage.store))));
        let writing = journal
            .as_ref()
            .map(|journal| AbortOnDropHandle::new(tokio::spawn(Arc::clone(journal).write())));
        let matches = Arc::new(Matches::new(
            options.limits,
            options.replays,
            journal.clone(),
        ));
        if let (Some(journal), Some(storage)) = (&journal, storage) {
            matches.recover(journal, &storage.given_up).await?;
        }
        let listen = |source| BindError::Listen { addr, source };
        let listener = tokio::net::TcpListener::bind(addr).await.map_err(listen)?;
        let local_addr = listener.local_addr().map_err(listen)?;
        Ok(Self {
            // Without nodelay a small message waits for the peer's delayed acknowledgement.
            incoming: TcpIncoming::from(listener).with_nodelay(Some(true)),
            local_addr,
            matches,
            journal,
            _writing: writing,
        })
    }

    /// The address that the server listens on.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Serves until `stop` is cancelled: streams then end with SERVER_STOPPING, and what does not
    /// end within [`Limits::stop_time`] is cut. Matches of a server with a store go on when
    /// another serves it.
    ///
    /// # Errors
    /// When the transport or the store fails.
    pub async fn run(self, stop: CancellationToken) -> Result<(), ServeError> {
        self.run_and_drain(CancellationToken::new(), stop).await
    }

    /// Serves until `drain` is cancelled: no match is made any more, bots are told, and when all
    /// matches have ended, or after [`Limits::drain_time`], the server stops as [`Server::run`]
    /// does. Cancelling `stop` stops it without more ado.
    ///
    /// # Errors
    /// When the transport or the store fails.
    pub async fn run_and_drain(
        self,
        drain: CancellationToken,
        stop: CancellationToken,
    ) -> Result<(), ServeError> {
        let limits = self.matches.limits().clone();
        let matches = Arc::clone(&self.matches);
        let clock = Arc::clone(matches.clock());
        let _watch = AbortOnDropHandle::new(tokio::spawn(clock.watch()));
        let (health_reporter, health) = tonic_health::server::health_reporter();
        for service in HEALTH_SERVICES {
            health_reporter
                .set_service_status(service, ServingStatus::Serving)
                .await;
        }
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTORS)
        };
        let router = tonic::transport::Server::builder()
            .max_concurrent_streams(limits.streams_per_connection)
            .http2_keepalive_interval(Some(limits.keepalive))
            .http2_keepalive_timeout(Some(limits.keepalive))
            .add_service(health)
            .add_service(reflection().build_v1()?)
            .add_service(reflection().build_v1alpha()?)
            .add_service(CatalogServiceServer::new(Catalog))
            .add_service(
                MatchServiceServer::new(MatchDesk::new(Arc::clone(&matches)))
                    .max_decoding_message_size(limits.request_bytes),
            )
            .add_service(
                PlayServiceServer::new(Play::new(Arc::clone(&matches)))
                    .max_decoding_message_size(limits.play_message_bytes),
            );
        info!(addr = %self.local_addr, "serving");
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
                    matches.drain(matches.limits().drain_time);
                    select! {
                        () = matches.emptied() => {}
                        () = sleep(matches.drain_left()) => {}
                        () = asked_to_stop(&journal, &stop) => {}
                    }
                }
                drained.cancel();
                // The results of matches that have just ended are still to be told.
                if let Some(journal) = &journal {
                    journal.settled().await;
                }
                matches.stop();
            }
        };
        let serving = router.serve_with_incoming_shutdown(self.incoming, stopped);
        select! {
            served = serving => served?,
            () = stop_deadline(&drained, limits.stop_time) => {
                warn!("streams were still open after the stop time and are cut");
            }
        }
        self.matches.stop();
        self.matches.replays_written().await;
        if let Some(journal) = &self.journal {
            if timeout(limits.stop_time, journal.settled()).await.is_err() {
                warn!("the store did not answer within the stop time");
            }
            if let Some(failure) = journal.failure() {
                return Err(ServeError::Storage(failure));
            }
            let closed = journal.store().close().await;
            closed.map_err(|error| ServeError::Storage(Arc::new(error)))?;
        }
        info!("stopped");
        Ok(())
    }
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

/// Completes when `stop` was cancelled `time` ago: a silent peer must not keep the server alive.
async fn stop_deadline(stop: &CancellationToken, time: Duration) {
    stop.cancelled().await;
    sleep(time).await;
}
