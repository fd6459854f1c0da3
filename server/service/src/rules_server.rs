//! The rules by call on one's own machine, without matches, keys and limits.

use std::{io, sync::Arc, time::Duration};

use bridgemaster_proto::{DESCRIPTORS, v1::rules_service_server::RulesServiceServer};
use bridgemaster_store::CompiledFuture;
use thiserror::Error;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};
use tokio_stream::{Stream, wrappers::TcpListenerStream};
use tokio_util::sync::CancellationToken;
use tonic::transport::{Server, server::Connected};
use tower_layer::layer_fn;

use crate::{
    identity::Authenticator,
    rules::Workers,
    services::{RefusalDetails, RulesDesk},
};

/// Time after which a session without a request ends: a day, since what it keeps is the user's own.
const IDLE: Duration = Duration::from_secs(86_400);

/// Time that calls get to end when the server stops.
const STOP_TIME: Duration = Duration::from_secs(1);

/// Why the rules are not served.
#[derive(Debug, Error)]
pub enum RulesServerError {
    /// The system gives no thread.
    #[error("the system gives no thread for the rules")]
    Threads(#[source] io::Error),
    /// The descriptors of the protocol cannot be served.
    #[error("the reflection service cannot be built")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The network failed.
    #[error("the rules cannot be served")]
    Transport(#[from] tonic::transport::Error),
}

/// `RulesService` for whoever can connect: for the programs of one user, on a loopback address or a
/// socket of the file system.
pub struct RulesServer {
    workers: Arc<Workers>,
}

impl RulesServer {
    /// With so many threads to work.
    ///
    /// # Errors
    /// When the system does not give them.
    pub fn new(threads: usize) -> Result<Self, RulesServerError> {
        let workers = Workers::start(threads, None).map_err(RulesServerError::Threads)?;
        Ok(Self {
            workers: Arc::new(workers),
        })
    }

    /// Serves until `stop` is cancelled.
    ///
    /// # Errors
    /// When the network fails.
    pub fn run(
        self,
        listener: TcpListener,
        stop: CancellationToken,
    ) -> CompiledFuture<'static, Result<(), RulesServerError>> {
        Box::pin(self.serve(TcpListenerStream::new(listener), stop))
    }

    /// The same on a socket of the file system.
    ///
    /// # Errors
    /// As [`RulesServer::run`].
    #[cfg(unix)]
    pub fn run_on_socket(
        self,
        listener: tokio::net::UnixListener,
        stop: CancellationToken,
    ) -> CompiledFuture<'static, Result<(), RulesServerError>> {
        let connections = tokio_stream::wrappers::UnixListenerStream::new(listener);
        Box::pin(self.serve(connections, stop))
    }

    async fn serve<I>(
        self,
        connections: impl Stream<Item = io::Result<I>>,
        stop: CancellationToken,
    ) -> Result<(), RulesServerError>
    where
        I: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    {
        let desk = RulesDesk::new(self.workers, Authenticator::of_anyone(), IDLE, stop.clone());
        let (health_reporter, health) = tonic_health::server::health_reporter();
        health_reporter
            .set_serving::<RulesServiceServer<RulesDesk>>()
            .await;
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .build_v1()?;
        let served = Server::builder()
            .tcp_nodelay(true)
            .layer(layer_fn(RefusalDetails))
            .add_service(health)
            .add_service(reflection)
            .add_service(RulesServiceServer::new(desk))
            .serve_with_incoming_shutdown(connections, stop.clone().cancelled_owned());
        tokio::select! {
            served = served => served?,
            () = async {
                stop.cancelled().await;
                tokio::time::sleep(STOP_TIME).await;
            } => {}
        }
        Ok(())
    }
}
