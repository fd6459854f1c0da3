//! A server of `RulesService` alone, for the user's own machine, without matches, keys or limits.

use std::{io, sync::Arc, time::Duration};

use bridgemaster_edge::{identity::Authenticator, refusal_details::with_refusal_details};
use bridgemaster_proto::{DESCRIPTORS, v1::rules_service_server::RulesServiceServer};
use bridgemaster_store::CompiledFuture;
use thiserror::Error;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};
use tokio_stream::{Stream, wrappers::TcpListenerStream};
use tokio_util::sync::CancellationToken;
use tonic::{
    service::Routes,
    transport::{Server, server::Connected},
};
use tower::layer::layer_fn;

use crate::{
    rules::{WorkerKind, Workers},
    services::RulesRpc,
};

/// The time after which an idle session ends: a day, since it uses memory of the user's own
/// machine.
const IDLE_TIMEOUT: Duration = Duration::from_secs(86_400);

/// The time within which calls have to end when the server stops.
const STOP_TIME: Duration = Duration::from_secs(1);

/// An error that stops the rules server.
#[derive(Debug, Error)]
pub enum RulesServerError {
    /// The worker threads cannot be spawned.
    #[error("cannot spawn the threads of the rules service")]
    Threads(#[source] io::Error),
    /// The protocol descriptors are invalid.
    #[error("cannot build the reflection service")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// The network failed.
    #[error("cannot serve the rules")]
    Transport(#[from] tonic::transport::Error),
}

/// Serves `RulesService` to any client that can connect: programs of one user, on a loopback
/// address or a Unix socket.
pub struct RulesServer {
    workers: Arc<Workers>,
}

impl RulesServer {
    /// Creates a server with this many worker threads.
    ///
    /// # Errors
    /// Returns an error if the threads cannot be spawned.
    pub fn new(threads: usize) -> Result<Self, RulesServerError> {
        let workers = Workers::start(WorkerKind::RULES, threads, None);
        let workers = workers.map_err(RulesServerError::Threads)?;
        Ok(Self { workers: Arc::new(workers) })
    }

    /// Serves on a TCP listener until `stop` is cancelled.
    ///
    /// # Errors
    /// Returns an error if the network fails.
    pub fn run(
        self,
        listener: TcpListener,
        stop: CancellationToken,
    ) -> CompiledFuture<'static, Result<(), RulesServerError>> {
        Box::pin(self.serve(TcpListenerStream::new(listener), stop))
    }

    /// Serves on a Unix socket until `stop` is cancelled.
    ///
    /// # Errors
    /// Returns the errors of [`RulesServer::run`].
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
        let rpc = RulesRpc::new(
            self.workers,
            Authenticator::without_store(None),
            IDLE_TIMEOUT,
            stop.clone(),
        );
        let (health_reporter, health) = tonic_health::server::health_reporter();
        health_reporter.set_serving::<RulesServiceServer<RulesRpc>>().await;
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .build_v1()?;
        let served = Server::builder()
            .tcp_nodelay(true)
            .layer(layer_fn(with_refusal_details::<Routes>))
            .add_service(health)
            .add_service(reflection)
            .add_service(RulesServiceServer::new(rpc))
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
